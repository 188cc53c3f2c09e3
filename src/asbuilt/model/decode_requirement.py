"""`cluster.yaml` to a `Requirement` and back. All problems at once, then the rules between fields (`requirement_rules`)."""

from __future__ import annotations

from asbuilt.base.decode import PATTERN_WORDS, Grammar, decode_record, in_order
from asbuilt.base.encode import canonical_record, encode_record
from asbuilt.base.problem import ProblemError
from asbuilt.model.requirement import CIDR, DOMAIN, HOST, NAME, Requirement
from asbuilt.model.requirement_problems import CODES
from asbuilt.model.requirement_rules import broken_rules
from asbuilt.model.requirement_software import LOCK

SCHEMA = "requirement"
VERSION = 1
GRAMMAR = Grammar(SCHEMA, VERSION, CODES)

PATTERN_WORDS[NAME] = "letters, digits, dot, underscore and hyphen, starting with a letter or digit, at most 63 characters"
PATTERN_WORDS[LOCK] = "a component, or firmware.PART, package.NAME, module.NAME, file./PATH, without blanks"
PATTERN_WORDS[HOST] = "the name or id of a node: letters, digits, dot, colon, underscore and hyphen"
PATTERN_WORDS[CIDR] = "an IPv4 range of prefix 8 to 30: 10.0.0.0/16"
PATTERN_WORDS[DOMAIN] = "a DNS domain: labels of small letters, digits and hyphens, joined by dots"
PATTERN_WORDS[r"^[A-D]$"] = "one of the feed letters A, B, C, D"


def decode(text: bytes, file: str) -> Requirement:
    """The requirement in ``text``; ``file`` is its name for messages.

    Raises ``ProblemError`` (codes REQ-…) with every problem found, in the order of their places.
    """
    decoded = decode_record(text, file, Requirement, GRAMMAR)
    problems = [*decoded.problems, *broken_rules(decoded)]
    if problems:
        raise ProblemError(in_order(problems, CODES, file))
    return decoded.value


def encode(requirement: Requirement) -> str:
    """Canonical YAML of ``requirement``: ``decode(encode(r)) == r``. Comments of an original file are not kept."""
    return encode_record(requirement, f"{SCHEMA}/v{VERSION}")


def canonical(requirement: Requirement) -> bytes:
    """The bytes that the plan hash covers: equal for requirements that state the same."""
    return canonical_record(requirement, f"{SCHEMA}/v{VERSION}")
