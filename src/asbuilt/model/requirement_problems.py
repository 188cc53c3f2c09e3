"""Problem codes of `cluster.yaml`: what each means in general. The message on the spot has the particulars."""

from __future__ import annotations

from asbuilt.base.fault import Fault

CODES: dict[Fault, str] = {
    Fault.TOO_LARGE: "REQ-001",
    Fault.EMPTY: "REQ-002",
    Fault.NOT_UTF8: "REQ-003",
    Fault.OTHER_ENCODING: "REQ-004",
    Fault.CONTROL_CHARACTER: "REQ-005",
    Fault.LOOKALIKE_SPACE: "REQ-006",
    Fault.SYNTAX: "REQ-010",
    Fault.TAB: "REQ-011",
    Fault.UNCLOSED: "REQ-012",
    Fault.INDENTATION: "REQ-013",
    Fault.SEVERAL_DOCUMENTS: "REQ-014",
    Fault.ALIAS: "REQ-015",
    Fault.TAG: "REQ-016",
    Fault.TOO_DEEP: "REQ-017",
    Fault.KEY_NOT_TEXT: "REQ-018",
    Fault.DUPLICATE_KEY: "REQ-019",
    Fault.NO_SCHEMA: "REQ-020",
    Fault.OTHER_SCHEMA: "REQ-021",
    Fault.UNKNOWN_KEY: "REQ-022",
    Fault.MISSING: "REQ-023",
    Fault.NO_VALUE: "REQ-024",
    Fault.WRONG_TYPE: "REQ-025",
    Fault.NUMBER_FORM: "REQ-026",
    Fault.OUT_OF_RANGE: "REQ-027",
    Fault.NOT_A_CHOICE: "REQ-028",
    Fault.PATTERN: "REQ-029",
    Fault.LENGTH: "REQ-030",
    Fault.UNQUOTED: "REQ-031",
    Fault.TOO_MANY: "REQ-032",
}
