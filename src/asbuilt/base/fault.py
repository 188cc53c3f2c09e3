"""The kinds of mistake a decoded file can hold. Each document gives them its own problem codes."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """What is wrong, independent of the document: reading, YAML grammar, structure, values."""

    TOO_LARGE = "too-large"
    EMPTY = "empty"
    NOT_UTF8 = "not-utf8"
    OTHER_ENCODING = "other-encoding"
    CONTROL_CHARACTER = "control-character"
    LOOKALIKE_SPACE = "lookalike-space"
    SYNTAX = "syntax"
    TAB = "tab"
    UNCLOSED = "unclosed"
    INDENTATION = "indentation"
    SEVERAL_DOCUMENTS = "several-documents"
    ALIAS = "alias"
    TAG = "tag"
    TOO_DEEP = "too-deep"
    KEY_NOT_TEXT = "key-not-text"
    DUPLICATE_KEY = "duplicate-key"
    NO_SCHEMA = "no-schema"
    OTHER_SCHEMA = "other-schema"
    UNKNOWN_KEY = "unknown-key"
    MISSING = "missing"
    NO_VALUE = "no-value"
    WRONG_TYPE = "wrong-type"
    NUMBER_FORM = "number-form"
    OUT_OF_RANGE = "out-of-range"
    NOT_A_CHOICE = "not-a-choice"
    PATTERN = "pattern"
    LENGTH = "length"
    UNQUOTED = "unquoted"
    TOO_MANY = "too-many"
