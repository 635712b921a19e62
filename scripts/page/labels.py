"""Where labels go, so that none covers another: beside the ends of lines, and around points."""
import numpy as np


def spread(wanted, heights, low, high):
    """Middles of labels of these heights, as near as can be to the wanted ones, in their order, none covering another, and
    between low and high if there is room. Those too close are moved as one block (least squares, pooling neighbours)."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    offsets, top = [], 0.0  # of each middle, all labels being packed
    for i in order:
        offsets.append(top + heights[i] / 2)
        top += heights[i]
    blocks = []  # [mean of what is wanted of the first label, members]
    for i, offset in zip(order, offsets):
        blocks.append([wanted[i] - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (mean, members), (before, many) = blocks.pop(), blocks[-1]
            blocks[-1] = [(mean * members + before * many) / (members + many), members + many]
    starts = [max(low, min(mean, high - top)) for mean, members in blocks for _ in range(members)]
    placed = [0.0] * len(wanted)
    for i, offset, first in zip(order, offsets, starts):
        placed[i] = first + offset
    return placed


def around(points, sizes, frame, obstacles=(), radius=6.0):
    """For each point the left bottom corner of a label of that size: within the frame, off the points, the obstacles (boxes) and
    the other labels, no line to a point crossing another or a label, and as near as can be; everything in pixels. One label after
    the other takes its best place, the others being where they are, until none moves."""
    points = np.asarray(points, float)
    dots = np.concatenate([points - radius, points + radius], axis=1)
    solid = np.concatenate([dots, np.asarray(obstacles, float).reshape(-1, 4)])
    choices = [candidates(p, s, frame, radius) for p, s in zip(points, sizes)]
    costs = []
    for point, boxes in zip(points, choices):
        far = np.hypot(*(nearest(point, boxes) - point).T)
        costs.append(10 * overlaps(boxes, solid) + far * (1 + far / 60))
    chosen = np.array([boxes[np.argmin(cost)] for boxes, cost in zip(choices, costs)])
    for _ in range(20):
        before = chosen.copy()
        for i, boxes in enumerate(choices):
            others = np.arange(len(points)) != i
            chosen[i] = boxes[np.argmin(costs[i] + crowded(points[i], boxes, points[others], chosen[others]))]
        if (chosen == before).all():
            break
    return [tuple(box[:2]) for box in chosen]


def candidates(point, size, frame, radius):
    """Boxes (left, bottom, right, top) in rings around the point."""
    (w, h), turns = size, np.arange(24) * np.pi / 12
    found = []
    for ring in radius + 1 + np.array([0, 5, 12, 20, 30, 42, 56, 72, 90, 110, 132, 156]):
        x, y = point[0] + ring * np.cos(turns), point[1] + ring * np.sin(turns)
        for part in (0, 0.25, 0.5, 0.75, 1):  # of the width that is left of that place
            bottom = np.where(np.sin(turns) > 0.3, y, np.where(np.sin(turns) < -0.3, y - h, y - h / 2))
            found.append(np.stack([x - part * w, bottom, x + (1 - part) * w, bottom + h], axis=1))
    boxes = np.concatenate(found)
    left, low, right, high = frame
    inside = boxes[(boxes[:, 0] >= left) & (boxes[:, 1] >= low) & (boxes[:, 2] <= right) & (boxes[:, 3] <= high)]
    return inside if len(inside) else np.array([[right - w, low, right, low + h]])


def nearest(point, boxes):
    """The place in each box that is nearest to the point: where a line to it ends."""
    return np.stack([np.clip(point[0], boxes[:, 0], boxes[:, 2]), np.clip(point[1], boxes[:, 1], boxes[:, 3])], axis=1)


def overlaps(boxes, others):
    """Of each box, the area that it shares with all of the others."""
    wide = np.minimum(boxes[:, None, 2], others[None, :, 2]) - np.maximum(boxes[:, None, 0], others[None, :, 0])
    high = np.minimum(boxes[:, None, 3], others[None, :, 3]) - np.maximum(boxes[:, None, 1], others[None, :, 1])
    return (wide.clip(0) * high.clip(0)).sum(axis=1)


def crowded(point, boxes, others, theirs):
    """What is wrong with each box, given the other points and their labels."""
    if not len(others):
        return 0.0
    roomy = boxes + np.array([-4, -1, 4, 1])
    ends = nearest(point, boxes)
    their_ends = np.array([nearest(o, t[None])[0] for o, t in zip(others, theirs)])
    start = np.broadcast_to(point, ends.shape)
    cost = 60 * overlaps(roomy, theirs)
    cost += 200 * crossings(start, ends, others, their_ends)
    for a, b in (((0, 1), (2, 3)), ((0, 3), (2, 1))):  # of a box, its diagonals will do
        cost += 200 * crossings(start, ends, theirs[:, a], theirs[:, b])
        cost += 200 * crossings(boxes[:, a], boxes[:, b], others, their_ends)
    return cost


def crossings(a, b, c, d):
    """Of each line a-b, how many of the lines c-d it crosses."""
    def side(p, q, r):
        return (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
    a, b, c, d = a[:, None], b[:, None], c[None], d[None]
    return ((side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)).sum(axis=1)
