"""What a subnet manager's log explains: partitions that are not as planned, where it could not read its partition file."""

from __future__ import annotations

from dataclasses import replace

from asbuilt.model.verdict import Finding, Verdict

#: The words of OpenSM's parser of partitions.conf (osm_prtn_config.c, 3.3.23); no other of its files is told so.
UNREAD_PARTITIONS = "PARSE ERROR"
_LOG = "FAB-029"
#: What a manager makes of its partition file: entries, memberships, their order, entries too many.
_PARTITIONS = ("FAB-016", "FAB-017", "FAB-018", "FAB-019")


def with_lost_partitions(found: list[Finding]) -> list[Finding]:
    """``found`` with partitions that are not as planned told by the log line that names their cause: one cause, one finding.

    OpenSM goes on after such a line without the partitions of its file. Where several logs say so, the first of them tells.
    """
    cause = next((f for f in found if f.id == _LOG and f.verdict is Verdict.FAIL and UNREAD_PARTITIONS in f.found), None)
    lost = [f for f in found if f.id in _PARTITIONS and f.verdict is Verdict.FAIL]
    if cause is None or not lost:
        return found
    ports = dict.fromkeys(s for f in lost for s in f.subjects)
    ids = ", ".join(dict.fromkeys(f.id for f in lost))
    number = f"{len(ports)} ports have" if len(ports) > 1 else "one port has"
    told = replace(
        cause,
        cause=f"{cause.cause}; so {number} other partitions than planned ({ids}; {lost[0].found})",
        evidence=tuple(dict.fromkeys((*cause.evidence, *(line for f in lost for line in f.evidence)))),
        subjects=(*cause.subjects, *ports),
    )
    return [told if f is cause else f for f in found if f not in lost]
