"""A table in NumPy."""

import posenc

table = posenc.table(512, 512)  # positions 0 .. 511, d_model 512
print(f"posenc {posenc.__version__}: row 1 starts {' '.join(f'{value:f}' for value in table[1, :4])}")
