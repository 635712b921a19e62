"""How processors are named: by vendor, microarchitecture, the brand's own word, family and model. "AMD EPYC" alone says
nothing: virtual machines on processors of two generations gave it, with opposite results.

Records have what the system says: vendor, family and model; on AArch64 implementer and part, both hexadecimal; and cpu,
the brand name. Model numbers are those of the Linux kernel (arch/x86/kernel/cpu/amd.c,
arch/x86/include/asm/intel-family.h, arch/arm64/include/asm/cputype.h)."""

VENDORS = {"AuthenticAMD": "AMD", "GenuineIntel": "Intel", "0x41": "Arm", "0x61": "Apple", "0xc0": "Ampere"}
KNOWN = {  # {(vendor, family): {microarchitecture: its models}}; on AArch64 the family is 0, and models are parts
    ("AMD", 23): {"Zen 1": range(48), "Zen 2": [*range(48, 80), *range(96, 128)]},
    ("AMD", 25): {"Zen 3": [*range(16), *range(32, 96)], "Zen 4": [*range(16, 32), *range(96, 176)]},
    ("AMD", 26): {"Zen 5": [*range(48), *range(64, 80), *range(96, 128)]},
    ("Intel", 6): {
        "Haswell": [60, 63, 69, 70],
        "Broadwell": [61, 79, 86],
        "Skylake": [78, 94],
        "Skylake-SP/Cascade Lake": [85],
        "Kaby Lake/Coffee Lake": [142, 158],
        "Ice Lake": [106, 107, 108, 125, 126],
        "Tiger Lake": [140, 141],
        "Alder Lake": [151, 152, 153, 154],
        "Raptor Lake": [183],
        "Sapphire Rapids": [143],
        "Emerald Rapids": [207],
        "Granite Rapids": [173, 174],
    },
    ("Arm", 0): {
        "Cortex-A72": [0xD08],
        "Cortex-A76": [0xD0B],
        "Neoverse N1": [0xD0C],
        "Neoverse V1": [0xD40],
        "Neoverse N2": [0xD49],
        "Neoverse V2": [0xD4F],
        "Neoverse V3": [0xD84],
    },
    ("Apple", 0): {"M1": range(0x022, 0x02A), "M2": range(0x032, 0x03A)},
    ("Ampere", 0): {"AmpereOne": [0xAC3, 0xAC4]},
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
    family, model = ("0", machine["part"]) if machine.get("part") else (machine.get("family"), machine.get("model"))
    known = KNOWN.get((vendor(machine), int(family or "0")), {})
    return next((name for name, models in known.items() if int(model or "-1", 0) in models), None)


def brand(machine):
    """Without the vendor and words that say nothing: "EPYC 9B14" of "AMD EPYC 9B14 96-Core Processor"."""
    cpu, unsaid = machine.get("cpu", ""), ("", vendor(machine), "CPU", "Processor")
    words = [word.partition("(R)")[0].partition("(TM)")[0] for word in cpu.partition("@")[0].split()]
    if cpu in ("unknown", number(machine)):
        return ""
    return " ".join(w for w in words if w not in unsaid and "-Core" not in w)


def size(count):
    """Of memory, in words."""
    return f"{count >> 20} MiB" if count % (1 << 20) == 0 else f"{count >> 10} KiB"


def caches(machine):
    """The first core's data caches, in bytes in the context of Google Benchmark: "48 KiB L1d, 1 MiB L2"; or None"""
    found = [c for c in machine.get("caches") or [] if c["type"] != "Instruction"]
    return ", ".join(f"{size(c['size'])} L{c['level']}{'d' * (c['type'] == 'Data')}" for c in found) or None


def processor(machine):
    """ "AMD Zen 5, EPYC, family 26 model 2"; the brand name where no more is known"""
    if not vendor(machine):
        return machine.get("cpu") or "an unknown processor"
    name = " ".join(filter(None, [vendor(machine), microarchitecture(machine)]))
    return ", ".join(filter(None, [name, brand(machine), number(machine)]))
