"""The <actuator> element: actuators of a scene, and motors of joints whose command is a force."""

from __future__ import annotations

from kido.description import ActuatorDescription, ActuatorType
from kido.io._writers._mjcf._output import Output
from kido.io._writers._mjcf._relations import write_options
from kido.io._writers._xml_text import element, numbers

__all__ = ["write_actuators"]

_COMMON = ("actlimited", "actrange", "actdim", "actearly", "group", "user", "lengthrange", "input")
_OPTIONS = {
    "general": ("gaintype", "biastype", "dyntype", "gainprm", "biasprm", "dynprm"),
    "motor": (),
    "position": ("kp", "kv", "dampratio", "timeconst", "inheritrange"),
    "velocity": ("kv",),
    "intvelocity": ("kp", "kv", "dampratio"),
    "damper": ("kv",),
}


def write_actuators(output: Output) -> None:
    """Add the actuators that MJCF has, and a motor for each dof of a joint whose command is a force."""
    for actuator in output.scene.actuators:
        if not _write_actuator(output, actuator):
            what = f"MJCF has no {actuator.type!r} on what it acts on"
            output.losses.left_out("actuator", actuator.name, what)
    _write_motors(output)


def _write_actuator(output: Output, actuator: ActuatorDescription) -> bool:
    joint, place = actuator.joint, actuator.place
    target: dict[str, str] = {}
    if actuator.type not in _OPTIONS:
        return False
    if joint is not None:
        written = [one for one in output.joints if (one.owner, one.joint) == (joint.owner, joint.joint)]
        if len(written) != 1:
            return False
        target["joint"] = written[0].name
    elif place is not None:
        target["site"] = output.site(place, f"{actuator.name}_site")
    else:
        return False
    made = element(output.section("actuator"), actuator.type, name=actuator.name, **target)
    output.names_of("actuator").new(actuator.name)
    if actuator.gear.tolist() != [1.0]:
        made.set("gear", numbers(actuator.gear))
    if actuator.command_range is not None:
        made.set("ctrlrange", numbers(actuator.command_range))
    if actuator.force_range is not None:
        made.set("forcerange", numbers(actuator.force_range))
    known = (*_COMMON, *_OPTIONS[actuator.type])
    write_options(output, made, "actuator", actuator.name, actuator.options, known)
    return True


def _write_motors(output: Output) -> None:
    """Add a motor for each dof of a joint whose command is a force, where the scene has no actuator of it."""
    driven = {actuator.joint for actuator in output.scene.actuators}
    told = {(joint.owner, joint.joint) for joint in driven if joint is not None}
    for placed in output.scene.robots:
        for joint in placed.robot.joints:
            if joint.actuator is not ActuatorType.FORCE or (placed.name, joint.name) in told:
                continue
            for k in range(joint.num_dofs):
                name = output.scalar(placed.name, joint.name, k)
                if name is None:
                    output.losses.ignored("joint", joint.name, "its motor")
                    break
                motor = output.names_of("actuator").new(name)
                element(output.section("actuator"), "motor", name=motor, joint=name)
