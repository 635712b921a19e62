"""How is the error distributed? Units in the last place, in bands."""
from drawing import BANDS, INK, SOFT, axes_at, both, label, pixels, ramp, text_size
from render import Table
from words import error, listed, share, ulps


def picture(subject):
    names = [n for n in subject.judged() if subject.bands(n)]
    edges = subject.verify.get("ulp_band_edges")
    fine = bool(names) and bool(edges) and len(edges) + 1 <= len(BANDS)
    counts = {n: subject.bands(n) for n in names} if fine else {
        n: (c, of - c) for n in subject.judged() for c, of in [subject.correct(n)]}
    if not counts:
        return None
    texts = [f"≤ {edges[0]:g}", *(f"{e:g}" for e in edges[1:]), "more"] if fine else ["correct", "not"]

    def draw(figure, narrow):
        size = 11 if narrow else 12
        names = list(counts)
        left, right = max(text_size(n, size)[0] for n in names) + 8, text_size("99.9999 %", size)[0] + 8
        axes = axes_at(figure, left, 26, right, 70 if narrow else 62)
        axes.set(xlim=(0, 100), ylim=(len(names) - 0.5, -0.5))
        axes.spines[:].set_visible(False)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.set_xticks([0, 25, 50, 75, 100], ["0", "25", "50", "75", "100 %"])
        for y, name in enumerate(names):
            done, of = 0.0, sum(counts[name])
            for i, count in enumerate(counts[name]):
                if count:
                    axes.barh(y, 100 * count / of, 0.72, done, facecolor=BANDS[i], edgecolor=SOFT, linewidth=0.5)
                    done += 100 * count / of
            edge, middle = pixels(axes, 100, y)
            label(axes, edge + right - 2, middle, share(*subject.correct(name)), ha="right", color=INK)
        width, height = figure.get_size_inches() * 72
        label(axes, width - 2, height - (62 if narrow else 54), "correct", ha="right", color=SOFT)
        ramp(figure, texts, "error in ULP, share of the outputs")
    total = {subject.correct(n)[1] for n in counts}
    what = ("Bands of the error, in units in the last place (ULP)" if fine else
            "This report has no bands of the error; shown is what is correctly rounded")
    caption = (f"{subject.table_name()}, {subject.reach()}, {max(total):,} outputs of each implementation compared with "
               f"{subject.reference()}. {what}; right: the share that is correctly rounded, the number of the format nearest to "
               f"the real value.")
    return both("ulps", rounded(subject), caption, draw, (len(counts) * 20 + 92, len(counts) * 20 + 100))


def rounded(subject):
    """The one sentence."""
    shares = {n: subject.correct(n) for n in subject.judged()}
    if not shares:
        return "Nothing was judged."
    whole = [n for n, (c, of) in shares.items() if c == of]
    parts = []
    if whole:
        parts.append(f"{listed(subject.call(whole))} {'is' if len(subject.call(whole)) == 1 else 'are'} correctly rounded in "
                     f"every one of the {shares[whole[0]][1]:,} outputs compared")
    rest = sorted((n for n in shares if n not in whole), key=lambda n: shares[n][0] / shares[n][1])
    if rest:
        worst, best = rest[0], rest[-1]
        low = "" if worst == best else f" to {share(*shares[worst])} ({worst})"
        parts.append(f"of the others' outputs, {share(*shares[best])} ({best}){low} are" if parts else
                     f"of the outputs, {share(*shares[best])} ({best}){low} are correctly rounded")
    return "; ".join(parts) + "."


def table(subject):
    edges = subject.verify.get("ulp_band_edges") or []
    with_bands = bool(edges) and all(subject.bands(n) for n in subject.judged())
    head = ["implementation", "correctly rounded", "median ULP", "99 % within", "max ULP", "max |error|", "bound, stated"]
    head += ["> %g ULP" % e for e in edges] if with_bands else []
    rows = []
    for n in subject.judged():
        bands, bound = subject.bands(n), subject.entries[n].get("bound", {})
        more = [str(sum(bands[i + 1:])) for i in range(len(edges))] if with_bands else []
        rows.append([n, share(*subject.correct(n)), *(ulps(subject.ulp(n, k)) for k in ("ulp_p50", "ulp_p99", "ulp_max")),
                     error(subject.error(n)), f"{bound.get('law', '?')} ({bound.get('evidence', '?')})", *more])
    caption = (f"{subject.table_name()}, {subject.reach()}; median and 99 % are the largest of its ranges'; > ULP: how many "
               f"outputs are further off")
    return Table(caption, head, rows, text=(6,), folded="The numbers, and the bounds that were held")
