"""The files of a release: the source archive, the single file beside it, their checksums, and the trial that both must pass:
unpacked somewhere else, without git, the library builds, says its version, and fills a row."""
import hashlib
import io
import pathlib
import subprocess
import tarfile

from release_rules import Refused, text_of

LIBRARY_ONLY = [f"-DPOSENC_{what}=OFF" for what in ("BUILD_VERIFY", "BUILD_BENCH", "BUILD_TESTS", "WITH_SLEEF")]
PROGRAM = """#include "posenc.h"
#include <stdio.h>
int main(void)
{
  posenc_spec spec = posenc_spec_default(4);
  posenc_plan *plan;
  float row[4];
  if (posenc_plan_create(&plan, &spec, NULL) || posenc_fill(plan, 0, 1, row, 4))
    return 1;
  printf("%s %s %g %g %g %g", POSENC_VERSION_STRING, posenc_version(), row[0], row[1], row[2], row[3]);
  return 0;
}
"""


def run(*command, **options):
    """Its output; a command that fails is a refusal, with what it said."""
    done = subprocess.run([str(word) for word in command], capture_output=True, **options)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()
        raise Refused(f"this failed, with status {done.returncode}: {' '.join(str(word) for word in command)}\n{said}")
    return done.stdout


def compress(tar):
    return run("gzip", "-n", "-9", input=tar)


def write_sources(tree, commit, name, folder):
    """git dates every file by the commit; gzip -n keeps no date: anyone with the tag can make the same bytes."""
    tar = run("git", "-C", tree, "-c", "tar.umask=0022", "archive", "--format=tar", f"--prefix={name}/", commit)
    path = folder / f"{name}.tar.gz"
    path.write_bytes(compress(tar))
    return path


def write_single(unpacked, name, time, folder):
    """posenc.c and posenc.h, as scripts/amalgamate of the release itself writes them; None where a tree has no such script."""
    script = unpacked / "scripts/amalgamate"
    if not script.exists():
        return None
    made = unpacked.parent / "single"
    run(script, "--output", made)
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as out:
        for path in (unpacked / "LICENSE", made / "posenc.c", made / "posenc.h"):
            entry = tarfile.TarInfo(f"{name}-single/{path.name}")
            entry.size, entry.mtime, entry.mode = path.stat().st_size, time, 0o644
            with path.open("rb") as content:
                out.addfile(entry, content)
    path = folder / f"{name}-single.tar.gz"
    path.write_bytes(compress(tar.getvalue()))
    return path


def unpack(archive, folder):
    run("tar", "-xzf", archive, "-C", folder)


def check_program(version, *command):
    """Compiles the little program with these arguments, and runs it."""
    folder = pathlib.Path(command[-1])
    (folder / "trial.c").write_text(PROGRAM)
    run("cc", "-o", folder / "trial", folder / "trial.c", *command[:-1], "-lm")
    said, wanted = run(folder / "trial").decode(), f"{text_of(version)} {text_of(version)} 0 1 0 1"
    if said != wanted:
        raise Refused(f"a program with the release said '{said}' instead of '{wanted}'")


def try_library(unpacked, version, folder):
    """CMAKE_BUILD_TYPE of the environment is CMake's to obey; Release otherwise."""
    build = folder / "build"
    run("cmake", "-S", unpacked, "-B", build, "-G", "Ninja", *LIBRARY_ONLY)
    run("cmake", "--build", build)
    check_program(version, f"-I{unpacked}/include", build / "libposenc.a", folder)
    wanted = f"libposenc.so.{version[0]}"
    if f"SONAME {wanted}" not in " ".join(run("objdump", "-p", build / "libposenc.so").decode().split()):
        raise Refused(f"the shared library's SONAME is not {wanted}, as the header's major version asks for")


def try_single(archive, name, version, folder):
    unpack(archive, folder)
    made = folder / f"{name}-single"
    check_program(version, f"-I{made}", made / "posenc.c", folder)


def write_sums(paths, path):
    """What sha256sum --check reads."""
    path.write_text("".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in paths))
    return path
