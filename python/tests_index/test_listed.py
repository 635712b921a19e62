"""replace_rotary replaces or lists what computes sines and cosines of positions, in all of transformers and diffusers.

The sources tell which classes do: a class whose code, or a function that it calls, computes both."""

import ast
import importlib
import os

import pytest
from torch import nn

from posenc.torch import replace_rotary

#: Methods that fill the weights of a model, perhaps with a table. It is then a buffer or parameter, which `audit` finds.
FILL = {"_init_weights", "initialize_weights"}


def calls(node):
    """The functions that the code calls by their names, and the names of methods, which begin with a dot."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            yield "." + each.func.attr.rstrip("_")
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            yield each.func.id


def sources(package):
    """Module and tree of each file."""
    root = importlib.import_module(package).__path__[0]
    for folder, _, files in os.walk(root):
        for file in sorted(files):
            if file.endswith(".py") and not file.startswith(("modular_", "test")):
                path = os.path.join(folder, file)
                with open(path, encoding="utf-8") as text:
                    module = os.path.relpath(path, os.path.dirname(root))[:-3].replace(os.sep, ".")
                    yield module.removesuffix(".__init__"), ast.parse(text.read())


class File:
    """The functions and classes of a file, each with the names that it calls."""

    def __init__(self, tree):
        self.functions = {node.name: {*calls(node)} for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.classes = {
            node.name: {name for part in node.body if getattr(part, "name", "") not in FILL for name in calls(part)}
            for node in tree.body
            if isinstance(node, ast.ClassDef)
        }
        imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
        self.imported = {alias.name for node in imports for alias in node.names}
        self.of_sines = set()  #: the names of its functions that compute sines and cosines

    def computes(self, called, everywhere):
        known = called & self.of_sines or called & self.imported & everywhere
        return bool({".sin", ".cos"} <= called or ".polar" in called or known)


def classes_of_sines(package):
    """Module and name of each class in the package that computes sines and cosines."""
    files = {module: File(tree) for module, tree in sources(package)}
    everywhere, before = set(), -1
    while len(everywhere) > before:  # functions that call such functions
        before = len(everywhere)
        for file in files.values():
            file.of_sines = {name for name, called in file.functions.items() if file.computes(called, everywhere)}
            everywhere |= file.of_sines
    for module, file in files.items():
        yield from ((module, name) for name, called in file.classes.items() if file.computes(called, everywhere))


def without_init(cls):
    """An instance that no __init__ has set up, which suffices to be listed."""
    instance = cls.__new__(cls)
    if isinstance(instance, nn.Module):
        nn.Module.__init__(instance)
    return instance


@pytest.mark.parametrize("package, least", [("transformers", 300), ("diffusers", 150)])
def test_every_class_is_listed(package, least):
    """It cannot be replaced, because it has no attributes."""
    pytest.importorskip(package)
    count, missing = 0, []
    for module, name in classes_of_sines(package):
        try:
            cls = getattr(importlib.import_module(module), name)
        except ImportError:  # the file needs another package
            continue
        model = nn.Module()
        model.one = without_init(cls)
        count += 1
        missing += [] if replace_rotary(model).left.keys() == {"one"} else [f"{module}.{name}"]
    assert missing == [] and count > least
