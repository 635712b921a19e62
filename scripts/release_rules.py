"""What scripts/release holds the tree to: the version in the header, the sections of CHANGELOG.md, and what a version
number may promise. Text in, text out; nothing here knows of git or of files."""
import datetime
import re

NUMBER = r"(0|[1-9][0-9]*)"
VERSION = re.compile(rf"{NUMBER}\.{NUMBER}\.{NUMBER}")
PARTS = ("MAJOR", "MINOR", "PATCH")
SECTION = re.compile(r"^## (.*)$", re.MULTILINE)
UNRELEASED = "unreleased"


class Refused(Exception):
    """A sentence that says what was wrong, and what is allowed."""


def parse(text):
    """"1.2.3" as (1, 2, 3); None for anything else."""
    match = VERSION.fullmatch(text)
    return tuple(int(part) for part in match.groups()) if match else None


def text_of(version):
    return ".".join(str(part) for part in version)


# ---- the header ----

def header_lines(header):
    """The four lines, by name, each with the one value that it gives."""
    found = {}
    for name in (*PARTS, "STRING"):
        values = re.findall(rf"^#define POSENC_VERSION_{name} (\S+)$", header, re.MULTILINE)
        if len(values) != 1:
            raise Refused(f"include/posenc.h has {len(values)} lines '#define POSENC_VERSION_{name} ...'; it needs one")
        found[name] = values[0]
    return found


def header_version(header):
    found = header_lines(header)
    version = parse(".".join(found[name] for name in PARTS))
    if not version or found["STRING"] != f'"{text_of(version)}"':
        raise Refused("include/posenc.h gives the version as " + ", ".join(f"{n} {v}" for n, v in found.items()) +
                      "; three numbers, and the same three in STRING, are needed")
    return version


def header_with(header, version):
    for name, value in zip((*PARTS, "STRING"), (*version, f'"{text_of(version)}"')):
        header = re.sub(rf"^(#define POSENC_VERSION_{name} )\S+$", rf"\g<1>{value}", header, flags=re.MULTILINE)
    return header


# ---- the Python package, which is installed without the header ----

def python_lines(version):
    return {"VERSION": f'"{text_of(version)}"', "SONAME": f'"libposenc.so.{version[0]}"'}


def python_with(module, version):
    for name, value in python_lines(version).items():
        module = re.sub(rf'^({name} = )"[^"]*"', rf"\g<1>{value}", module, flags=re.MULTILINE)
    return module


def check_python(module, header):
    for name, value in python_lines(header_version(header)).items():
        if not re.search(rf"^{name} = {re.escape(value)}", module, re.MULTILINE):
            raise Refused(f"python/posenc/_library.py does not say {name} = {value}, as include/posenc.h has it")


# ---- the change log ----

def sections(changelog):
    """[(version, UNRELEASED or a date)], as they stand in the file: the newest first."""
    found = []
    for title in SECTION.findall(changelog):
        match = re.fullmatch(rf"({VERSION.pattern}) \((.*)\)", title)
        if not match:
            raise Refused(f"CHANGELOG.md: '## {title}' is no section of a release; '## 1.2.3 ({UNRELEASED})' or "
                          "'## 1.2.3 (2026-01-31)' is needed")
        note = match.groups()[-1]
        if note != UNRELEASED:
            try:
                note = datetime.datetime.strptime(note, "%Y-%m-%d").date()
            except ValueError:
                raise Refused(f"CHANGELOG.md: '## {title}' has neither a date nor ({UNRELEASED})") from None
        found.append((parse(match[1]), note))
    if not found:
        raise Refused("CHANGELOG.md has no section of a release")
    for (newer, _), (older, note) in zip(found, found[1:]):
        if newer <= older:
            raise Refused(f"CHANGELOG.md: {text_of(newer)} stands above {text_of(older)}; the newest comes first")
        if note == UNRELEASED:
            raise Refused(f"CHANGELOG.md: {text_of(older)} is ({UNRELEASED}), yet {text_of(newer)} stands above it; only the "
                          "newest section may be")
    return found


def changelog_with(changelog, version, date):
    title = f"## {text_of(version)} ("
    return changelog.replace(f"{title}{UNRELEASED})", f"{title}{date.isoformat()})", 1)


def check_changelog(changelog, header):
    """The header's version is that of the newest section, or, while the next one is being written, of the one below."""
    found, version = sections(changelog), header_version(header)
    allowed = [v for v, _ in found[:2 if found[0][1] == UNRELEASED else 1]]
    if version not in allowed:
        raise Refused(f"include/posenc.h says {text_of(version)}; by CHANGELOG.md's sections it may say " +
                      " or ".join(text_of(v) for v in allowed))
    return found


def check_next(version, changelog, header, released):
    """May this version be released next? released: those of the tags."""
    name, found = text_of(version), check_changelog(changelog, header)
    older = [v for v, note in found if note != UNRELEASED] + list(released)
    if version in older:
        raise Refused(f"{name} has been released already")
    if older and version < max(older):
        raise Refused(f"{name} is not larger than {text_of(max(older))}, which has been released")
    if found[0][0] != version:
        raise Refused(f"CHANGELOG.md begins with {text_of(found[0][0])}; "
                      f"a section '## {name} ({UNRELEASED})' at the top is needed")


# ---- what a version promises ----

def names(script):
    """The functions of cmake/posenc.map, each with the node that it stands in: to move is to be lost, for programs."""
    found, node = set(), None
    for line in script.splitlines():
        if match := re.match(r"(POSENC_\S+) \{", line):
            node = match[1]
        elif match := re.match(r" +(posenc_\w+);", line):
            found.add(f"{match[1]}@{node}")
    return found


def hashes(rows):
    """The promised bits of verify/hashes.inc: hash by table."""
    found = re.findall(r"^POSENC_HASH\((.*), (0x[0-9a-f]{16}), .*\)$", rows, re.MULTILINE)
    return dict(found)


def check_promises(old, new, old_files, new_files):
    """old, new: versions; the files: (symbols, hashes) as text, of the last release and now."""
    lost = sorted(names(old_files[0]) - names(new_files[0]))
    added = sorted(names(new_files[0]) - names(old_files[0]))
    was, now = hashes(old_files[1]), hashes(new_files[1])
    changed = sorted(table for table in was if now.get(table, was[table]) != was[table])
    exact = [table for table in changed if table.startswith("exact")]
    since = f"since {text_of(old)}"
    if lost and new[0] == old[0]:
        raise Refused(f"symbols lost {since}: {', '.join(lost)}; only a new major version may do that")
    if exact:
        raise Refused(f"verify/hashes.inc: bits of exact changed {since} ({exact[0]}); they are defined by mathematics")
    if new[:2] == old[:2] and added:
        raise Refused(f"symbols added {since}: {', '.join(added)}; that needs a new minor version at least")
    if new[:2] == old[:2] and changed:
        raise Refused(f"verify/hashes.inc: bits of anchored changed {since} ({changed[0]}); "
                      "that needs a new minor version at least")
