"""The lamps of pictures, and how opaque surfaces give their light back."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LAMPS", "SPECULAR_POWER", "light_opaque"]

LAMPS = (((-1.3, 1.7, 2.2), 0.72), ((2.2, 0.4, 1.4), 0.26), ((0.3, 1.2, -2.0), 0.32))
"""Place (right, up, towards the camera) and strength of the main light, the fill, the one from behind."""
SPECULAR_POWER = 24
"""Exponent of the specular part of light."""


def light_opaque(properties: Any) -> None:
    """Have the shader of an opaque surface (vtkShaderProperty) compute with the lamps as constants, and drop
    no pixel.

    The picture is that of VTK's own shader, which knows neither the lamps nor the exponent, and may drop
    pixels: drivers then draw surfaces that are hidden behind others too.
    """
    properties.AddFragmentShaderReplacement("if (fragOutput0.a <= 0.0)", True, "if (false)", False)
    properties.AddFragmentShaderReplacement("//VTK::Light::Impl", True, _shading(), False)


def _shading() -> str:
    """The light of all lamps on a point, in GLSL."""
    lines = ["vec3 eye = normalize(-vertexVC.xyz);", "vec3 diffuse = vec3(0.0);"]
    lines += ["float shine = 0.0;", "float turned;", "float mirrored;"]
    for place, strength in LAMPS:
        x, y, z = np.array(place) / np.linalg.norm(place)
        lamp = f"vec3({x:.9g}, {y:.9g}, {z:.9g})"
        lines += [
            f"turned = dot(normalVCVSOutput, {lamp});",
            f"mirrored = max(0.0, dot(2.0 * turned * normalVCVSOutput - {lamp}, eye));",
            f"diffuse += vec3({strength} * max(0.0, turned));",
            f"shine += turned > 0.0 ? {strength} * {_power('mirrored', SPECULAR_POWER)} : 0.0;",
        ]
    lines.append(
        "fragOutput0 = vec4(ambientColor + diffuse * diffuseColor + shine * specularColor, opacity);"
    )
    return "\n".join(f"  {line}" for line in lines)


def _power(name: str, exponent: int) -> str:
    """A power of a number by squares."""
    if exponent == 1:
        return name
    half = _power(name, exponent // 2)
    return f"({half} * {half}{f' * {name}' if exponent % 2 else ''})"
