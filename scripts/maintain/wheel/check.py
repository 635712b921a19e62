"""Checks wheels: their names, metadata, licences and sources, and the functions that each library exports. auditwheel checks what a
library for Linux needs; this also checks it for macOS and Windows. The arguments are the wheels. Exit status 1: a check failed.
"""
import email
import pathlib
import re
import sys
import zipfile

import lief

TOP = pathlib.Path(__file__).resolve().parents[3]
HEADER = (TOP / "include/posenc.h").read_text(encoding="utf-8")
VERSION = re.search(r'POSENC_VERSION_STRING "(.*)"', HEADER)[1]
PUBLIC = set(re.findall(r"\bPOSENC_API [^;]*?\b(posenc_\w+)\(", HEADER))
MACHINES = {"x86_64": "X86_64", "amd64": "X86_64", "arm64": "ARM64"}
NEEDED = {  # libraries that every system of the tag has
    "macosx": r"/usr/lib/libSystem\.B\.dylib",
    "win": r"KERNEL32\.dll|api-ms-win-crt-[a-z]+-l1-1-0\.dll",  # the second: Windows 10 and later
}
NAMES = {"macosx": "libposenc.1.dylib", "win": "posenc-1.dll"}
#: Functions of macOS 10.15 that a compiler may call. Zig does not know in which version a function appeared.
MACOS = """___bzero ___memcpy_chk ___memmove_chk ___memset_chk ___sincos_stret ___sincosf_stret ___udivti3
__tlv_bootstrap _aligned_alloc _bzero _cos _cosf _expf _expm1 _feholdexcept _fesetenv _fesetround _floor _fma _fmaf
_free _frexp _ilogb _ldexp _log _log2 _memcpy _memmove _memset _memset_pattern16 _nextafter _pow _powf _rint _sin _sinf
_snprintf _strchr _strcmp _strlen _strncmp _vsnprintf dyld_stub_binder""".split()


def require(condition, found):
    if not condition:
        raise ValueError(f"found {found}")


def check_library(system, tags, name, code):
    """Checks the exports of a library, given its bytes; for macOS and Windows its architecture and imports too."""
    parsed = lief.parse(list(code))
    exported = {f.name.removeprefix("_") if system == "macosx" else f.name for f in parsed.exported_functions}
    exported -= {"_mh_dylib_header", "__dso_handle"}  # symbols of every library of macOS
    require(exported == PUBLIC, exported ^ PUBLIC)
    if system.endswith("linux"):
        imported = {symbol.name for symbol in parsed.imported_symbols}
        require({"sin", "sinf", "cosf", "expf"} <= imported, imported)  # from the system's libm, as in frameworks
        return
    machine = parsed.abstract.header.architecture
    require(machine.name == MACHINES[re.search("x86_64|amd64|arm64", tags)[0]], machine)
    needed = [str(getattr(n, "name", n)) for n in parsed.libraries]
    if system == "macosx":
        require(needed[0] == f"@rpath/{name}", needed)  # the library itself
        del needed[0]
        imported = {symbol.name for symbol in parsed.imported_symbols}
        require(imported <= {*MACOS}, imported - {*MACOS})
        version = [int(n) for n in re.match(r"macosx_(\d+)_(\d+)", tags).groups()]
        require(parsed.build_version.minos == [*version, 0], parsed.build_version)
    require(needed and all(re.fullmatch(NEEDED[system], n) for n in needed), needed)


def check(path):
    name, version, *tags = path.stem.split("-")
    require((name, version, tags[:2]) == ("posenc", VERSION, ["py3", "none"]), path.name)
    system = re.match("manylinux|musllinux|macosx|win", tags[2])[0]
    with zipfile.ZipFile(path) as wheel:
        files = {info.filename: wheel.read(info) for info in wheel.infolist()}
    info = f"posenc-{VERSION}.dist-info/"
    metadata = email.message_from_bytes(files[info + "METADATA"])
    require(metadata["License-Expression"] == ("MIT AND ZPL-2.1" if system == "win" else "MIT"), metadata)
    require(all(f"{info}licenses/{name}" in files for name in metadata.get_all("License-File")), files.keys())
    library = NAMES.get(system, "libposenc.so.1")
    sources = [*(TOP / "python/posenc").rglob("*.py"), TOP / "python/posenc/py.typed"]
    sources = {path.relative_to(TOP / "python").as_posix(): path.read_bytes() for path in sources}
    inside = {name: text for name, text in files.items() if name.startswith("posenc/")}
    check_library(system, tags[2], library, inside.pop(f"posenc/{library}"))
    require(inside == sources, inside.keys() ^ sources.keys())


def main():
    lief.logging.disable()
    for path in map(pathlib.Path, sys.argv[1:]):
        try:
            check(path)
        except (ValueError, KeyError) as error:
            sys.exit(f"wheels: {path.name}: {error}")


if __name__ == "__main__":
    main()
