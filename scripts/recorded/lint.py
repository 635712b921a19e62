"""What looks measured in a template's own text: its place is docs/recorded, and an expression in the template."""
import re

import jinja2
from jinja2 import nodes

EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
CODE = re.compile(r"``.*?``|`[^`\n]*`")
NUMBER = r"(?<![\w.^/~<>=-])-?\d+(?:,\d{3})*(?:\.\d+)?(?:\s+(?:to|or|and)\s+\d+(?:\.\d+)?)?"
UNIT = (r"(?:[KMGT]i?B(?:/s)?|bytes/s|ns|us|ms|s|min|(?:micro|milli|nano)?seconds?|minutes?|hours?|%|per\s?cent|times|times/s|"
        r"[GM]?Hz|ULPs?|ulps?|rad|cycles|x(?!\s*\d|\s*[a-z_`]))(?![\w(])")
LOOKS = (re.compile(NUMBER + r"[\s-]?" + UNIT), re.compile(r"±\s*\d"), re.compile(r"(?<![\w.])\d+(?:\.\d+)?e[+-]?\d+\b"))
DECIMAL = re.compile(r"(?<![\w.^])\d+\.\d+(?![\w.]*\.\d)(?!\w)")
FENCE = re.compile(r"^\s*```")


def masked(source):
    """With the same lines, and nothing where templates compute."""
    return EXPRESSION.sub(lambda m: re.sub(r"[^\n]", "\0", m[0]), source)


def numbers(source, budget=False):
    """(line, what looks measured); budget: the tables are checked by scripts/error-budget."""
    fenced = False
    for number, line in enumerate(masked(source).splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
            continue
        if budget and line.startswith("|"):
            continue
        found = [m[0] for pattern in LOOKS for m in pattern.finditer(line)]
        if not fenced and not line.startswith("    "):
            found += [m[0] for m in DECIMAL.finditer(CODE.sub(lambda m: "\0" * len(m[0]), line))]
        if found:
            yield number, max(found, key=len)


def constants(source):
    """(line, literal) that an expression prints without computing anything of it."""
    for output in jinja2.Environment().parse(source).find_all(nodes.Output):
        for node in output.nodes:
            inner = node
            while isinstance(inner, nodes.Filter):
                inner = inner.node
            named = any(isinstance(n, (nodes.Name, nodes.Call)) for n in [inner, *inner.find_all((nodes.Name, nodes.Call))])
            if not isinstance(inner, nodes.TemplateData) and not named:
                yield inner.lineno, "an expression of literals"


def complaints(path, source, budget=False):
    """One line each: file, line and number."""
    try:
        literals = [*constants(source)]
    except jinja2.TemplateSyntaxError as e:
        yield f"{path}:{e.lineno}: {e.message}"
        return
    for line, what in [*numbers(source, budget), *literals]:
        yield (f"{path}:{line}: '{what}' looks measured and is written by hand: let it be computed of docs/recorded, or name its "
               "source by stated() or promised()")
