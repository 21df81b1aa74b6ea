"""The <sensor> element, and cameras."""

from __future__ import annotations

from kido.description import SensorDescription
from kido.io._writers._mjcf._output import Output, write_pose
from kido.io._writers._mjcf._relations import write_options
from kido.io._writers._xml_text import element

__all__ = ["write_sensors"]

_OF_JOINTS = (
    *("jointpos", "jointvel", "jointactuatorfrc", "ballquat", "ballangvel"),
    *("jointlimitpos", "jointlimitvel", "jointlimitfrc"),
)
_OF_SITES = (
    "touch",
    "accelerometer",
    "velocimeter",
    "gyro",
    "force",
    "torque",
    "magnetometer",
    "rangefinder",
)
_OF_FRAMES = (
    *("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel"),
    *("framelinacc", "frameangacc"),
)
_OPTIONS = ("cutoff", "noise", "user")
_CAMERA_OPTIONS = (
    "fovy",
    "ipd",
    "resolution",
    "mode",
    "focal",
    "focalpixel",
    "principal",
    "sensorsize",
    "user",
)


def write_sensors(output: Output) -> None:
    """Add the sensors that MJCF has; others are reported."""
    for sensor in output.scene.sensors:
        if sensor.type == "camera" and sensor.place is not None:
            made = element(output.body(sensor.place), "camera", name=sensor.name)
            write_pose(made, sensor.place.T_link_frame)
            write_options(output, made, "sensor", sensor.name, sensor.options, _CAMERA_OPTIONS)
        elif not _write_sensor(output, sensor):
            output.losses.left_out("sensor", sensor.name, f"MJCF has no {sensor.type!r} of its kind of place")
            continue
        if sensor.rate is not None:
            output.losses.ignored("sensor", sensor.name, "its rate")


def _write_sensor(output: Output, sensor: SensorDescription) -> bool:
    """Add a sensor; False if MJCF has none of its type at such a place."""
    joint, place = sensor.joint, sensor.place
    if sensor.type in _OF_JOINTS and joint is not None:
        written = [one for one in output.joints if (one.owner, one.joint) == (joint.owner, joint.joint)]
        if len(written) != 1:
            return False
        made = element(output.section("sensor"), sensor.type, name=sensor.name, joint=written[0].name)
    elif sensor.type in _OF_SITES and place is not None:
        site = output.site(place, f"{sensor.name}_site")
        made = element(output.section("sensor"), sensor.type, name=sensor.name, site=site)
    elif sensor.type in _OF_FRAMES and place is not None:
        site = output.site(place, f"{sensor.name}_site")
        made = element(output.section("sensor"), sensor.type, name=sensor.name, objtype="site", objname=site)
    else:
        return False
    options = {name: value for name, value in sensor.options.items() if name != "objtype"}
    write_options(output, made, "sensor", sensor.name, type(sensor.options)(options), _OPTIONS)
    return True
