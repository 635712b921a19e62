"""Lists all presets, with a row of each table in bfloat16.

    python3 presets.py
"""

import posenc

for preset in posenc.presets():
    table = posenc.table(100, 64, preset=preset.name, dtype="bfloat16")
    row = (table[1].astype("u4") << 16).view("f4")  # bfloat16 is stored as uint16, the upper half of a float32
    print(f"{preset.name:18} {preset.users}\n{'':18} {preset.formula}; starts at {preset.starts}")
    print(f"{'':18} row 1 starts {row[:4].tolist()}")
