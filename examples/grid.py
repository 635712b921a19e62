"""A table in two dimensions, as Masked Autoencoders have it for a picture's patches: two tables side by side in one array."""

import numpy as np

import posenc

HEIGHT, WIDTH, D_MODEL = 14, 14, 768  # half of the columns for each axis, sines before cosines in each

rows, columns = np.mgrid[:HEIGHT, :WIDTH].reshape(2, -1)
grid = np.empty((HEIGHT * WIDTH, D_MODEL), np.float32)
posenc.fill_at(grid[:, : D_MODEL // 2], columns, layout="split")  # their first half is the column's
posenc.fill_at(grid[:, D_MODEL // 2 :], rows, layout="split")
print(f"grid {grid.shape}: patch (1, 2) starts {grid[WIDTH + 2, 0]:f}, its second half {grid[WIDTH + 2, D_MODEL // 2]:f}")
