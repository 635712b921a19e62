"""What the pictures of scripts/report show: the lines, bars and colours that are drawn, not that there are some."""
import re

import pytest

from test_report import PAGE, bench, case, ranges, sound  # first: it finds the modules

import choice
import conditions
import drawing
import growth
import places
import speed
import ulps
import where
from further import thread_tables
from subject import Subject


@pytest.fixture
def drawn(monkeypatch):
    """Draws a picture; returns the axes of the wide one, and its caption."""
    def of(module, v, b):
        figures = []
        monkeypatch.setattr(drawing, "inline", lambda figure, label: figures.append(figure) or "")
        found = module.picture(Subject(v, b, "v.json"))
        return figures[0].axes[0], found.caption
    return of


def bars(axes):
    """{name of the colour: [(from, to) of each error bar]}, along the axis that they are drawn on."""
    found = {}
    for container in axes.containers:
        for lines in container.lines[2]:
            for (a, b) in lines.get_segments():
                along = 0 if a[0] != b[0] else 1
                found.setdefault(container.lines[0].get_color(), []).append((a[along], b[along]))
    return found


def test_choice(drawn):
    b = bench()
    b["benchmarks"] = [r for r in b["benchmarks"] if "fill/exact_scalar" not in r["run_name"]]
    b["benchmarks"] += case("fill/exact_scalar/f32/n:5000/d:512", 2)
    axes, caption = drawn(choice, sound(), b)
    naive, exact = drawing.colour(0), drawing.colour(1)
    assert bars(axes)[naive] == [pytest.approx((0.24875, 0.25125))]  # 0.25 GB/s, quartiles half a per cent to either side
    assert bars(axes)[exact] == [pytest.approx((19.9, 20.1)), pytest.approx((1.99, 2.01))]
    dots = [c.lines[0] for c in axes.containers]
    assert [dot.get_ydata()[0] for dot in dots] == [3e-8, 4e-4, 3e-8]
    assert [dot.get_markerfacecolor() for dot in dots] == [exact, drawing.PAPER, exact]  # filled: at most 1 ULP wrong
    front = next(line for line in axes.lines if line.get_color() == drawing.INK)
    assert list(front.get_xdata())[1:] == pytest.approx([20, 20]) and list(front.get_ydata())[:2] == [3e-8, 3e-8]
    assert "medians being taken at face value" in caption and "median of 5 repetitions" in caption
    limit = next(t for t in axes.figure.texts if t.get_text().startswith("limit of stores: 40.0"))
    frame = axes.get_window_extent()
    assert limit.get_position()[1] * 72 * axes.figure.get_figheight() == pytest.approx((frame.y0 + frame.y1) / 2)


def test_choice_of_errors_of_zero(drawn):
    v = sound()
    for r in v["implementations"][1]["ranges"]:
        r["max_abs"] = 0.0
    axes, _ = drawn(choice, v, bench())
    zero = [c.lines[0] for c in axes.containers][0].get_ydata()[0]
    assert zero == axes.get_ylim()[0] == 1e-9
    assert axes.yaxis.get_major_formatter()(zero) == "0" and zero in axes.yaxis.get_majorticklocs()
    front = next(line for line in axes.lines if line.get_color() == drawing.INK)
    assert list(front.get_ydata())[:2] == [zero, zero]


def test_front():
    points = [choice.Point("", 0, gb_s, 0, error, True) for gb_s, error in ((1, 3e-8), (2, 3e-8), (3, 1e-4), (2.5, 1e-3))]
    choice.mark_front(points)
    assert [p.front for p in points] == [False, True, True, False]
    assert choice.front_line(points, [p.error for p in points], 0.5, 1) == [
        (0.5, 3e-8), (2, 3e-8), (2, 1e-4), (3, 1e-4), (3, 1)]


def test_growth(drawn):
    axes, caption = drawn(growth, sound(), None)
    lines = {line.get_color(): line for line in axes.lines}
    assert list(lines[drawing.colour(0)].get_xdata()) == pytest.approx([1, 6 ** 0.5])  # middles of 1 and of 2 to 3
    assert list(lines[drawing.colour(0)].get_ydata()) == [2e-4, 4e-4]
    assert list(lines[drawing.colour(1)].get_ydata()) == [1.5e-8, 3e-8]
    assert len(lines) == 2 and "each octave of positions" in caption
    v = sound()
    for factor, lines in ((1.01, 1), (1.05, 2)):  # alike within 2 %, or not
        v["implementations"][0]["profile"] = [[e and e * factor for e in row] for row in v["implementations"][1]["profile"]]
        assert len(drawn(growth, v, None)[0].lines) == lines
    axes, caption = drawn(growth, sound() | {"profile": None}, None)
    assert list(axes.lines[0].get_xdata()) == [511, 4999, 32767] and "dots at its end" in caption


@pytest.mark.parametrize("rows, said", [
    ([1, 1, 2], ""), ([1, 1, 1], "All positions below 2 were compared, then 1 in an octave."),
    ([0, 0, 2], "In an octave of positions, 2 rows were compared, where any was."),
])
def test_how_many_were_compared(rows, said):
    v = sound()
    v["profile"] = v["profile"] | {"rows": rows}
    assert growth.sampled(Subject(v, None, "v.json")).strip() == said


def test_where(drawn):
    axes, _ = drawn(where, sound(), None)
    naive = {patch.get_facecolor(): patch for patch in axes.patches}
    little, much = (drawing.matplotlib.colors.to_rgba(c) for c in (drawing.BANDS[3], drawing.BANDS[4]))
    assert set(naive) == {little, much}  # to 10^-4, and above
    assert naive[much].get_path().get_extents().bounds == (0, 0, 256, 3)
    assert naive[little].get_path().get_extents().bounds == (256, 1, 256, 2)  # of octave 0 only the left half was compared


def test_ulps(drawn):
    axes, _ = drawn(ulps, sound(), None)
    found = [(p.get_y() + p.get_height() / 2, p.get_x(), p.get_width(), drawing.matplotlib.colors.to_hex(p.get_facecolor()))
             for p in axes.patches]
    assert found == [(0, 0, 25, drawing.BANDS[0]), (0, 25, 75, drawing.BANDS[1]), (1, 0, 100, drawing.BANDS[0]),
                     (2, 0, 100, drawing.BANDS[0])]
    texts = [t.get_text() for t in axes.figure.texts]
    assert [t for t in texts if t.endswith(" %")] == ["25.00 %", "100 %", "100 %"]
    assert texts[-8:] == ["\u2264 0.5", "1", "2", "4", "16", "256", "65536", "more"]


def test_speed(drawn):
    b = bench()
    for n, ns in ((100, 0.1), (1000, 0.4)):
        b["benchmarks"] += case(f"fill/exact_avx2/f32/n:{n}/d:512", ns, n=n) + case(f"fill/exact_scalar/f32/n:{n}/d:512", 1, n=n)
    axes, caption = drawn(speed, sound(), b)
    exact = drawing.colour(1)
    line = next(c.lines[0] for c in axes.containers if c.lines[0].get_color() == exact)
    assert list(line.get_xdata()) == [4 * 512 * n for n in (100, 1000, 5000)]
    assert list(line.get_ydata()) == pytest.approx([40, 10, 20])  # of the family the fastest
    assert bars(axes)[exact] == [pytest.approx(e) for e in ((39.8, 40.2), (9.95, 10.05), (19.9, 20.1))]
    assert "with bars of half the interquartile range" in caption


def test_places(drawn):
    axes, _ = drawn(places, sound(), bench())
    line = axes.containers[0].lines[0]
    assert list(line.get_xdata()) == [256] and bars(axes)[drawing.colour(1)] == [pytest.approx((254.72, 257.28))]


def test_clock_and_threads():
    times = [8, 8, 8.4, 8.4, 8.8, 8.8]
    b = bench()
    b["benchmarks"] = [r for r in b["benchmarks"] if "clock" not in r["run_name"]]
    b["benchmarks"] += [{"run_name": "harness/clock/n:1/d:1", "run_type": "iteration", "cpu_time": t, "time_unit": "ns"}
                        for t in times]
    b["benchmarks"] += [r | {"real_time": r["cpu_time"]}
                        for name, ns in (("fill/exact_avx2/f32", 0.1), ("limit/store/w:32", 0.08))
                        for r in case(f"threads:2/{name}/n:5000/d:512/real_time", ns)]
    subject = Subject(sound(), b, "v.json")
    said = dict(conditions.facts(subject))["clock"]
    assert said.startswith("a fixed chain of operations took 8.4 \u00b1 0.3 ns, the slowest tenth of its repetitions at least "
                           "10.0 %")
    (_, (_, line), _), = thread_tables(subject.verified, subject.order)
    assert line[:5] == ["exact_avx2", "40.00", "0.20", "80.0 %", "0.6"]  # of what two threads' stores reach


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast():
    """Everything that is written in a colour of style.css can be read in both themes."""
    themes = [dict(re.findall(r"--([\w-]+): (#\w{6})", block))
              for block in re.findall(r":root \{(.*?)\}", (PAGE / "style.css").read_text(), re.S)]
    assert len(themes) == 2
    for theme in themes:
        for name in ["ink", "soft", "link", "alert", *(f"c{i}" for i in range(9))]:
            low, high = sorted((luminance(theme[name]), luminance(theme["alert-paper" if name == "alert" else "paper"])))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (name, theme[name])
