"""One row, random positions, a fresh table: what is asked for where there is no table to fill."""
from drawing import RULE, SUPERSCRIPTS, axes_at, both, colour, label, log_axis, marker, pixels, plain, text_size, wrapped
from further import kinds_like
from words import bar, listed, medians, pm, with_spread


def panels(subject):
    """[(what a row is, {name: Row}, its columns)] of what was run at random positions."""
    rows = subject.verified[subject.offset]
    kinds = [(kind, f"one row, below position {power_of_two(int(kind.split(':')[1]))}")
             for kind in kinds_like(r"row/below:(\d+)", rows)] + [("fill_at", "one of {n} rows in a call")]
    found = []
    for kind, title in kinds:
        for n, d in sorted({k[2:] for k in rows if k[0] == kind}):
            found.append((title.format(n=n, d=d), {k[1]: r for k, r in rows.items() if k[0] == kind and k[2:] == (n, d)}, d))
    return found


def power_of_two(value):
    return "2" + str(value.bit_length() - 1).translate(SUPERSCRIPTS) if value & (value - 1) == 0 else str(value)


def picture(subject):
    shown = panels(subject)
    if not shown:
        return None
    names = sorted({n for _, rows, _ in shown for n in rows},
                   key=lambda n: min(rows[n].ns * d for _, rows, d in shown if n in rows))
    every = [rows[n].ns * d for _, rows, d in shown for n in rows]

    def draw(figure, narrow):
        size = 11 if narrow else 12
        width, height = figure.get_size_inches() * 72
        left = max(text_size(n, size)[0] for n in names) + 8
        across = 1 if narrow else len(shown)
        wide = (width - left - 12 - 24 * (across - 1)) / across
        high = (height - (68 * len(shown) if narrow else 76)) / (len(shown) if narrow else 1)
        for i, (title, rows, d) in enumerate(shown):
            x, top = (left, 26 + i * (high + 68)) if narrow else (left + i * (wide + 24), 40)
            axes = axes_at(figure, x, height - top - high, width - x - wide, top)
            log_axis(axes.xaxis, min(every) / 1.5, max(every) * 1.5, plain, [m * 10.0 ** e for e in range(-1, 8) for m in (1, 3)])
            axes.set(ylim=(len(names) - 0.4, -0.6))
            axes.spines["left"].set_visible(False)
            axes.set_yticks(range(len(names)), names if narrow or i == 0 else [""] * len(names))
            axes.tick_params(axis="y", length=0)
            axes.grid(axis="x")
            axes.set_xlabel("ns per row", labelpad=1)
            for y, name in enumerate(names):
                axes.axhline(y, color=RULE, linewidth=0.8, zorder=0)
                if name in rows:
                    index, ns = subject.index[subject.families[name]], rows[name].ns * d
                    axes.errorbar(ns, y, xerr=bar(ns, rows[name].spread) or None, color=colour(index), marker=marker(index),
                                  markersize=5, elinewidth=1)
            edge, above = pixels(axes, axes.get_xlim()[0], -0.6)
            label(axes, 0 if narrow else edge, above + 4, title if narrow else wrapped(title.split(" "), wide, size, ""),
                  va="bottom")
    caption = (f"Time per row of {listed(sorted({str(d) for *_, d in shown}))} columns at random positions; logarithmic. One "
               f"row: posenc_fill of one row after the other, into memory that stays in L1, as a decoder asks; in a call: "
               f"posenc_fill_at, below position 2²⁰. {medians(subject.rows, 'with bars of').capitalize()}.")
    rows = len(names) * 19
    return both("places", answer(subject), caption, draw, (rows + 76, (rows + 68) * len(shown)))


def answer(subject):
    """The one sentence."""
    shown, parts = panels(subject), []
    ran = [n for n in subject.judged() if shown and n in shown[0][1]]
    name = subject.best() or min((n for n in ran if subject.ulp(n) <= 1), key=lambda n: shown[0][1][n].ns, default=None)
    for title, rows, d in shown:
        if name in rows:
            ns = rows[name].ns * d
            parts.append(f"{pm(with_spread(ns, rows[name].spread, 0 if ns >= 100 else 1 if ns >= 10 else 2))} ns for {title}")
    text = f"{name} takes {listed(parts)}" if parts else ""
    fresh = {k[1]: (k, r) for k, r in subject.rows.items() if k[0] == "fresh"}
    if {"malloc_fill", "table_create"} <= set(fresh):
        (key, made), (_, plainly) = fresh["table_create"], fresh["malloc_fill"]
        ratio, spread = made.share_of(plainly)
        text += (f"{'; ' if text else ''}a table of {key[2]} × {key[3]} in fresh memory is made "
                 f"{pm(with_spread(ratio, spread and spread / ratio, 2))} times as fast by posenc_table_create as by malloc "
                 f"and posenc_fill")
    return f"{text[0].upper() if not parts else text[0]}{text[1:]}." if text else "Not measured in this run."
