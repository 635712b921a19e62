"""Tables in NumPy:
    python3 table.py
"""

# [part: table]
import posenc

table = posenc.table(5000, 512)  # a NumPy array, float32: positions 0 to 4999, 512 columns
rows = posenc.table(positions=[17, 3, 131071], d_model=512)  # any positions, in any order
half = posenc.table(1500, 1280, preset="whisper", dtype="float16")  # Whisper's table, in float16
fast = posenc.table(5000, 512, impl="anchored")  # can be faster; no guarantee of correct rounding
# [end: table]
print(f"row 4999 starts {table[4999, :4].tolist()}")
print(f"row 131071 starts {rows[2, :4].tolist()}")
print(f"whisper's row 1499 starts {half[1499, :4].tolist()}")
print(f"anchored differs from exact in {(fast != table).sum()} of {table.size} values")
