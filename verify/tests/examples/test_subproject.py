"""posenc as a part of another build, with examples/subproject/CMakeLists.txt and without the network."""

from places import QUICK, SOURCE, lines
from reference import columns, said


def test_subproject(python_place):
    (line,) = lines(python_place.examples / "subproject/CMakeLists.txt")
    for name in (
        "CMakeLists.txt",
        "cmake",
        "impl",
        "include",
    ):  # the source tree, which the line finds at ../..
        (python_place.examples.parent / name).symlink_to(SOURCE / name)
    assert "=Release" in line
    quick = line.replace("=Release", "=Debug")
    nowhere = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "all_proxy")}
    text = python_place.run(f"cd subproject && {quick}", CMAKE_PREFIX_PATH="", LD_LIBRARY_PATH="", **QUICK, **nowhere)
    assert said(text, "row 4999 starts") == columns(4999)
