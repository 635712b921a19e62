"""How processors are named: by vendor, microarchitecture, the brand's own word, family and model. "AMD EPYC" alone says
nothing: virtual machines on processors of two generations gave it, with opposite results.

Records have what the system says: vendor, family and model; on AArch64 implementer and part, both hexadecimal; and cpu,
the brand name. Model numbers are those of the Linux kernel (arch/x86/kernel/cpu/amd.c,
arch/x86/include/asm/intel-family.h, arch/arm64/include/asm/cputype.h)."""

VENDORS = {"AuthenticAMD": "AMD", "GenuineIntel": "Intel", "0x41": "Arm", "0x61": "Apple", "0xc0": "Ampere"}
KNOWN = {  # {(vendor, family): [(first model, last model, microarchitecture)]}; on AArch64 the family is 0
    ("AMD", 23): [(0, 47, "Zen 1"), (48, 79, "Zen 2"), (96, 127, "Zen 2")],
    ("AMD", 25): [(0, 15, "Zen 3"), (16, 31, "Zen 4"), (32, 95, "Zen 3"), (96, 175, "Zen 4")],
    ("AMD", 26): [(0, 47, "Zen 5"), (64, 79, "Zen 5"), (96, 127, "Zen 5")],
    ("Intel", 6): [
        (60, 60, "Haswell"),
        (63, 63, "Haswell"),
        (69, 70, "Haswell"),
        (61, 61, "Broadwell"),
        (79, 79, "Broadwell"),
        (86, 86, "Broadwell"),
        (78, 78, "Skylake"),
        (94, 94, "Skylake"),
        (85, 85, "Skylake-SP/Cascade Lake"),
        (142, 142, "Kaby Lake/Coffee Lake"),
        (158, 158, "Kaby Lake/Coffee Lake"),
        (106, 108, "Ice Lake"),
        (125, 126, "Ice Lake"),
        (140, 141, "Tiger Lake"),
        (151, 154, "Alder Lake"),
        (183, 183, "Raptor Lake"),
        (143, 143, "Sapphire Rapids"),
        (207, 207, "Emerald Rapids"),
        (173, 174, "Granite Rapids"),
    ],
    ("Arm", 0): [
        (0xD08, 0xD08, "Cortex-A72"),
        (0xD0B, 0xD0B, "Cortex-A76"),
        (0xD0C, 0xD0C, "Neoverse N1"),
        (0xD40, 0xD40, "Neoverse V1"),
        (0xD49, 0xD49, "Neoverse N2"),
        (0xD4F, 0xD4F, "Neoverse V2"),
        (0xD84, 0xD84, "Neoverse V3"),
    ],
    ("Apple", 0): [(0x022, 0x029, "M1"), (0x032, 0x039, "M2")],
    ("Ampere", 0): [(0xAC3, 0xAC4, "AmpereOne")],
}


def vendor(machine):
    if machine.get("implementer"):
        return VENDORS.get(machine["implementer"], "unknown")
    return VENDORS.get(machine.get("vendor"), machine.get("vendor"))


def number(machine):
    """As in "family 26 model 2"."""
    keys = ("implementer", "part") if machine.get("implementer") else ("family", "model")
    return " ".join(f"{key} {machine[key]}" for key in keys if machine.get(key))


def microarchitecture(machine):
    """Its name, or None."""
    family, model = (int(machine.get(key) or default, 0) for key, default in (("family", "0"), ("model", "-1")))
    if machine.get("part"):
        family, model = 0, int(machine["part"], 0)
    known = KNOWN.get((vendor(machine), family), [])
    return next((name for first, last, name in known if first <= model <= last), None)


def brand(machine):
    """Without the vendor and words that say nothing: "EPYC 9B14" of "AMD EPYC 9B14 96-Core Processor"."""
    cpu, unsaid = machine.get("cpu", ""), ("", vendor(machine), "CPU", "Processor")
    words = [word.partition("(R)")[0].partition("(TM)")[0] for word in cpu.partition("@")[0].split()]
    return (
        ""
        if cpu in ("unknown", number(machine))
        else " ".join(w for w in words if w not in unsaid and "-Core" not in w)
    )


def processor(machine):
    """ "AMD Zen 5, EPYC, family 26 model 2"; the brand name where no more is known"""
    if not vendor(machine):
        return machine.get("cpu") or "an unknown processor"
    name = " ".join(filter(None, [vendor(machine), microarchitecture(machine)]))
    return ", ".join(filter(None, [name, brand(machine), number(machine)]))
