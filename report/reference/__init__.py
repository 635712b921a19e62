"""The interfaces of C and of Python as Markdown: sections of entries, with links to whatever has a heading. Lines of text that are
indented stay as they are; others are filled."""

import re
import textwrap

from ..text import escaped


def linked(name, links):
    at = links.get(name.removesuffix("()"))
    return f"[`{name}`](#{at})" if at else f"`{name}`"


def filled(lines, links):
    """A paragraph. Names of C are code without backticks too."""
    words = re.split(r"(``.+?``|`.+?`|\bposenc_[a-z_]+\b(?!\*)(?:\(\))?)", " ".join(map(str.strip, lines)))
    plain = [re.sub(r"\S+", lambda m: escaped(m[0]), word) for word in words[::2]]
    return "".join(a + b for a, b in zip(plain, [*(linked(word.strip("`"), links) for word in words[1::2]), ""]))


def kind_of(line, after, in_list):
    if re.fullmatch("--+", after):
        return "heading"
    if not line.startswith(" "):
        return "code" if line.startswith(">>>") else "text" if line else ""
    return "term" if in_list else "code"


def prose(text, links):
    """Below an underlined heading, indented lines describe the line before them."""
    blocks, last, lines = [], "", text.splitlines()
    for line, after in zip(lines, [*lines[1:], ""]):
        if re.fullmatch("--+", line):
            continue
        kind = kind_of(line, after, any(kind == "heading" for kind, _ in blocks))
        if kind == "code" and blocks and blocks[-1][0] == "code":
            blocks[-1][1] += [line] if last else ["", line]
        elif kind == "term" or kind == last == "text":
            blocks[-1][0] = kind
            blocks[-1][1].append(line)
        elif kind:
            blocks.append([kind, [line]])
        last = kind
    out = []
    for kind, (first, *rest) in blocks:
        if kind == "code":
            out.append("```\n" + textwrap.dedent("\n".join([first, *rest])) + "\n```")
        elif kind == "term":
            out.append(f"- {', '.join(f'`{name}`' for name in first.split(', '))}: {filled(rest, links)}")
        else:
            out.append(f"**{first}**" if kind == "heading" else filled([first, *rest], links))
    return re.sub(r"(?m)(^- .*)\n\n(?=- )", r"\1\n", "\n\n".join(out))


def headed(sections, render):
    """sections: [(heading, [(names, entry)])]; render(entry, links) gives blocks. Anchors are those of repository hosts."""
    anchors, seen, listed = {}, {}, []
    for heading, entries in sections:
        for names, _ in entries:
            anchor = "-".join(names).lower().replace(".", "")
            seen[anchor] = seen.get(anchor, -1) + 1  # Pair and pair
            anchors |= dict.fromkeys(names, f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        listed.append(f"- {heading}: " + ", ".join(linked(n, anchors) for names, _ in entries for n in names))
    out = ["\n".join(listed)]
    for heading, entries in sections:
        out.append(f"## {heading}")
        for names, entry in entries:
            out += [f"### {', '.join(names)}"] * bool(names) + render(entry, anchors)
    return "\n\n".join(out)
