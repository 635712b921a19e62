"""The table of ./scripts/peers."""
from made_up import bench, case, failed_case
from report.peers import table
from report.speeds import Speeds

CONTEXT = {"member.exact": "exact_avx2", "member.anchored": "anchored_avx2", "peer.highway": "a | quick one"}
CONTEXT |= {"peer_version.highway": "Highway 2", "not_run.jax_f32": "no module named jax"}


def peers(*more):
    cases = [case(f"{kind} {who}", ns * (2 if who == "highway" and n == 64 else 1), n, d, **error)
             for kind, n, d in (("fill", 64, 128), ("fill", 5000, 512))
             for who, ns, error in (("exact_avx2", 0.2, {"error": 3e-8}), ("anchored_avx2", 0.1, {}), ("highway", 0.1, {"error": 4e-4, "not_nearest": 1234567}))
             ]  # fmt: skip
    cases += [case("row exact_avx2", 0.2, 1, rows=64, end=4096), case("row highway", 0.4, 1, rows=64, end=4096)]
    for who, seconds in (("transformers_rotary", 2e-3), ("posenc.torch", 1e-3)):
        cases.append(case(f"rotary {who}", seconds * 1e9 / (8192 * 128), 8192, 128, wall=1))
    return Speeds(bench(*cases, *more, fills={}, **CONTEXT))


def test_the_table():
    """The main sizes, and others only where the peer is faster."""
    found = table(peers())
    assert found.rows == [
        ["C: fill, 5000 x 512", "a | quick one (Highway 2)", "4.0e-4", "1,234,567", "256 µs", "512 µs", "0.500 times as fast"],
        ["rotary embedding, 8192 x 128", "transformers_rotary", "-", "-", "2.00 ms", "1.00 ms", "2.00 times as fast"],
    ]  # fmt: skip
    assert "its largest error is 3.0e-8" in found.note
    assert found.note.endswith("Not run: jax_f32 (no module named jax).")
    failed = failed_case("fill/x", "fill x", "off by 2")
    assert table(peers(failed)).note.endswith(" Failed: fill/x (off by 2).")
    jobs = [row[0] for row in table(peers(), whole=True).rows]
    assert jobs[1:3] == ["C: fill, 5000 x 512", "C: single rows below 4k, 512 columns"]


def test_rotation():
    """In a long table and in single rows below 4096, too."""
    more = [case(f"fill {who}", 1, 131072, 128, error=3e-8) for who in ("exact_avx2", "rotation_avx2")]
    more += [case("row rotation_avx2", 0.8, 1, rows=64, end=end) for end in (4096, 2**20)]
    rows = [[row[0], row[2]] for row in table(peers(*more)).rows if row[1] == "rotation_avx2"]
    assert rows == [["C: fill, 131072 x 128", "3.0e-8"], ["C: single rows below 4k, 512 columns", "-"]]


def test_where_others_are_faster():
    """The clearest case of each kind."""
    more = [case("row highway", 0.5, 1, rows=64, end=2**20), case("row exact_avx2", 1, 1, rows=64, end=2**20)]
    for n in (2, 40, 9):
        more += [case("once highway", 1 - n / 100, n, 8), case("once exact_avx2", 1, n, 8)]
    jobs = [row[0] for row in table(peers(*more)).rows]
    assert jobs[1:3] == ["C: single rows below 1M, 512 columns", "C: plan and fill, 40 x 8"] and len(jobs) == 4
