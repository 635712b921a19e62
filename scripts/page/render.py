"""What pages are made of, and how one is written: Jinja2 templates with everything escaped but our own pictures, style.css
inlined, and the file renamed into place when it is whole."""
import dataclasses
import os
import pathlib
import tempfile

import jinja2
import markupsafe

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Table:
    """Rows of cells: texts, or pairs of a value and what stands after its +-. The first column names the row; the columns
    numbered in text are aligned left; marks gives rows by name a class of style.css; folded is the line to open it by."""
    caption: str
    head: list
    rows: list
    text: tuple = ()
    note: str = ""
    folded: str = ""
    marks: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Picture:
    """The same thing drawn for wide windows and for narrow ones."""
    wide: markupsafe.Markup
    narrow: markupsafe.Markup
    caption: str


def environment():
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True,
                             undefined=jinja2.StrictUndefined)
    env.globals["style"] = markupsafe.Markup((HERE / "style.css").read_text(encoding="utf-8"))
    env.globals["warnings"] = []
    return env


def page(template, **values):
    return environment().get_template(template).render(**values)


def write(path, text):
    """The file is the old one or the new one, never a part."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n", errors="backslashreplace") as f:
            f.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
