"""Frozen values: checked where they are made, compared and hashed by content, pickled, saved, loaded."""

from kido.values._checks import (
    checked_flag,
    checked_function,
    checked_items,
    checked_member,
    checked_name,
    checked_part,
    checked_path,
    checked_positive,
    checked_text,
    checked_whole,
)
from kido.values._content import hash_of_content, same_content
from kido.values._field import (
    Array,
    Checked,
    Transform,
    array,
    checked,
    file_path,
    flag,
    items,
    number,
    part,
    read_only,
    text,
    whole,
)
from kido.values._file import document_of, read_document, value_of_document, write_document
from kido.values._frozen import frozen_content, is_frozen, require_frozen
from kido.values._registry import is_of_kido, register
from kido.values._text_file import check_place, write_file, write_text_file
from kido.values._value import Value, value

__all__ = [
    "Array",
    "Checked",
    "Transform",
    "Value",
    "array",
    "check_place",
    "checked",
    "checked_flag",
    "checked_function",
    "checked_items",
    "checked_member",
    "checked_name",
    "checked_part",
    "checked_path",
    "checked_positive",
    "checked_text",
    "checked_whole",
    "document_of",
    "file_path",
    "flag",
    "frozen_content",
    "hash_of_content",
    "is_frozen",
    "is_of_kido",
    "items",
    "number",
    "part",
    "read_document",
    "read_only",
    "register",
    "require_frozen",
    "same_content",
    "text",
    "value",
    "value_of_document",
    "whole",
    "write_document",
    "write_file",
    "write_text_file",
]
