"""A world of many free boxes, as a file of SDFormat."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write"]

_BOX = """
<model name="box_{i}">
  <pose>{x} {y} {z} 0 0 0</pose>
  <link name="link">
    <inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>
    <collision name="solid"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
    <visual name="look"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></visual>
  </link>
</model>"""
_ROW = 20


def write(path: Path, count: int) -> Path:
    """Write a world of so many boxes, each a model, 0.4 m apart."""
    boxes = (
        _BOX.format(i=i, x=0.4 * (i % _ROW), y=0.4 * (i // _ROW % _ROW), z=0.4 * (i // _ROW**2))
        for i in range(count)
    )
    path.write_text('<sdf version="1.9"><world name="crowd">' + "\n".join(boxes) + "</world></sdf>")
    return path
