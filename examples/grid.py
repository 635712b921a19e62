"""A table in two dimensions, as Masked Autoencoders have it for a picture's patches: two tables side by side in one array.

    python3 grid.py
"""

import numpy as np

import posenc

HEIGHT, WIDTH, D_MODEL = 14, 14, 768  # half of the columns for each axis, sines before cosines in each

rows, columns = np.mgrid[:HEIGHT, :WIDTH].reshape(2, -1)
# [part: grid]
grid = np.empty((HEIGHT * WIDTH, D_MODEL), np.float32)
posenc.fill_at(grid[:, : D_MODEL // 2], columns, layout="split")  # their first half is the column's
posenc.fill_at(grid[:, D_MODEL // 2 :], rows, layout="split")
# [end: grid]
patch = grid[1 * WIDTH + 2].tolist()
print(f"grid {grid.shape}: patch (1, 2) starts {patch[:2]}, its second half {patch[D_MODEL // 2 :][:2]}")
