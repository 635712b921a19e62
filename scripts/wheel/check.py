"""Checks wheels: name, metadata, licence and sources; what the library exports, needs and runs on. Reads lines "WHEEL <tab> how its
programs ran", and prints a table of the wheels in Markdown. Exit status 1: a wheel is not as it should be.
"""
import email
import hashlib
import pathlib
import re
import struct
import sys
import zipfile

import lief

TOP = pathlib.Path(__file__).resolve().parents[2]
HEADER = (TOP / "include/posenc.h").read_text(encoding="utf-8")
VERSION = re.search(r'POSENC_VERSION_STRING "(.*)"', HEADER)[1]
PUBLIC = set(re.findall(r"\bPOSENC_API [^;]*?\b(posenc_\w+)\(", HEADER))
MACHINES = {"x86_64": "X86_64", "amd64": "X86_64", "aarch64": "ARM64", "arm64": "ARM64"}
NEEDED = {  # what every system of the tag has
    "manylinux": r"lib[cm]\.so\.6|ld-linux-.*",
    "musllinux": r"libc\.musl-(x86_64|aarch64)\.so\.1",
    "macosx": r"/usr/lib/libSystem\.B\.dylib",
    "win": r"KERNEL32\.dll|api-ms-win-crt-[a-z]+-l1-1-0\.dll",  # the second: Windows 10 and later
}
NAMES = {"macosx": "libposenc.1.dylib", "win": "posenc.dll"}


def signed(code):
    """Whether a Mach-O file's own signature holds: the hash of each of its pages."""
    at = code.rfind(b"\xfa\xde\x0c\x02")  # struct CodeDirectory of <kern/cs_blobs.h>
    if at < 0:
        return False
    _, _, _, _, hashes, _, _, slots, limit, size, _, _, page = struct.unpack_from(">9I4B", code, at)
    pages = [code[i : min(i + (1 << page), limit)] for i in range(0, limit, 1 << page)]
    there = [code[at + hashes + size * i : at + hashes + size * (i + 1)] for i in range(slots)]
    return [hashlib.sha256(p).digest() for p in pages] == there


def check_library(system, tags, name, code):
    """Asserts of the library's bytes."""
    parsed = lief.parse(list(code))
    machine = parsed.abstract.header.architecture
    assert machine.name == MACHINES[re.search("x86_64|amd64|aarch64|arm64", tags)[0]], machine
    needed = [str(getattr(n, "name", n)) for n in parsed.libraries]
    exported = {f.name.removeprefix("_") if system == "macosx" else f.name for f in parsed.exported_functions}
    if system == "macosx":
        assert needed.pop(0) == f"@rpath/{name}"  # its own
        exported -= {"_mh_dylib_header", "__dso_handle"}  # every library's
        version = [int(n) for n in re.match(r"macosx_(\d+)_(\d+)", tags).groups()]
        assert parsed.build_version.minos == [*version, 0], parsed.build_version
        assert "arm64" not in tags or signed(code), "the signature does not hold"
    if system.endswith("linux"):
        assert parsed.get(lief.ELF.DynamicEntry.TAG.SONAME).name == name
    assert exported == PUBLIC, exported ^ PUBLIC
    assert needed and all(re.fullmatch(NEEDED[system], n) for n in needed), needed


def check(path):
    name, version, *tags = path.stem.split("-")
    assert (name, version, tags[:2]) == ("posenc", VERSION, ["py3", "none"]), path.name
    system = re.match("manylinux|musllinux|macosx|win", tags[2])[0]
    with zipfile.ZipFile(path) as wheel:
        files = {info.filename: wheel.read(info) for info in wheel.infolist()}
    info = f"posenc-{VERSION}.dist-info/"
    metadata = email.message_from_bytes(files[info + "METADATA"])
    assert (metadata["Name"], metadata["Version"], metadata["License-Expression"]) == ("posenc", VERSION, "MIT")
    assert files[info + "licenses/LICENSE"] == (TOP / "LICENSE").read_bytes()
    said = email.message_from_bytes(files[info + "WHEEL"])
    assert sorted(said.get_all("Tag")) == sorted(f"py3-none-{tag}" for tag in tags[2].split(".")), said.get_all("Tag")
    library = NAMES.get(system, "libposenc.so.1")
    sources = {f"posenc/{file.name}": file.read_bytes() for file in (TOP / "python/posenc").iterdir() if file.is_file()}
    inside = {name: text for name, text in files.items() if name.startswith("posenc/")}
    check_library(system, tags[2], library, inside.pop(f"posenc/{library}"))
    assert inside == sources, inside.keys() ^ sources.keys()


def main():
    print("| platform | KB | tried | SHA-256 |\n|---|---:|---|---|")
    lief.logging.disable()
    for line in sys.stdin:
        path, ran = line.rstrip("\n").split("\t")
        path = pathlib.Path(path)
        try:
            check(path)
        except (AssertionError, KeyError) as error:
            sys.exit(f"wheels: {path.name}: {error or 'is not as it should be'}")
        content = path.read_bytes()
        platform = path.stem.split("-")[-1].replace(".", ", ")
        print(f"| {platform} | {len(content) / 1000:.0f} | {ran} | `{hashlib.sha256(content).hexdigest()}` |")


if __name__ == "__main__":
    main()
