"""What each problem code means in general, for `asbuilt explain`. The message on the spot has the particulars.

Codes of `cluster.yaml` stand in `asbuilt.model.requirement_problems`.
"""

from __future__ import annotations

from asbuilt.model.requirement_problems import MEANINGS as REQUIREMENT

#: Code -> what the problem means in general, and why it is refused.
PROBLEMS: dict[str, str] = {
    **REQUIREMENT,
    "REQ-401": "The number of GPUs is outside of what can be designed, 8 to 1,048,576.",
    "REQ-403": "The fabric profile does not fit the system, or the system names none. `asbuilt catalogue fabric` lists them.",
    "REQ-404": "The switch speaks another link layer than its plane. Its ports would never come up.",
    "REQ-405": "The switch cannot run the rate that the plane asks for, or cannot be split to it.",
    "REQ-408": "The leaves, node slots, rails and uplinks asked for make no whole blocks, or do not fit the ports of a leaf.",
    "REQ-409": "A plane shares the switches of a plane that is not there, or that owns none.",
    "REQ-410": "Service hosts or guest planes are put on spines that have no free port, because the plane needs a third tier.",
    "CAT-001": "The catalogue has no such kind of part. `asbuilt catalogue` lists the kinds.",
    "CAT-002": "The catalogue has no such part. `asbuilt catalogue KIND` lists them; a project's `catalogue/` adds more.",
    "CAT-003": "The part does not state a figure that the result needs. A figure that nobody stated is unknown, not zero.",
    "CAT-004": "A catalogue file cannot be read: missing rights, too large, or not UTF-8.",
    "CAT-005": "A catalogue file is not plain YAML: broken grammar, anchors, or nested too deeply.",
    "CAT-006": "A catalogue file has an unknown, repeated or missing key. Ignored, a typing mistake would lose a figure.",
    "CAT-007": "A figure lacks its value, unit, source or confidence. A number without a source is not a fact.",
    "CAT-008": "The confidence or origin of a figure is none of the words that the catalogue knows.",
    "CAT-009": "The unit of a figure is not the one that its name demands.",
    "CAT-010": "The kind or id in a catalogue file is not that of its folder or file name.",
    "CAT-011": "A part does not state all figures that its kind must have.",
    "CAT-012": "A figure is unknown for this kind of part, or has the wrong shape.",
    "CAT-013": "A catalogue folder is missing, holds an unknown kind, or describes one part twice.",
    "PLN-001": "A tier is missing or too small: some link would have no port. The message names plane and tier.",
    "PLN-002": "The wiring rules would put two links on one port.",
    "PLN-003": "A name template cannot be filled, or gives two devices one name.",
    "ART-001": "A name of the plan cannot be written in the target's format.",
    "CLI-001": "The option is unknown. `asbuilt --help` lists those before a command, `asbuilt COMMAND --help` those after it.",
    "CLI-002": "There is no such command. `asbuilt --help` lists them by task.",
    "CLI-070": "A fault of asbuilt, not of the input. Run again with ASBUILT_TRACEBACK=1 and report the output.",
    "CLI-020": "The kind of fault is unknown. The message lists the kinds.",
    "CLI-021": "The fault is not written as its kind wants: too many or too few arguments.",
    "CLI-022": "The fault names a device or port that is not in the plan.",
    "CLI-023": "The fault cannot be made there: the ends are the same, or of the wrong kind.",
    "CLI-024": "The programs that this engine needs are not installed.",
    "CLI-025": "The simulator did not start, or did not answer in time.",
    "CLI-040": "A capture cannot be read, or is not there.",
    "CLI-041": "There is no parser for that tool.",
    "CLI-042": "The manifest beside a capture is not as it should be.",
    "CLI-043": "It cannot be told which tool wrote a capture. A guess could turn nonsense into facts: name the tool.",
    "CLI-050": "There is no check or problem code of that name. `asbuilt explain` lists all.",
    "CLI-301": "The address of the page has a parameter that it does not know.",
    "CLI-302": "A parameter of the page's address is too long.",
    "CLI-303": "The GPU count in the address is not a whole number.",
    "CLI-304": "The GPU count in the address is outside of what can be sized.",
    "CLI-305": "A number in the address cannot be read or is out of its range.",
    "CLI-306": "The cooling in the address is none of those known.",
    "PRJ-010": "There is no template of that name. `asbuilt new` lists them.",
    "PRJ-011": "A file is in the way. Nothing is overwritten silently.",
    "PRJ-012": "The file cannot be written there.",
}
