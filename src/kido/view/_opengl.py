"""Check for a working OpenGL, made before VTK is called, which ends the process where there is none."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

from kido.errors import RenderError

__all__ = ["require_opengl"]

_OSMESA = ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")
_DEVICE_PLATFORM = 0x313F
_MOST_DEVICES = 32


def require_opengl() -> None:
    """Raises RenderError where neither a display, nor EGL, nor OSMesa lets VTK draw."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or _draws_without_display()):
        raise RenderError(
            "pictures need OpenGL: no display, and neither EGL nor OSMesa works here; "
            "on Debian and Ubuntu: apt-get install libegl1 libgl1-mesa-dri"
        )


@cache
def _draws_without_display() -> bool:
    return _egl_works() or any(_library(name) is not None for name in _OSMESA)


def _egl_works() -> bool:
    """True if EGL has a device that can be initialized, as VTK does."""
    egl = _library("libEGL.so.1")
    if egl is None:
        return False
    address = egl.eglGetProcAddress
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    found = address(b"eglQueryDevicesEXT"), address(b"eglGetPlatformDisplayEXT")
    if not all(found):
        return False
    handle, number = ctypes.c_void_p, ctypes.c_int
    query = ctypes.CFUNCTYPE(number, number, ctypes.POINTER(handle), ctypes.POINTER(number))(found[0])
    display = ctypes.CFUNCTYPE(handle, number, handle, handle)(found[1])
    egl.eglInitialize.restype, egl.eglInitialize.argtypes = number, [handle, handle, handle]
    devices, count = (handle * _MOST_DEVICES)(), number(0)
    query(_MOST_DEVICES, devices, ctypes.byref(count))
    displays = (display(_DEVICE_PLATFORM, device, None) for device in devices[: count.value])
    return any(egl.eglInitialize(shown, None, None) for shown in displays)


def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None
