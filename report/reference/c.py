"""include/posenc.h as Markdown: comments are text, declarations stand in blocks of code."""

import re

from ..load import TOP
from . import headed, prose

DECLARED = r"^POSENC_API [^(]*?(posenc_\w+)\(|^typedef (?:enum|struct) (posenc_\w+)|^#define (POSENC_\w+)"


def declarations():
    """The header's lines, without what is for the compiler alone."""
    depth = 0
    for line in (TOP / "include/posenc.h").read_text(encoding="utf-8").splitlines():
        depth += line.startswith("#if") - line.startswith("#endif")
        if depth < 2 and not re.match(r"#(if|endif|include|define POSENC_H$)", line):
            yield line


def entry(block, links):
    said, code = re.fullmatch(r"(?:/\*(.*?)\*/\n?)?(.*)", block, re.S).groups()
    shown = ["```c\n" + re.sub(r"(?m)^POSENC_API ", "", code) + "\n```"] if code else []
    return shown + ([prose(re.sub(r"(?m)^ ?\*? ?", "", said).rstrip(), links)] if said else [])


def c():
    sections = [("Introduction", [])]
    for block in re.split(r"\n{2,}", "\n".join(declarations()).strip()):
        if found := re.fullmatch(r"/\* -+ (.*?) -+ \*/", block):
            sections.append((found[1], []))
        else:
            sections[-1][1].append(([n for found in re.findall(DECLARED, block, re.M) for n in found if n], block))
    return headed(sections, entry)
