"""Data of your own on an object of the robot: an occupancy grid of a shape, saved and copied with it."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import kido
from kido import gallery
from kido.shape import Box
from kido.skeleton import SkeletonProperties


class OccupancyGrid(kido.Addon):
    """Which cells of a grid around a box lie in it. One on each shape that needs one."""

    @dataclass(frozen=True, eq=False)
    class Properties:
        size: float = 0.01  # of a cell [m]
        cells: np.ndarray = None  # (n, n, n), around the origin of the shape

    def __init__(self, owner, size, count):
        centers = (np.stack(np.meshgrid(*[np.arange(count)] * 3, indexing="ij"), -1) - (count - 1) / 2) * size
        inside = (np.abs(centers) <= owner.shape.size / 2).all(axis=-1)
        super().__init__(owner, self.Properties(size, inside.astype(float)))

    def occupied(self, point):
        """Whether a point (3,) of the world [m] lies in an occupied cell."""
        T = self.owner.transform()
        cells = self.properties.cells
        index = (T[:3, :3].T @ (point - T[:3, 3])) / self.properties.size + len(cells) / 2
        return bool((index >= 0).all() and (index < len(cells)).all() and cells[tuple(index.astype(int))])


# The shape that is seen and touched is a node of the body; the grid is attached to that.
robot = gallery.humanoid()
chest = robot.body("torso").nodes(kido.ShapeNode)[0]
assert isinstance(chest.shape, Box)
assert chest.addon(OccupancyGrid) is None
grid = chest.create_addon(OccupancyGrid, size=0.01, count=40)
share = grid.properties.cells.mean()
print(f"{share:.1%} of the cells are occupied")
np.testing.assert_allclose(share * 0.4**3, np.prod(chest.shape.size), rtol=0.1)

# It follows its owner: lean forward, and the place where the chest was is free.
middle = chest.transform()[:3, 3]
assert grid.occupied(middle)
robot.positions = {"waist_pitch": 0.8}
print("after bowing, the chest has moved by", (chest.transform()[:3, 3] - middle).round(3), "m")
assert not grid.occupied(middle - [0.07, 0.0, -0.10])
assert grid.occupied(chest.transform()[:3, 3])

# It is copied with everything that its owner belongs to,
twin = robot.clone().node(kido.ShapeNode, chest.name).addon(OccupancyGrid)
assert twin is not grid
assert twin.owner.skeleton is not robot
assert twin.properties is grid.properties  # never changed, so never copied

# and saved with the properties of the robot. The class is named where the file is read: files run no code.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "robot.json"
    robot.properties.save(path)
    print(f"saved {path.stat().st_size / 1e3:.0f} kB")
    properties = SkeletonProperties.load(path, types=[OccupancyGrid])
restored = kido.Skeleton.from_properties(properties)
copy = restored.node(kido.ShapeNode, chest.name).addon(OccupancyGrid)
np.testing.assert_array_equal(copy.properties.cells, grid.properties.cells)
assert copy.occupied(middle)  # it stands upright again, at its initial positions
