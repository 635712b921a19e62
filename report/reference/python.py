"""What `posenc` and `posenc.torch` have in __all__, as Markdown: signatures and docstrings, read without an import."""

import ast
import copy
import textwrap

from ..load import TOP
from . import filled, headed, prose


def parsed(module):
    source = (TOP / f"python/posenc/{module}.py").read_text(encoding="utf-8")
    return ast.parse(source).body, source.splitlines()


def found(module, name):
    """The definition of a name that a module of the package has, the lines of the file it stands in, and its module."""
    body, lines = parsed(module)
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.level and node.module and name in [a.name for a in node.names]:
            return found("/".join(module.split("/")[: -node.level] + [node.module]), name)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return node, lines, module
    return None, [], module


def signature(name, node):
    """Without types, which the text tells."""
    arguments = copy.deepcopy(node.args)
    arguments.args = [a for a in arguments.args if a.arg != "self"]
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg):
            each.annotation = None
    line = f"{name}({ast.unparse(arguments)})"
    lines = textwrap.wrap(line, 100, subsequent_indent=" " * (len(name) + 1), break_on_hyphens=False)
    return "```python\n" + "\n".join(lines) + "\n```"


def fields(node, lines, links):
    """Of a class, a list of them, with the comments beside them."""
    about = [(n.target.id, lines[n.lineno - 1].partition("#: ")[2]) for n in node.body if isinstance(n, ast.AnnAssign)]
    about = [(field, said) for field, said in about if field[0] != "_"]
    return "\n".join(f"- `{field}`" + (f": {filled([said], links)}" if said else "") for field, said in about)


def entry(of, links):
    """A function, or a class with its fields and methods, and those it has from a class of the package without a heading."""
    module, package, name = of
    links = links | {name.rpartition(".")[2]: at for name, at in links.items() if name.rpartition(".")[0] == package}
    node, lines, module = found(module, name)
    said = prose(ast.get_docstring(node), links)
    if isinstance(node, ast.FunctionDef):
        return [signature(f"{package}.{name}", node), said]
    classes = [node]
    while isinstance(base := (classes[-1].bases or [None])[0], ast.Name) and base.id not in links:
        of, _, module = found(module, base.id)
        if not of:
            break
        classes.append(of)
    methods = {m.name: m for c in classes[::-1] for m in c.body if isinstance(m, ast.FunctionDef)}
    out = [signature(f"{package}.{name}", methods["__init__"])] if "__init__" in methods else []
    out += filter(None, [said, fields(node, lines, links)])
    for method in methods.values():
        if not method.name.startswith("_") and ast.get_docstring(method):
            out += [signature(f".{method.name}", method), prose(ast.get_docstring(method), links)]
    return out


def python():
    sections = []
    for module, package in ("__init__", "posenc"), ("torch/__init__", "posenc.torch"):
        (names,) = [ast.literal_eval(n.value) for n in parsed(module)[0] if isinstance(n, ast.Assign)]
        entries = [([f"{package}.{name}"], (module, package, name)) for name in names if name[0] != "_"]
        sections.append((f"The module {package}", entries))
    return headed(sections, entry)
