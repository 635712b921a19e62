"""What a piece of C declares at file scope. No parser of C: it knows the declarations that a tree of plain style has, and what it
misses does not compile."""
import re

HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
WORD = re.compile(r"[A-Za-z_]\w*")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def code_of(text):
    """The text with comments and strings as blanks of the same length, so that places in one are places in the other."""
    return HIDDEN.sub(blank, text)


def macros(text):
    """Names that the text defines by #define, each once."""
    return list(dict.fromkeys(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", code_of(text), re.M)))


def words(text):
    return set(WORD.findall(code_of(text)))


def closing(code, at):
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in "({[") - (code[i] in ")}]")
        if depth == 0:
            return i
    raise ValueError("a bracket is not closed: " + code[at : at + 60])


class Declaration:
    """One declaration or definition at file scope: its place, and what it declares."""

    def __init__(self, start, code, function_macros):
        self.start = start
        self.names, self.is_function = [], False
        code = self.without_attributes(code)
        self.is_type = bool(re.match(r"\s*(__extension__\s+)?typedef\b", code))
        head = self.without_bodies(code)
        if not re.match(r"\s*_Static_assert\b", head) and not re.fullmatch(
            r"\s*(struct|enum|union)\s*\w*\s*;?\s*", head
        ):
            self.declarator(head.rstrip().rstrip(";"), function_macros)
        else:
            self.is_type = True
        self.is_static = bool(re.search(r"\bstatic\b", head)) or self.is_type

    @staticmethod
    def without_attributes(code):
        while at := re.search(r"__attribute__\s*\(", code):
            end = closing(code, at.end() - 1)
            code = code[: at.start()] + " " * (end + 1 - at.start()) + code[end + 1 :]
        return code

    def without_bodies(self, code):
        """What is left of it without what stands in braces; tags and enumerators are taken on the way."""
        head, i = "", 0
        while (brace := code.find("{", i)) >= 0:
            end = closing(code, brace)
            head += code[i:brace] + " "
            tagged = re.search(r"\b(struct|enum|union)\s*(\w*)\s*$", code[:brace])
            if tagged and "=" not in head:
                self.names += [tagged[2]] if tagged[2] else []
                if tagged[1] == "enum":
                    self.names += re.findall(r"(?:^|,)\s*([A-Za-z_]\w*)", code[brace + 1 : end])
            i = end + 1
        return head + code[i:]

    def declarator(self, head, function_macros):
        head = head.split("=")[0]
        call = re.search(r"(\w+)\s*\(([^()]*)", head)
        if call and call[1] in function_macros:
            if name := WORD.search(call[2]):  # by this house's macros, the first argument
                self.names.append(name[0])
        elif call:
            self.names.append(call[1])
            self.is_function = not self.is_type
        else:
            for part in head.split(","):
                if name := re.search(r"(\w+)\s*(\[.*)?$", part.strip(), re.S):
                    self.names.append(name[1])


def declarations(text):
    code = code_of(text)
    function_macros = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", code, re.M))
    code = DIRECTIVE.sub(blank, code)
    found, start = [], 0
    while (first := re.compile(r"\S").search(code, start)) is not None:
        start = i = first.start()
        while code[i] != ";":
            if code[i] in "({[":
                end = closing(code, i)
                body = code[i] == "{" and code[start:i].rstrip().endswith(")") and "=" not in code[start:i]
                i = end
                if body:
                    break
            i += 1
        found.append(Declaration(start, code[start : i + 1], function_macros))
        start = i + 1
    return found


def declared(text):
    """All names, each once, in order."""
    return list(dict.fromkeys(name for d in declarations(text) for name in d.names))
