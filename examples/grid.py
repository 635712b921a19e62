"""A table for the patches of a picture, as in Masked Autoencoders, with a row of zeros for the class token.

    python3 grid.py
"""

import posenc

# Each axis has half of the columns, the width first. In each half, the sines come before the cosines.
HEIGHT, WIDTH, D_MODEL = 14, 14, 768
grid = posenc.grid((HEIGHT, WIDTH), D_MODEL, axes=(1, 0), layout="split", class_tokens=1)
patch = grid[1 + 1 * WIDTH + 2].tolist()
print(f"grid {grid.shape}: patch (1, 2) starts {patch[:2]}, its second half {patch[D_MODEL // 2 :][:2]}")
