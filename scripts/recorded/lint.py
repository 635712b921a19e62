"""What looks measured in a template's own text: its place is docs/recorded, and an expression in the template."""
import re

import jinja2
from jinja2 import nodes

EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
CODE = re.compile(r"``.*?``|`[^`\n]*`")
NUMBER = r"(?<![\w.^/~<>=-])-?\d+(?:,\d{3})*(?:\.\d+)?(?:\s+(?:to|or|and)\s+\d+(?:\.\d+)?)?"
UNIT = (r"(?:[KMGT]i?B(?:/s)?|bytes(?:/s)?|[KMGT]?FLOPS?(?:/s)?|ns|us|ms|s|min|h|"
        r"(?:micro|milli|nano)?seconds?|minutes?|hours?|%|per\s?cent|times|times/s|"
        r"[GM]?Hz|ULPs?|ulps?|rad|cycles|x(?!\s*\d|\s*[a-z_`])|x(?=\s+(?:faster|slower|as\b)))(?![\w(])")
LOOKS = (re.compile(NUMBER + r"[\s-]?" + UNIT), re.compile(NUMBER + r"x\b"), re.compile(r"±\s*\d"),
         re.compile(r"(?<![\w.])\d+(?:\.\d+)?e[+-]?\d+\b"))
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
        if not fenced:
            found += [m[0] for m in DECIMAL.finditer(CODE.sub(lambda m: "\0" * len(m[0]), line))]
        if found:
            yield number, max(found, key=len)


def unfiltered(node):
    while isinstance(node, nodes.Filter):
        node = node.node
    return node


def literal(node):
    """It is computed of nothing."""
    node = unfiltered(node)
    return not isinstance(node, (nodes.Name, nodes.Call)) and node.find((nodes.Name, nodes.Call)) is None


def measured_words(node):
    """(line, text) of strings with what looks measured, but for what is given to stated(), claim() and their like."""
    if isinstance(node, nodes.Const) and isinstance(node.value, str) and (found := list(numbers(node.value))):
        yield node.lineno, found[0][1]
    if not isinstance(node, nodes.Call):
        for inner in node.iter_child_nodes():
            yield from measured_words(inner)


def given_names(tree):
    """Names that stand for literals; and (line, text) of decimals among these. Whole numbers choose a record: 131072, 1024."""
    names, decimals = set(), []
    for node in tree.find_all((nodes.Assign, nodes.For)):
        value = node.node if isinstance(node, nodes.Assign) else node.iter
        values = value.items if isinstance(value, (nodes.Tuple, nodes.List)) and isinstance(node, nodes.Assign) else [value]
        for part in values:
            decimals += [(c.lineno, f"{c.value:g}") for c in [part, *part.find_all(nodes.Const)]
                         if literal(part) and isinstance(c, nodes.Const) and isinstance(c.value, float)]
        if literal(value):
            names |= {n.name for n in [node.target, *node.target.find_all(nodes.Name)] if isinstance(n, nodes.Name)}
    return names, decimals


def constants(source):
    """(line, what is wrong) of literals in expressions that come to be printed."""
    tree = jinja2.Environment().parse(source)
    names, decimals = given_names(tree)
    yield from decimals
    for node in tree.find_all((nodes.Output, nodes.Assign, nodes.For)):
        parts = node.nodes if isinstance(node, nodes.Output) else [node.node if isinstance(node, nodes.Assign) else node.iter]
        for part, after in zip(parts, [*parts[1:], None]):
            if isinstance(part, nodes.TemplateData):
                continue
            found = list(measured_words(part))
            yield from found
            if not isinstance(node, nodes.Output) or found:
                continue
            if literal(part):
                yield part.lineno, "an expression of literals"
            elif getattr(unfiltered(part), "name", None) in names and isinstance(after, nodes.TemplateData):
                # As if the name were a number, and what comes next too: 5000 x 512 has no unit.
                line, end, _ = after.data.partition("\n")
                if any(pattern.match("1" + line + ("" if end else " 0")) for pattern in LOOKS):
                    yield part.lineno, f"{unfiltered(part).name}, which a template sets,{line[:12]}"


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
