"""How processors are named: by vendor, microarchitecture, the brand's own word, family and model. "AMD EPYC" alone says
nothing: virtual machines on processors of two generations gave it, with opposite results.

Records have what the system says: vendor, family, model, and cpu, the brand name; on AArch64 implementer and part, both
hexadecimal. Model numbers are those of the Linux kernel (arch/x86/kernel/cpu/amd.c,
arch/x86/include/asm/intel-family.h, arch/arm64/include/asm/cputype.h)."""
import re

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
    if "implementer" in machine:
        return VENDORS.get(machine["implementer"], "unknown")
    return VENDORS.get(machine.get("vendor"), machine.get("vendor"))


def microarchitecture(machine):
    """Its name, or None."""
    known = KNOWN.get((vendor(machine), int(machine.get("family", "0"))), {})
    model = int(machine.get("part") or machine.get("model", "-1"), 0)
    return next((name for name, models in known.items() if model in models), None)


def caches(machine):
    """The first core's data caches, in bytes in the context of Google Benchmark: "48 KiB L1d, 1 MiB L2" """
    texts = []
    for cache in machine.get("caches") or []:
        kib, level = cache["size"] >> 10, f"L{cache['level']}{'d' if cache['type'] == 'Data' else ''}"
        if cache["type"] != "Instruction":
            texts.append(f"{kib >> 10} MiB {level}" if kib % 1024 == 0 else f"{kib} KiB {level}")
    return ", ".join(texts)


def short_name(machine):
    """ "AMD Zen 5" """
    named = " ".join(filter(None, [vendor(machine), microarchitecture(machine)]))
    return named or machine.get("cpu") or "an unknown processor"


def processor(machine):
    """ "AMD Zen 5, EPYC 9B14, family 26 model 2" of "AMD EPYC 9B14 96-Core Processor" """
    maker, brand = vendor(machine), machine.get("cpu", "")
    if not maker:
        return short_name(machine)
    words = re.sub(r"\((R|TM)\)|@.*|\S+-Core\S*", "", brand).split()
    brand = " ".join(word for word in words if word not in (maker, "CPU", "Processor"))
    numbers = " ".join(f"{key} {machine[key]}" for key in ("family", "model", "implementer", "part") if key in machine)
    return ", ".join(filter(None, [short_name(machine), brand, numbers]))
