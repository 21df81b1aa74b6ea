"""Inverse kinematics: positions of joints that put bodies where they are wanted."""

from __future__ import annotations

from kido.ik._closed_form import ClosedForm, ClosedFormSolutions
from kido.ik._module import InverseKinematics
from kido.ik._properties import IKProperties
from kido.ik._result import IKResult, IKResults, IKStatus
from kido.ik._settings import SearchSettings

__all__ = [
    "ClosedForm",
    "ClosedFormSolutions",
    "IKProperties",
    "IKResult",
    "IKResults",
    "IKStatus",
    "InverseKinematics",
    "SearchSettings",
]
