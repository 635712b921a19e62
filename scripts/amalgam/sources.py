"""The library's sources as CMake knows them: rows of impl/list.inc, files and flags of CMakeLists.txt, and what they include."""
import collections
import dataclasses
import re


class Wrong(Exception):
    pass


Row = collections.namedtuple("Row", "name file isa variant")


@dataclasses.dataclass
class Piece:
    """A file without its guard and what it includes from the outside."""

    path: str
    text: str


def found(pattern, text, what):
    match = re.search(pattern, text, re.M | re.S)
    if not match:
        raise Wrong(f"CMakeLists.txt: {what} is not where scripts/amalgamate looks for it: {pattern}")
    return match


class Tree:
    ROW = re.compile(r'^POSENC_IMPL\((\w+), ([\w/]+\.c), (\w+), (\w+), (\d+), "[^"\n]*", "[^"\n]*"\)$', re.M)

    def __init__(self, top):
        self.top = top
        cmake = self.read("CMakeLists.txt")
        self.header = self.read("include/posenc.h")
        self.version = re.search(r'^#define POSENC_VERSION_STRING "(.*)"', self.header, re.M)[1]
        self.supported = found(r"^#if !\((.*)\)\n#error unsupported$", cmake, "the condition on architectures")[1]
        core = found(r"^posenc_objects\(posenc_core\s([^)]*)\)", cmake, "the list of files without rows")
        self.core = core[1].split()
        flags = r"^if\(POSENC_X86_64\)\n(.*?)^else\(\)\n(.*?)^endif\(\)"
        by_arch = found(flags, cmake, "the flags of each architecture")
        self.flags = {}  # of an instruction set: {condition: target}
        for condition, lines in zip(("defined(__x86_64__)", "defined(__aarch64__)"), by_arch.groups()):
            for isa, flags in re.findall(r"^\s*set\(flags_(\w+) ([^)]*)\)", lines, re.M):
                self.flags.setdefault(isa, {})[condition] = self.target(flags)
        for isa in re.findall(r'^set\(flags_(\w+) ""\)', cmake, re.M):
            self.flags[isa] = {"": ""}
        self.rows = []
        for line in self.read("impl/list.inc").splitlines():
            row = self.ROW.match(line)
            if line.startswith("POSENC_IMPL(") and not row:
                raise Wrong(f"impl/list.inc: this row is not of the form its first comment gives: {line}")
            if row and row[4] == "libm":
                if row[3] not in self.flags:
                    raise Wrong(f"CMakeLists.txt has no flags_{row[3]}, which {row[1]} wants")
                self.rows.append(Row(row[1], "impl/" + row[2], row[3], row[5]))

    @staticmethod
    def target(flags):
        """-mavx2 -mfma: "avx2,fma"."""
        words = flags.replace('""', "").split()
        for word in words:
            if not re.fullmatch(r"-m[a-z0-9.]+", word):
                raise Wrong(f"CMakeLists.txt: {word} has no counterpart for single functions (allowed: -mNAME)")
        return ",".join(word[2:] for word in words)

    def read(self, path):
        return (self.top / path).read_text(encoding="utf-8")

    def public(self):
        """The functions of the public header."""
        return set(re.findall(r"\bPOSENC_API [^;]*?\b(posenc_\w+)\(", self.header))

    def flatten(self, path, seen, system):
        """The file and, before it, those it includes that are not in `seen` yet. Names in <> go to `system`, but those that stand
        in a condition of this file."""
        text, pieces = self.without_guard(self.read(path)), []
        lines, depth = [], 0
        for line in text.splitlines():
            if re.match(r"\s*#\s*if", line):
                depth += 1
            elif re.match(r"\s*#\s*endif", line):
                depth -= 1
            include = re.match(r'\s*#\s*include ([<"])([\w./]+)[>"]', line)
            if not include:
                lines.append(line)
            elif include[1] == "<":
                if depth:
                    lines.append(line)
                else:
                    system[include[2]] = None
            elif include[2] == "posenc.h" or include[2] in seen:
                pass
            elif include[2].endswith(".inc"):  # as often as it is asked for
                lines.append(self.pasted(include[2]))
            else:
                seen.add(include[2])
                inner = self.flatten("impl/" + include[2], seen, system)
                if depth:  # where it is asked for; its own includes are nobody else's then
                    lines += [f"/* ---- {piece.path} ---- */\n{piece.text}" for piece in inner]
                else:
                    pieces += inner
        return pieces + [Piece(path, re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n")]

    def pasted(self, name):
        text = self.read("impl/" + name)
        if name == "list.inc":
            return "\n".join(row[0] for row in self.ROW.finditer(text) if row[4] == "libm")
        return text.rstrip()

    @staticmethod
    def without_guard(text):
        guard = re.search(r"^#ifndef (\w+_H)\n#define \1\n", text, re.M)
        if not guard:
            return text
        return text[: guard.start()] + text[guard.end() : text.rindex("#endif")]
