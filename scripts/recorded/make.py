"""Pages from templates: which there are, and what they are made with."""
import subprocess

import jinja2

import store
from said import FILTERS, GLOBALS
from store import TOP

TEMPLATES = TOP / "docs/templates"
PEERS = TOP / "scripts/peers_results/peers.md.jinja"
ELSEWHERE = {"README.md": "README.md", "python-README.md": "python/README.md"}
BUDGET = "exact.md"  # its tables are checked by scripts/error-budget
NOTE = "<!-- Made by scripts/pages of {} and docs/recorded: change those. -->\n"


def page_of(path):
    return ELSEWHERE.get(path.name, f"docs/{path.name}")


def templates():
    """[(path, its text)]"""
    return [(path, path.read_text(encoding="utf-8")) for path in [*sorted(TEMPLATES.glob("*.md")), PEERS]]


def strangers():
    """Pages that nothing makes."""
    made = {page_of(path) for path in TEMPLATES.glob("*.md")} | {"docs/peers.md"}
    for path in sorted(TOP.glob("docs/*.md")):
        if (name := f"docs/{path.name}") not in made:
            yield f"{name} has no template docs/templates/{path.name}, so nothing keeps its numbers true"


def is_picture(name):
    return name.endswith(".svg")


def same_tool(svg):
    import drawn
    return drawn.same_tool(svg)


def tool():
    import drawn
    return drawn.TOOL


def summary():
    """The table and the picks of the README."""
    runs = store.path_of("verify"), store.path_of("bench")
    done = subprocess.run([TOP / "scripts/summary", "--markdown", *runs], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().removeprefix("summary: "))
    return done.stdout.strip()


def environment():
    """StrictUndefined: what is not there is an error and no gap in a page."""
    env = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), undefined=jinja2.StrictUndefined, trim_blocks=True,
                             lstrip_blocks=True, keep_trailing_newline=True, autoescape=False, extensions=["jinja2.ext.do"])
    env.globals |= GLOBALS
    env.filters |= FILTERS
    return env


def everything():
    """({page: its text}, [what is wrong])"""
    import drawn
    import peers_text
    import readme
    from figures import all_of_them
    env, made, wrong = environment(), {}, []
    picture = drawn.subject()
    env.globals |= all_of_them() | {"summary": summary, "alt": lambda: readme.words(picture)}
    for path in sorted(TEMPLATES.glob("*.md")):
        where = path.relative_to(TOP)
        try:
            made[page_of(path)] = NOTE.format(where) + env.get_template(path.name).render()
        except (jinja2.TemplateError, AttributeError, LookupError, TypeError, ValueError, StopIteration, RuntimeError) as e:
            wrong.append(f"{where}{line_of(e, path)}: {e or type(e).__name__}")
    made["docs/peers.md"] = peers_text.markdown(peers_text.read(store.path_of("peers")))
    made["docs/speed.svg"] = drawn.signed(readme.picture(picture))
    made["docs/error.svg"] = drawn.signed(drawn.error(store.recorded("error", "octaves")))
    return made, wrong


def line_of(error, path):
    """The line of the template in which it was raised."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return f":{error.lineno}"
    found, trace = None, error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            found = trace.tb_lineno
        trace = trace.tb_next
    return f":{found}" if found else ""


def write(path, text):
    from render import write as whole
    whole(path, text)
