"""A map of bands, as few shapes as can be: pixels of a picture would not follow the theme."""
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from drawing import BANDS


def cells(axes, bands, xs, ys):
    """bands[row][column], None where there is nothing; xs and ys are the edges."""
    boxes = {}
    for row, values in enumerate(bands):
        start = 0
        for end in range(1, len(values) + 1):
            if end == len(values) or values[end] != values[start]:
                if values[start] is not None:
                    boxes.setdefault(values[start], []).append((xs[start], ys[row], xs[end], ys[row + 1]))
                start = end
    for band, found in sorted(boxes.items()):
        path = Path.make_compound_path(*(Path([(a, b), (c, b), (c, d), (a, d), (a, b)], closed=True) for a, b, c, d in found))
        axes.add_patch(PathPatch(path, facecolor=BANDS[band], edgecolor="none", linewidth=0, gid="cells"))
