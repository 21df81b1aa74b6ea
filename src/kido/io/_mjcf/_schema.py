"""Schema of MJCF, and what kido makes of it: attributes that are honoured, reported or only for pictures."""

from __future__ import annotations

from dataclasses import dataclass

from kido.io._mjcf._orientation import ORIENTATIONS

__all__ = ["ACTUATORS", "COMMON_ACTUATOR", "EQUALITIES", "KINDS", "Kind"]

_POSE = {"pos", *ORIENTATIONS}
_SOLVER = {"solref", "solimp"}


@dataclass(frozen=True, slots=True)
class Kind:
    """An element: attributes that are honoured, those that kido has nothing for, and those for pictures.

    `children` are the kinds of the elements in it by tag; `ignored` says what is lost where kido has nothing
    for the whole element; `open` kinds keep all their attributes as they are.
    """

    honoured: frozenset[str] = frozenset()
    reported: frozenset[str] = frozenset()
    pictured: frozenset[str] = frozenset()
    children: tuple[str, ...] = ()
    ignored: str | None = None
    open: bool = False


def _kind(
    honoured: set[str],
    reported: set[str] | None = None,
    pictured: set[str] | None = None,
    children: tuple[str, ...] = (),
    *,
    open: bool = False,
) -> Kind:
    return Kind(
        frozenset(honoured), frozenset(reported or ()), frozenset(pictured or ()), children, None, open
    )


def _lost(text: str) -> Kind:
    return Kind(ignored=text)


def _kept() -> Kind:
    """An element all of whose attributes are kept."""
    return Kind(open=True)


def _picture(children: tuple[str, ...] = ()) -> Kind:
    return Kind(children=children, open=True)


COMMON_ACTUATOR = frozenset(
    {
        *("ctrlrange", "ctrllimited", "forcerange", "forcelimited", "gear", "cranklength", "actlimited"),
        *("actrange", "actdim", "actearly", "delay", "nsample", "interp", "armature", "damping", "group"),
        *("user", "lengthrange", "joint", "jointinparent", "tendon", "site", "refsite", "body"),
        *("cranksite", "slidersite", "input", "name", "class"),
    }
)
"""Attributes that actuators of all types have, and whose defaults they share."""

_OWN = {
    "general": {"gaintype", "biastype", "dyntype", "gainprm", "biasprm", "dynprm", "ffrange", "velrange"},
    "motor": set(),
    "position": {"kp", "kv", "dampratio", "timeconst", "inheritrange"},
    "velocity": {"kv"},
    "intvelocity": {"kp", "kv", "dampratio", "inheritrange"},
    "orientation": {"kp", "kv", "dampratio"},
    "pid": {"kp", "ki", "kv", "dampratio", "ffrange", "velrange", "posrange", "imax", "slewmax"},
    "damper": {"kv"},
    "cylinder": {"timeconst", "area", "diameter", "bias"},
    "muscle": {
        *("timeconst", "tausmooth", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"),
    },
    "adhesion": {"gain"},
    "dcmotor": {
        *("motorconst", "resistance", "inductance", "nominal", "cogging", "controller", "lugre"),
        *("saturation", "thermal"),
    },
    "plugin": {"plugin", "instance", "dyntype", "dynprm"},
}
ACTUATORS = tuple(_OWN)
"""Tags of actuators."""

EQUALITIES = ("connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain")
"""Tags of equality constraints."""

_ACTUATOR_KINDS = {
    tag: _kind({*COMMON_ACTUATOR, *own, "inheritrange"}, open=True) for tag, own in _OWN.items()
}

_JOINT = _kind(
    {
        *("name", "class", "type", "pos", "axis", "range", "limited", "ref", "springref", "stiffness"),
        *("damping", "frictionloss", "armature", "actuatorfrcrange", "actuatorfrclimited"),
        "springdamper",
    },
    {
        *("margin", "solreflimit", "solimplimit", "solreffriction", "solimpfriction"),
        *("actuatorgravcomp", "springyield", "user"),
    },
    {"group"},
)
_GEOM = _kind(
    {
        *("name", "class", "type", "size", "fromto", "mass", "density", "shellinertia", "mesh", "hfield"),
        *("contype", "conaffinity", "condim", "friction", "group", "rgba", "material", "fitscale", *_POSE),
    },
    {
        *("margin", "gap", "priority", "solmix", "fluidshape", "fluidcoef", "adhesion", "surfacevel"),
        *("user", *_SOLVER),
    },
    {"castshadow"},
)
_SITE = _kind(
    {"name", "class", "fromto", "size", *_POSE}, {"user"}, {"type", "group", "rgba", "material", "mesh"}
)
_MESH = _kind(
    {
        *("name", "class", "file", "vertex", "face", "scale", "refpos", "refquat", "inertia"),
    },
    {"builtin", "params", "maxhullvert", "content_type"},
    {"normal", "texcoord", "smoothnormal", "material"},
)
_MATERIAL = _kind(
    {"name", "class", "rgba", "texture"},
    set(),
    {
        *("emission", "specular", "shininess", "reflectance", "roughness", "metallic", "texrepeat"),
        "texuniform",
    },
)
_TEXTURE = _kind(
    {"name", "class", "file"},
    set(),
    {
        *("type", "builtin", "rgb1", "rgb2", "mark", "markrgb", "random", "width", "height", "hflip"),
        *("vflip", "gridsize", "gridlayout", "fileright", "fileleft", "fileup", "filedown", "filefront"),
        *("fileback", "colorspace", "nchannel", "content_type", "embed"),
    },
)
_PAIR = _kind({"name", "class", "geom1", "geom2"}, set(), set(), open=True)
_CAMERA = _kind({"name", "class", "mode", "target", *_POSE}, set(), set(), open=True)
_BODY_PARTS = (
    *("inertial", "joint", "freejoint", "geom", "site", "camera", "light", "body", "frame", "replicate"),
    *("attach", "plugin", "flexcomp", "composite"),
)

KINDS: dict[str, Kind] = {
    "mujoco": _kind(
        {"model"},
        set(),
        set(),
        (
            *("compiler", "option", "size", "visual", "statistic", "default", "custom", "extension", "asset"),
            *("worldbody", "contact", "deformable", "equality", "tendon", "actuator", "sensor", "keyframe"),
        ),
    ),
    "compiler": _kind(
        {
            *("angle", "eulerseq", "meshdir", "texturedir", "assetdir", "autolimits", "inertiafromgeom"),
            *("inertiagrouprange", "coordinate", "balanceinertia", "boundmass", "boundinertia", "fitaabb"),
            "settotalmass",
        },
        {"strippath", "fusestatic", "discardvisual", "alignfree", "conflict", "passthrough"},
        {"usethread", "savecanonical", "savecompiled", "saveinertial", "convexhull"},
        ("lengthrange",),
    ),
    "lengthrange": _picture(),
    "option": _kind({"timestep", "gravity"}, set(), set(), ("flag",), open=True),
    "flag": _kind({"gravity"}, set(), set(), open=True),
    "size": _picture(),
    "visual": _picture(("global", "quality", "headlight", "map", "scale", "rgba")),
    **{name: _picture() for name in ("global", "quality", "headlight", "map", "scale", "rgba")},
    "statistic": _picture(),
    "custom": _kind(set(), set(), set(), ("numeric", "text", "tuple")),
    "numeric": _kept(),
    "text": _kept(),
    "tuple": _lost("kido has nothing for tuples of elements"),
    "extension": _lost("kido has no plugins of this kind"),
    "default": _kind(
        {"class"},
        set(),
        set(),
        (
            *("default", "mesh", "texture", "material", "joint", "geom", "site", "camera", "light", "pair"),
            *("equality", "tendon", *ACTUATORS),
        ),
    ),
    "asset": _kind(set(), set(), set(), ("mesh", "hfield", "skin", "texture", "material", "model")),
    "mesh": _MESH,
    "hfield": _kind({"name", "file", "nrow", "ncol", "size", "elevation"}, {"content_type"}),
    "skin": _picture(("bone",)),
    "bone": _picture(),
    "texture": _TEXTURE,
    "material": Kind(_MATERIAL.honoured, _MATERIAL.reported, _MATERIAL.pictured, ("layer",)),
    "layer": _picture(),
    "model": _kind({"name", "file"}, {"content_type"}),
    "worldbody": _kind({"name"}, set(), set(), _BODY_PARTS),
    "body": _kind(
        {"name", "childclass", "mocap", "gravcomp", *_POSE},
        {"sleep", "simple", "fuse", "user"},
        set(),
        _BODY_PARTS,
    ),
    "frame": _kind({"name", "childclass", *_POSE}, set(), set(), _BODY_PARTS),
    "replicate": _kind({"count", "sep", "offset", "euler", "childclass"}, set(), set(), _BODY_PARTS),
    "attach": _kind({"model", "body", "prefix"}, {"frame"}),
    "inertial": _kind({"mass", "diaginertia", "fullinertia", *_POSE}),
    "joint": _JOINT,
    "freejoint": _kind({"name"}, {"align"}, {"group"}),
    "geom": Kind(_GEOM.honoured, _GEOM.reported, _GEOM.pictured, ("plugin",)),
    "site": _SITE,
    "camera": _CAMERA,
    "light": _picture(),
    "plugin": _lost("kido has no plugins of this kind"),
    "flexcomp": _lost("a deformable body is left out"),
    "composite": _lost("a composite is left out"),
    "deformable": _lost("deformable bodies and skins are left out"),
    "contact": _kind(set(), set(), set(), ("pair", "exclude")),
    "pair": _PAIR,
    "exclude": _kind({"name", "body1", "body2"}),
    "equality": _kind(set(_SOLVER) | {"active"}, set(), set(), EQUALITIES),
    **{f"equality {tag}": _kept() for tag in EQUALITIES[:3]},
    **{f"equality {tag}": _lost(f"kido has no equality constraints of a {tag}") for tag in EQUALITIES[3:]},
    "tendon": _kind(set(), set(), set(), ("spatial", "fixed")),
    "spatial": _lost("kido has no tendons: its springs, limits and forces do not act"),
    "fixed": _lost("kido has no tendons: its springs, limits and forces do not act"),
    "actuator": _kind(set(), set(), set(), ACTUATORS),
    **{f"actuator {tag}": kind for tag, kind in _ACTUATOR_KINDS.items()},
    "sensor": _picture(),
    "keyframe": _kind(set(), set(), set(), ("key",)),
    "key": _kind({"name", "time", "qpos", "qvel", "ctrl"}, {"act", "mpos", "mquat", "plastic"}),
}
"""What kido knows of each element. Of equality constraints and actuators the key begins with the section."""
