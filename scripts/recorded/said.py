"""What templates may say beside figures: facts that nobody measured, with their source; claims; parts of examples."""
import re
import textwrap

import jinja2

from store import TOP

# Sources outside of the tree that templates may name, besides those with an address.
WORKS = ("SLEEF's documentation of Sleef_sincosf16_u35", "the page size of the architectures")
ADDRESS = re.compile(r"https?://\S+")
OPEN = re.compile(r"^\s*(?:/\*|//|#|<!--)\s*\[part: ([\w-]+)\]")
CLOSE = re.compile(r"^\s*(?:/\*|//|#|<!--)\s*\[end: ([\w-]+)\]")


class Untrue(jinja2.TemplateRuntimeError):
    """What a page would say does not hold."""


def plain(text):
    """Without line breaks and the marks that comments begin lines with."""
    return " ".join(re.sub(r"^\s*(\*|#|//)(?=\s)", "", text, flags=re.M).split())


def stands(text, there):
    """As words and numbers of their own: 0.03 does not stand in 0.035, nor 61 ULP in 0.61 ULP."""
    return re.search(rf"(?<![\w.]){re.escape(plain(text))}(?!\w|\.\d)", plain(there)) is not None


def stated(text, source, find=None):
    """A fact of the source: a file of this tree in which it stands (or `find` does), or a work elsewhere, named."""
    if source in WORKS or ADDRESS.fullmatch(source):
        return text
    if not re.fullmatch(r"[\w./-]+", source):
        raise Untrue(f"'{source}', the source of '{text}', is neither a file of the tree, nor an address, nor one of WORKS in "
                     "scripts/recorded/said.py")
    path = TOP / source
    if not path.is_file():
        raise Untrue(f"{source}, the source of '{text}', is no file of the tree")
    if not stands(find or text, path.read_text(encoding="utf-8")):
        raise Untrue(f"'{find or text}' does not stand in {source}")
    return text


def promised(text, path):
    """What the header or another file of the tree promises, in its words."""
    if not re.fullmatch(r"[\w./-]+", path):
        raise Untrue(f"'{path}' is no path of a file that promises '{text}'")
    return stated(text, path)


def derived(value, why):
    """A number that follows from definitions; why says how."""
    if not why:
        raise Untrue(f"{value} is derived from nothing")
    return value


def claim(holds, what="a claim of this page"):
    """Nothing, if it holds: it stands beside the sentence that it is about."""
    if not holds:
        raise Untrue(f"the recorded runs do not show that {what}")
    return ""


def example(name, part=None):
    """That part of a file of examples/, without its marker lines and the indentation that its lines have in common."""
    path = TOP / "examples" / name
    if not path.is_file():
        raise Untrue(f"examples/{name} is no file")
    inside, lines = part is None, []
    for line in path.read_text(encoding="utf-8").splitlines():
        begins, ends = OPEN.match(line), CLOSE.match(line)
        if begins and begins[1] == part:
            inside = True
        elif ends and ends[1] == part:
            break
        elif inside and not begins and not ends:
            lines.append(line)
    else:
        if part is not None:
            raise Untrue(f"examples/{name} has no part [part: {part}] ... [end: {part}]")
    return textwrap.dedent("\n".join(lines)).strip("\n")


def fixed(value, digits=0):
    return f"{value:.{digits}f}"


def general(value):
    return f"{value:g}"


def percent(value, digits=0):
    return f"{100 * value:.{digits}f} %"


def rough(value):
    """3e-8: one digit."""
    return re.sub(r"e([+-])0*", lambda m: "e" + m[1].replace("+", ""), f"{value:.0e}")


def grouped(value):
    return f"{value:,}"


def elapsed(seconds):
    """3 min 21 s"""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return " ".join(f"{n} {unit}" for n, unit in ((hours, "h"), (minutes, "min"), (rest, "s")) if n) or "0 s"


GLOBALS = {"stated": stated, "promised": promised, "derived": derived, "claim": claim, "example": example}
FILTERS = {"f": fixed, "g": general, "percent": percent, "rough": rough, "grouped": grouped, "elapsed": elapsed}
