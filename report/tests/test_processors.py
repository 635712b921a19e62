"""How processors are named."""
import pytest

from report.processors import microarchitecture, processor

XEON = "Intel(R) Xeon(R) 8481C CPU @ 2.70GHz"


@pytest.mark.parametrize(
    "who, number, cpu, line, name",
    [
        ("AuthenticAMD", "26 2", "AMD EPYC", "AMD Zen 5, EPYC, family 26 model 2", "Zen 5"),
        ("GenuineIntel", "6 143", XEON, "Intel Sapphire Rapids, Xeon 8481C, family 6 model 143", "Sapphire Rapids"),
        ("AuthenticAMD", "26 255", "AMD EPYC 9B99 96-Core Processor", "AMD, EPYC 9B99, family 26 model 255", None),
        ("Another", "6 143", "It", "Another, It, family 6 model 143", None),
        (None, "0x41 0xd0c", "implementer 0x41 part 0xd0c", "Arm Neoverse N1, implementer 0x41 part 0xd0c",
         "Neoverse N1"),
        (None, "0x41 0xfff", "implementer 0x41 part 0xfff", "Arm, implementer 0x41 part 0xfff", None),
        (None, "0x99 0xd0c", "implementer 0x99 part 0xd0c", "unknown, implementer 0x99 part 0xd0c", None),
        ("unknown", " ", "unknown", "unknown", None),
        (None, " ", "this one", "this one", None),
        (None, " ", "", "an unknown processor", None),
    ],
)  # fmt: skip
def test_names(who, number, cpu, line, name):
    keys = ("implementer", "part") if number.startswith("0x") else ("family", "model")
    machine = dict(zip(keys, number.split(" "))) | ({"vendor": who} if who else {}) | {"cpu": cpu}
    assert (processor(machine), microarchitecture(machine)) == (line, name)
