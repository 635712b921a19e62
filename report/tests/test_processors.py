"""How processors are named."""
import pytest

from report.processors import microarchitecture, processor

XEON = "Intel(R) Xeon(R) 8481C CPU @ 2.70GHz"


@pytest.mark.parametrize("machine, line, name", [
    ({"vendor": "AuthenticAMD", "family": "26", "model": "2", "cpu": "AMD EPYC"}, "AMD Zen 5, EPYC, family 26 model 2", "Zen 5"),
    ({"vendor": "GenuineIntel", "family": "6", "model": "143", "cpu": XEON},
     "Intel Sapphire Rapids, Xeon 8481C, family 6 model 143", "Sapphire Rapids"),
    ({"vendor": "AuthenticAMD", "family": "26", "model": "255", "cpu": "AMD EPYC 9B99 96-Core Processor"},
     "AMD, EPYC 9B99, family 26 model 255", None),
    ({"vendor": "Another", "family": "6", "model": "143", "cpu": "It"}, "Another, It, family 6 model 143", None),
    ({"implementer": "0x41", "part": "0xd0c"}, "Arm Neoverse N1, implementer 0x41 part 0xd0c", "Neoverse N1"),
    ({"implementer": "0x41", "part": "0xfff"}, "Arm, implementer 0x41 part 0xfff", None),
    ({"implementer": "0x99", "part": "0xd0c"}, "unknown, implementer 0x99 part 0xd0c", None),
    ({"cpu": "this one"}, "this one", None), ({}, "an unknown processor", None),
])  # fmt: skip
def test_names(machine, line, name):
    assert (processor(machine), microarchitecture(machine)) == (line, name)
