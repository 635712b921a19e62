"""The tables of what posenc-bench measures beside fills of the paper's table in float32: other dtypes, the conventions of
presets, and sums; for scripts/summary and scripts/report.

Other dtypes are held against stores of as many bytes, presets against those of the same table, and sums against a plain loop,
out = x + c, over the same arrays.
"""
from further import Cases, percent, show, speed, speeds, times
from results import PLAIN_LOOP, SIZES, best_limit

LONG_NAMES = {"bf16": "bfloat16", "f16": "float16", "f64": "float64"}
CALLS = {"fill": "", "fill_pair": ", in two arrays", "fill_at_real": ", random real positions"}


def sizes_of(rows, kind):
    return sorted({key[2:] for key in rows if key[0] == kind}, key=lambda s: s[0] * s[1])


def limits_of(dtype):
    return tuple(f"{kind}/{dtype}" for kind in ("store", "stream"))


def dtype_tables(places, order):
    first = next(iter(places.values()))
    for dtype, name in LONG_NAMES.items():
        for shape in sizes_of(first, f"fill/{dtype}"):
            title = f"fill, {name}, {shape[0]} x {shape[1]}; x float32: elements per second relative to float32"
            yield from speeds(title, places, f"fill/{dtype}", shape, order, limits=limits_of(dtype),
                              extra=("x float32", lambda n, row, s=shape: times(row, first.get(("fill", n, *s)))))


def preset_tables(places, order):
    first = next(iter(places.values()))
    for kind in dict.fromkeys(key[0] for key in first):
        call, *preset = kind.split("/")
        if call not in CALLS or len(preset) != 1 or preset[0] in SIZES:
            continue
        for shape in sizes_of(first, kind):
            title = f"{call}, preset {preset[0]}, {shape[0]} x {shape[1]}{CALLS[call]}"
            yield from speeds(f"{title}; x paper: speed relative to the paper's table", places, kind, shape, order,
                              extra=("x paper", lambda n, row, s=shape: times(row, first.get(("fill", n, *s)))))


def sums_of(rows):
    """[(kind, (n, d), what it is called)] without those in place, in the order of the arrays' sizes."""
    found = {}
    for kind, _, *shape in rows:
        parts = [part for part in kind.split("/") if part != "in_place"]
        if parts[0] == "add":
            sizes = [int(part[2:]) for part in parts[1:]] + shape
            found["/".join(parts), *shape] = sizes
    in_order = sorted(found.items(), key=lambda f: (len(f[1]), f[1]))
    return [(kind, tuple(shape), " x ".join(map(str, sizes))) for (kind, *shape), sizes in in_order]


def sum_tables(places, order):
    for kind, shape, size in sums_of(next(iter(places.values()))):
        plain, in_place = Cases(places, kind, shape), Cases(places, f"{kind}/in_place", shape)
        heading, known = ["implementation"], []
        for what, cases in (("", plain), ("in place ", in_place)):
            heading += [f"{what}GB/s", "+-"] + [h for o in places for h in (f"x plain loop at {o}", "+-")]
            loops = [f"{at[PLAIN_LOOP].gb_s:.1f} GB/s at {o}" for o, at in cases.at.items() if PLAIN_LOOP in at]
            known += [what + ", ".join(loops)] if loops else []
        names = dict.fromkeys([*plain.names(), *in_place.names()])
        lines = [heading]
        for name in [n for n in names if n != PLAIN_LOOP]:
            line = [name]
            for cases in (plain, in_place):
                line += speed(cases.rows[name]) if name in cases.rows else ["-", "-"]
                line += [c for at in cases.at.values() for c in times(at.get(name), at.get(PLAIN_LOOP))]
            lines.append(line)
        if len(lines) > 1:
            yield (f"add, {size}; GB/s of sums; plain loop, out = x + c over the same arrays: "
                   f"{'; '.join(known) or 'not measured'}", lines, "")


def print_others(places, order):
    for tables in (dtype_tables, preset_tables, sum_tables):
        show(tables(places, order))


def fastest(cases, compared):
    """The two fastest and how they compare."""
    names = [n for n in cases.names() if n != PLAIN_LOOP]
    return ", ".join(f"{n} {compared(cases.rows[n])}" for n in names[:2])


def sentences(places):
    """[(what, figures)] of sums and bfloat16, for the README."""
    offset, rows = next(iter(places.items()))
    first, sums, dtypes = {offset: rows}, [], []
    for kind, shape, size in sums_of(rows):
        loop = rows.get((kind, PLAIN_LOOP, *shape))
        if loop:
            sums.append(f"{size}: " + fastest(Cases(first, kind, shape), lambda row, by=loop: times(row, by)[0]))
    for shape in sizes_of(rows, "fill/bf16"):
        limit = best_limit(rows, shape, limits_of("bf16"))[1]
        dtypes.append(f"{shape[0]} x {shape[1]}: " + fastest(
            Cases(first, "fill/bf16", shape), lambda row, to=limit: f"{row.gb_s:.2f} GB/s, {percent(row, to)[0]} of the limit"))
    found = [("`posenc_add`, times the speed of a plain loop, out = x + c, over the same arrays", "; ".join(sums)),
             ("bfloat16", "; ".join(dtypes))]
    return [(what, figures) for what, figures in found if figures]
