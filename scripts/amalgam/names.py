"""What a piece of C declares at file scope. No parser of C: it knows the declarations that begin at the margin, in the style that
clang-format keeps, and what it misses does not compile."""
import re

HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)\s*")
#: Functions and macros that stand for one, tags, names behind a body, types in a line, and variables.
DECLARED = [
    re.compile(pattern, re.M)
    for pattern in (
        r"^(?!typedef)\w[\w *]*[ *](\w+)\(",
        r"^[A-Z_]+\(([a-z]\w+)[,)]",
        r"^(?:typedef |static const )?(?:struct|union|enum) (\w+) \{",
        r"^(?:typedef [^\n]*)?\} (\w+)",
        r"^(?:__extension__ )?typedef [^({]*?(\w+)(?:\[[^;]*\]|\([^;]*\))?;",
        r"^(?:static|extern|const) (?:[^(=;\n]*, )?[^(=;\n]*?(\w+)(?:\[[^\n=;]*\])?(?: =|;)",
    )
]
ENUMERATORS = re.compile(r"^(?:typedef )?enum[^{;]*\{([^}]*)\}", re.M)
#: Functions, then variables, that files of the library share: none is static.
SHARED = re.compile(
    rf"^((?:{ATTRIBUTE.pattern})?)(?!static|typedef|struct|union|enum)(?:extern )?([a-z][\w *]*[ *](\w+)(\(?))", re.M
)


def code_of(text):
    """The text without comments, strings, directives and attributes."""
    return ATTRIBUTE.sub("", DIRECTIVE.sub("", HIDDEN.sub("", text)))


def macros(text):
    """Names that the text defines by #define, each once."""
    return list(dict.fromkeys(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", HIDDEN.sub("", text), re.M)))


def words(text):
    return set(re.findall(r"[A-Za-z_]\w*", code_of(text)))


def declared(text):
    """All names, each once."""
    code = code_of(text)
    names = [name for pattern in DECLARED for name in pattern.findall(code)]
    names += [name for body in ENUMERATORS.findall(code) for name in re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", body)]
    return list(dict.fromkeys(names))
