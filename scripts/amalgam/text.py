"""posenc.c and posenc.h as texts.

The one file reads itself again for every row of the list, as CMake compiles the row's source once for each: a first part is what
all share, a second part is the kernels, whose names get the row's as a suffix by macros. So the text is there once, a debugger
shows the lines that run, and a breakpoint on one is a breakpoint in all instruction sets.
"""
import pathlib
import re

from names import SHARED, declared, macros, words

SKELETON = pathlib.Path(__file__).with_name("skeleton.c.in")
FEATURE = re.compile(r"^#define (_[A-Z]+_SOURCE)\b.*\n", re.M)
ARCHITECTURE = {"immintrin.h": "defined(__x86_64__)", "arm_neon.h": "defined(__aarch64__)"}  # whose headers these are

PASS = """#define POSENC_NAME {row.name}
#define POSENC_ISA {row.isa}
#define POSENC_VARIANT {row.variant}
#define POSENC_FILE_{stem}
#include POSENC_ITSELF
"""
TARGETED = """#ifdef __clang__
#pragma clang attribute push(__attribute__((target("{target}"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("{target}")
#endif
{lines}#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
"""
# GCC PR 106902, in GCC 12: its vectoriser of straight code takes a * b + c and d * e - f for one fused operation all the same.
PLAIN = """#ifndef __clang__ /* some GCCs fuse in here, without being allowed to, if -march offers it */
#pragma GCC push_options
#pragma GCC optimize("no-tree-slp-vectorize")
#endif
{lines}#ifndef __clang__
#pragma GCC pop_options
#endif
"""


def titled(piece, text):
    return f"/* ---- {piece.path} ---- */\n\n{text.strip()}\n"


def private(text, public):
    """What the library's files share, static here: nothing but the public functions is seen from outside."""
    text = re.sub(
        r"^( *)extern const posenc_kernel POSENC_CAT.*\n( *)const posenc_kernel",
        r"\1static const posenc_kernel",
        text,
        flags=re.M,
    )

    def hidden(match):
        attribute, rest, name, call = match.groups()
        return match[0] if name in public else attribute + ("POSENC_INTERNAL " if call else "static ") + rest

    return SHARED.sub(hidden, text)


def core(pieces, public):
    """The files without rows. A name that a file has for itself and others use too gets the file's as a prefix."""
    texts = []
    for piece in pieces:
        others = set().union(*(words(other.text) for other in pieces if other is not piece))
        stem = pathlib.Path(piece.path).stem
        own = [name for name in declared(piece.text) if name in others and not name.startswith(("posenc_", "big_"))]
        defines = "".join(f"#define {name} {stem}_{name}\n" for name in own)
        undefined = re.findall(r"^#undef (\w+)", piece.text, re.M)
        undefs = "".join(f"#undef {name}\n" for name in own + macros(piece.text) if name not in undefined)
        texts.append(titled(piece, f"{defines}\n{private(piece.text, public)}\n{undefs}"))
    return "\n".join(texts)


def lines_of(directive, names):
    return "".join(f"#{directive} {name}{f' POSENC_OWN({name})' if directive == 'define' else ''}\n" for name in names)


def rows_part(groups):
    """The second part: groups of pieces, each with the files of rows that want it."""
    text, names, defined = "", [], []
    for stems, pieces in groups:
        own = list(dict.fromkeys(name for piece in pieces for name in declared(piece.text)))
        condition = " || ".join(f"defined(POSENC_FILE_{stem})" for stem in stems)
        text += f"#if {condition}\n\n{lines_of('define', own)}\n"
        text += "\n".join(titled(piece, piece.text) for piece in pieces) + f"\n#endif /* {condition} */\n\n"
        names += own
        defined += [name for piece in pieces for name in macros(piece.text)]
    ends = dict.fromkeys(names + defined + [f"POSENC_FILE_{stem}" for stems, _ in groups for stem in stems])
    return text, lines_of("undef", list(ends) + ["POSENC_NAME", "POSENC_ISA", "POSENC_VARIANT"])


def passes(tree):
    """The rows, by instruction set."""
    text = ""
    for isa in dict.fromkeys(row.isa for row in tree.rows):
        for condition, target in tree.flags[isa].items():
            lines = "".join(
                PASS.format(row=row, stem=pathlib.Path(row.file).stem) for row in tree.rows if row.isa == isa
            )
            if target or not condition:
                lines = (TARGETED if target else PLAIN).format(target=target, lines=lines)
            text += f"#if {condition}\n{lines}#endif\n" if condition else lines
    return text


def written(tree):
    """The text of posenc.c."""
    system, seen, features, public = {}, set(), [], tree.public()
    shared, files = [], []
    for path in tree.core:
        *headers, file = tree.flatten(path, seen, system)
        features += FEATURE.findall(file.text)
        file.text = FEATURE.sub("", file.text)
        shared += headers
        files.append(file)
    by_users, order, special = {}, [], {}
    for path in dict.fromkeys(row.file for row in tree.rows):
        for piece in tree.flatten(path, set(seen), special):
            if piece.path not in by_users:
                by_users[piece.path] = []
                order.append(piece)
            by_users[piece.path].append(pathlib.Path(path).stem)
    groups = []
    for piece in order:
        if groups and groups[-1][0] == by_users[piece.path]:
            groups[-1][1].append(piece)
        else:
            groups.append((by_users[piece.path], [piece]))
    kernels, undefs = rows_part(groups)
    includes = "".join(f"#include <{name}>\n" for name in sorted({**system, **special}) if name not in ARCHITECTURE)
    for name, condition in ARCHITECTURE.items():
        includes += f"#if {condition}\n#include <{name}>\n#endif\n" if name in special else ""
    parts = {
        "VERSION": tree.version,
        "MAJOR": tree.version.split(".")[0],
        "MINOR": tree.version.split(".")[1],
        "PATCH": tree.version.split(".")[2],
        "LICENSE": tree.read("LICENSE").strip().replace("\n", "\n * ").replace(" * \n", " *\n"),
        "SUPPORTED": tree.supported,
        "FEATURES": "".join(f"#ifndef {name}\n#define {name}\n#endif\n" for name in dict.fromkeys(features)).rstrip(),
        "INCLUDES": includes.rstrip(),
        "SHARED": "\n".join(titled(piece, private(piece.text, public)) for piece in shared).rstrip(),
        "PASSES": passes(tree).rstrip(),
        "CORE": core(files, public).rstrip(),
        "KERNELS": kernels.rstrip(),
        "UNDEFS": undefs.rstrip(),
    }
    return re.sub(
        r"^@(\w+)@$|@(\w+)@", lambda at: parts[at[1] or at[2]], SKELETON.read_text(encoding="utf-8"), flags=re.M
    )


def written_header(tree):
    return (
        f"/* posenc {tree.version}, for the posenc.c of the same version; the licence (MIT) stands there. */\n"
        + tree.header
    )
