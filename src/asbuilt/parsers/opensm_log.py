"""OpenSM's log and what it prints: the words that say that something went wrong, was passed over, or that the subnet is up.

OpenSM goes on after a line of its files that it can't read, and ends with exit status 0: only these words tell. `WORDS` is
the table of them, taken from the messages of OpenSM 3.3.23; another word is one more row. Every other line of the log is
ignorable when it has the form of one; a line that has no form that OpenSM writes is unread.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from asbuilt.model.facts import Facts
from asbuilt.model.facts_subnet import SM_LOG_FACTS
from asbuilt.parsers.grammar import Reading, read, rule
from asbuilt.parsers.host_lines import FACT, UNREAD

TOOL = "opensm-log"
Array = np.ndarray[Any, Any]
#: (what, pattern over the message): the first that is found decides. A group is the code where no ``ERR xxxx`` stands there.
WORDS: tuple[tuple[str, str], ...] = (
    ("duplicate", r"ERR (0D01|0D13|0D15|0D19|0D1C)\b"),
    ("duplicate", r"(Duplicate GUID|Duplicate Port GUID|Found duplicated node GUID|Duplicate alias port GUID)"),
    ("ignored", r"(PARSE ERROR|PARSE WARN)"),
    ("ignored", r"(Parsing error in field|Error in QoS Policy File|failed to open node name map)"),
    ("ignored", r"(Unrecognized token)"),
    ("ignored", r"(Warning): Cached Option"),
    ("ignored", r"(Invalid Cached Option)"),
    ("ignored", r"ERR (AC[0-9A-F]{2})\b"),
    # of 0x7fff it says so always: OpenSM makes that one before it reads the file
    ("ignored", r"(Duplicated partition definition): '[^']*' \(0x(?:[^7]|7[^f]|7f[^f]|7ff[^f])"),
    ("ignored", r"(extra tokens ignored|illegal GUID|cannot find or setup)"),
    ("ignored", r"(?i)(can(?:'t|not) open (?:config|file|partition|guid|qos)\w*)"),
    ("fallback", r"(falling back|fallback to)"),
    ("fallback", r"(Failed to setup routing engine|[Ss]etup of routing engine '[^']*' failed|No routing engine able)"),
    ("topology", r"ERR (AB[0-9A-F]{2})\b"),
    ("topology", r"(topology is not|not been identified as FatTree|hasn't been identified as FatTree)"),
    ("handover", r"(?:Entering|ENTERING) (DISCOVERING|STANDBY|MASTER|NOTACTIVE|NOT ACTIVE|INIT) (?:state|STATE)"),
    ("handover", r"(Received a STANDBY signal|Exiting SM|Got signal \d+|SM port is down)"),
    ("subnet_up", r"(SUBNET UP)"),
    ("routing", r"(\S+) tables configured on all switches"),
    ("trap", r"(?:Received|Reporting) Generic Notice type:\d+ num:(\d+)"),
    ("trap", r"Received trap:(\d+)|Received trap (\d+)"),
    ("error", r"ERR ([0-9A-Z]{4,5})\b"),
    ("error", r"(ERRORS DURING INITIALIZATION|Errors during initialization|FATAL|ERROR)\b"),
)
_LOGGED = r"[A-Z][a-z][a-z] <n> <n>:<n>:<n> <n> \[[0-9A-Za-z<n>]*\] <h> -> "
_RULES = (
    rule("log", _LOGGED + r".*"),
    rule(
        "print",
        r"-+|OpenSM <n>\.<n>\.<n>.*|Config file is `.*|(?:Reading|Loading) (?:Cached|Config).*|Command Line Arguments:.*",
    ),
    rule("print", r"Log File: .*|Using default GUID <h>|OpenSM: .*|Exiting SM.*|(?:Entering|ENTERING) .* (?:state|STATE).*"),
    rule(
        "print",
        r"SUBNET UP.*|HEAVY SWEEP.*|INITIATING HEAVY SWEEP.*|Warning: .*|Invalid Cached Option.*|Unrecognized token: .*",
    ),
    rule(
        "print",
        r"Priority = .*|Max wire.*|Activate .*|Guid <h>|Choose guid .*|.* (?:is|are) (?:set|enabled|disabled).*|[Ff]allback.*",
    ),
    rule(
        "print",
        r"\**\s*(?:ERRORS DURING INITIALIZATION|PARSE ERROR|FATAL|Errors during init).*|SM started in .*|<n>: GUID <h>.*",
    ),
    rule("print", r"-E- .*|WARNING .*|Error in QoS Policy File.*"),
    rule(
        "print",
        r"[A-Z][A-Za-z -]* = .*|.*falling back.*|.*[Dd]uplicated? (?:node |port |alias port )?GUID.*|.*routing engine.*",
    ),
)
#: What may follow a log line on further lines: routes, dumps; always set in.
_MORE = r"^[ \t]+\S"
_TIME = r"^\s*([A-Z][a-z]{2} +\d+ \d{2}:\d{2}:\d{2} \d+) "
_CODE = r"ERR ([0-9A-Z]{4,5})\b"
_SIGN = re.compile(
    rb"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{1,6} \[[0-9A-F]+\] 0x[0-9A-F]{2} -> |^OpenSM \d+\.\d+\.\d+\s*$", re.M
)


def sniff(data: bytes) -> bool:
    """True for OpenSM's log, or what it prints."""
    return bool(_SIGN.search(data[: 1 << 16]))


def parse(data: bytes, capture_id: str, subject: str = "") -> Facts:
    """Facts of a log or of standard output: ``sm_log_facts``, a row a line that holds one of `WORDS`."""
    reading = read(data, capture_id, subject, _RULES, most=0)
    _continued(reading)
    lines, columns = _found(reading)
    if reading.shapes.cut and len(lines) and lines[-1] == reading.count - 1:
        reading.refuse(lines[-1:])
        columns = {name: values[:-1] for name, values in columns.items()}
        lines = lines[:-1]
    reading.classes[lines] = FACT
    return reading.facts(TOOL, ((SM_LOG_FACTS, columns),))


def _continued(reading: Reading) -> None:
    """Lines that are set in and follow a line of the log go on with it."""
    unread = np.flatnonzero(reading.classes == UNREAD)
    short = unread[reading.shapes.shape[unread] >= 0]
    if not len(short) or not (reading.which[: int(short[-1])] == 0).any():
        return
    inset = reading.texts(short).str.contains(_MORE).to_numpy()
    known = reading.classes != UNREAD
    known[short[inset]] = True
    broken = np.maximum.accumulate(np.where(known, -1, np.arange(reading.count)))
    opened = np.maximum.accumulate(np.where(reading.which == 0, np.arange(reading.count), -1))
    reading.ignore(short[inset & (opened[short] > broken[short])])


def _found(reading: Reading) -> tuple[Array, dict[str, Any]]:
    """(lines that hold a word, columns of ``sm_log_facts``)."""
    import polars as pl

    lines = np.flatnonzero((reading.which != -1) & (reading.which != -2))
    texts = reading.texts(lines)
    any_word = "|".join(f"(?:{pattern})" for _, pattern in WORDS)
    hit = np.flatnonzero(texts.str.contains(any_word).to_numpy())
    lines, texts = lines[hit], texts.gather(pl.Series(hit))
    frame = pl.DataFrame({"text": texts.str.strip_chars(), "line": lines + 1})
    text = pl.col("text")
    what = pl.coalesce([pl.when(text.str.contains(pattern)).then(pl.lit(word)) for word, pattern in WORDS])
    coded = [
        pl.when(text.str.contains(pattern)).then(pl.coalesce(text.str.extract(pattern, g) for g in _groups(pattern)))
        for _, pattern in WORDS
    ]
    made = frame.select(
        text.str.extract(_TIME).alias("time"),
        pl.coalesce(text.str.extract(_CODE), *coded).alias("code"),
        what.alias("what"),
        text.alias("message"),
        "line",
    )
    return lines, {name: made[name] for name in made.columns}


def _groups(pattern: str) -> range:
    return range(1, re.compile(pattern).groups + 1)
