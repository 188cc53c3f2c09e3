"""The twin's own plain readers, and the equality report: what counts as equal, as different, as not read."""

from __future__ import annotations

from typing import Sequence

from asbuilt.rehearse import readback, readers
from asbuilt.rehearse.equality import Equality, Tally, routes
from asbuilt.rehearse.growth import changes
from asbuilt.rehearse.managers import AN_ERROR, NOT_TAKEN
from asbuilt.rehearse.predicted import changed_rows
from asbuilt.rehearse.proof import Proof, Step
from asbuilt.rehearse.queries import Answer, Desk, silent, transcript
from asbuilt.rehearse.readback import Readback
from asbuilt.rehearse.simulator import sizes, substituted

PKEYS = b"""$ smpquery pkeys 80 1
   0: 0x7fff 0x8100 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000
   8: 0x0000 0x0000 0x0000 0x8200 0x0000 0x0000 0x0000 0x0000
16 pkeys capacity for this port
$ smpquery pkeys 81 1
$ smpquery pkeys 82 1
   0: 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000 0x0000
8 pkeys capacity for this port
"""
LANES = b"""$ smpquery sl2vl 16 3
# SL2VL table: Lid 16
#                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|
ports: in  0, out  3: | 0| 1| 2| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|15|
ports: in 12, out  3: | 0| 1| 2| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0| 0|
"""
ARBITRATION = b"""$ smpquery vlarb 80 1
# VLArbitration tables: Lid 80 port 1 LowCap 8 HighCap 8
# Low priority VL Arbitration Table:
VL    : |0x0 |0x1 |0x0 |
WEIGHT: |0x40|0xC0|0x0 |
# High priority VL Arbitration Table:
VL    : |0x2 |0x0 |0x0 |
WEIGHT: |0x4 |0x0 |0x0 |
"""
ROUTES = b"""$ ibroute 16
Unicast lids [0x0-0x52] of switch Lid 16 guid 0x0281f7e490b1d300 (leaf):
  Lid  Out   Destination
       Port     Info
0x0010 000 : (Switch portguid 0x0281f7e490b1d300: 'leaf')
0x0050 017 : (Channel Adapter portguid 0x02e67a8f0c6e4c01: 'node0000 mlx5_0')
2 valid lids dumped
$ ibroute -n 17
Unicast lids [0x0-0x52] of switch Lid 17 guid 0x02bade3e4e2a4400 (leaf):
  Lid  Out   Destination
       Port     Info
0x0050 030
1 valid lids dumped
"""
DISCOVERY = b"""switchguid=0x281f7e490b1d300(281f7e490b1d300)
Switch\t129 "S-0281f7e490b1d300"\t\t# "leaf 1" enhanced port 0 lid 16 lmc 0
[1]\t"H-02e67a8f0c6e4c00"[1](2e67a8f0c6e4c01) \t\t# "node0000 mlx5_0" lid 80 4xHDR
[65]\t"S-0225b17ada4cfa00"[5]\t\t# "spine" lid 32 4xHDR

caguid=0x2e67a8f0c6e4c00
Ca\t1 "H-02e67a8f0c6e4c00"\t\t# "node0000 mlx5_0"
[1](2e67a8f0c6e4c01) \t"S-0281f7e490b1d300"[1]\t\t# lid 80 lmc 2 "leaf 1" lid 16 4xHDR
"""


def test_tables_of_ports() -> None:
    assert readers.partition_tables(PKEYS) == {(80, 1): {0: 0x7FFF, 1: 0x8100, 11: 0x8200}, (82, 1): {}}
    lanes = readers.lane_tables(LANES)[16, 3]
    assert lanes[0][-1] == 15 and lanes[12] == (0, 1, 2, *[0] * 13)
    wanted = {("low", 0): (0, 64), ("low", 1): (1, 192), ("high", 0): (2, 4)}
    assert readers.arbitration_tables(ARBITRATION) == {(80, 1): wanted}


def test_tables_of_the_fabric() -> None:
    assert readers.forwarding_tables(ROUTES) == {16: {16: 0, 80: 17}, 17: {80: 30}}
    assert readers.end_ports(DISCOVERY) == {("0281f7e490b1d300", 0): (16, 0), ("02e67a8f0c6e4c00", 1): (80, 2)}
    assert ("0281f7e490b1d300", 65, "0225b17ada4cfa00", 5) in readers.cables(DISCOVERY)
    assert len(readers.cables(DISCOVERY)) == 3
    said = b"$ sminfo 48\nsminfo: sm lid 48 sm guid 0x2c63d66005e8901, activity count 7 priority 14 state 3 SMINFO_MASTER \n"
    assert readers.managers(said) == [(48, "02c63d66005e8901", 14, "master")]
    paths = b"$ saquery -p --slid 1 --dlid 2 --pkey 0x8100\nPathRecord dump:\n$ saquery -p --slid 1 --dlid 3 --pkey 0x8100\n"
    assert [count for _, count in readers.path_records(paths)] == [1, 0]


def test_readers_take_any_text() -> None:
    for text in (b"", b"\xff\xfe$ smpquery\n", b"$ smpquery pkeys\n", ROUTES[:90], LANES[:200], b"$ ibroute\n"):
        readers.end_ports(text)
        readers.cables(text)
        readers.managers(text)
        assert not any(readers.forwarding_tables(text).values())


def test_a_row_that_nobody_read_is_never_equal() -> None:
    wanted = {16: {16: 0, 80: 17, 81: 255}, 17: {80: 30}, 18: {80: 1, 81: 2}}
    answer = routes(wanted, readers.forwarding_tables(ROUTES))
    assert (answer.compared, answer.equal) == (4, 4)
    assert answer.left_out == {"the port was not asked": 2}
    other = routes({16: {16: 0, 80: 18}}, readers.forwarding_tables(ROUTES))
    assert other.differences == ("switch 16 to 80: planned 18, found 17",) and not other.holds
    assert not Equality("nothing", 0, 0).holds


def test_rows_that_one_side_alone_has_are_differences() -> None:
    tally = Tally("t")
    tally.rows("port", {0: "0x7fff", 1: "0x8100"}, {0: "0x7fff", 2: "0x8100"})
    done = tally.done()
    assert (done.compared, done.equal) == (3, 1)
    assert done.differences == ("port 1: planned 0x8100, found none", "port 2: planned none, found 0x8100")


def test_growth_is_held_against_its_prediction() -> None:
    was, now = {16: {80: 17, 81: 18}}, {16: {80: 17, 81: 19, 90: 3}}
    assert changed_rows(was, now) == {16: {81: 19}}

    def read(port: int) -> Readback:
        text = f"$ ibroute 16\nUnicast lids\n0x0050 017\n0x0051 {port:03d}\n".encode()
        return Readback("ib0", {"ibroute": text})

    right, changed = changes(read(18), read(19), was, now)
    assert right.holds and changed == 1
    wrong, changed = changes(read(18), read(18), was, now)
    assert (wrong.compared, wrong.equal, changed) == (2, 1, 0)


def proof(**said: object) -> Proof:
    return Proof("bring-up", "ib0", {}, {}, (Step("x", "y", True),), (Equality("t", 2, 2),), **said)  # type: ignore[arg-type]


def test_what_fails_a_rehearsal_and_what_leaves_it_open() -> None:
    assert not proof().failed and not proof().open and proof().rows == (2, 2)
    assert proof(bad_lines=("PARSE ERROR",)).failed
    assert proof(silent=("sminfo 49",)).open
    assert Proof("s", "ib0", {}, {}, (Step("x", "y", False),)).failed
    assert Proof("s", "ib0", {}, {}, (), (Equality("t", 2, 1),)).failed
    assert Proof("s", "ib0", {}, {}, (), (Equality("t", 0, 0, {"no answer": 3}),)).open
    assert proof().as_json()["rows"] == {"compared": 2, "equal": 2}


def test_words_of_a_line_that_was_not_taken() -> None:
    for line in (
        b"PARSE ERROR: line 2: bad partition definition",
        b'Unrecognized token: "sm_prioriti"',
        b"osm_qos_policy_validate: ERR AC14: pkey 0x0300 in match rule - partition doesn't exist",
        b"Failed to setup routing engine 'no_fallback'",
        b"fabric_construct_hca_ports: ERR AB0D: hasn't been identified as FatTree",
        b"falling back to minhop",
        b"No routing engine able to successfully configure switch tables",
    ):
        assert NOT_TAKEN.search(line), line
    assert AN_ERROR.search(b"sm_mad_ctrl_send_err_cb: ERR 3113: MAD completed in error")
    for line in (b"SUBNET UP", b"Entering MASTER state", b"osm_ucast_mgr_process: ftree tables configured on all switches"):
        assert not NOT_TAKEN.search(line) and not AN_ERROR.search(line)


def test_speeds_that_ibsim_does_not_know() -> None:
    dump = b'[1]\t"S-1"[2]\t# "a 4xNDR b" lid 0 2xNDR\n[2]\t"S-1"[3]\t# "x" lid 0 4xEDR\n[3]\t"S-1"[4]\t# "x" lid 0 4xHDR\n'
    alike, counts = substituted(dump, alike=True)
    assert counts == {"2xNDR": 1, "4xEDR": 1} and alike.count(b" 4xHDR\n") == 3 and b"a 4xNDR b" in alike
    kept, counts = substituted(dump.replace(b"a 4xNDR b", b"a"))
    assert counts == {"2xNDR": 1} and b"2xHDR" in kept and b"4xEDR" in kept
    assert sizes(b'Switch\t64 "S-1"\nCa\t2 "H-1"\n') == ["-N", "10", "-S", "9", "-P", "132", "-L", "49152"]


HALF = b"# VLArbitration tables: Lid 81 port 1 LowCap 8 HighCap 8\n"  # all that smpquery had printed when it gave up


class SlowDesk(Desk):
    """Answers a question when it is asked the ``wanted``-th time."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.heard: dict[tuple[str, ...], int] = {}

    def ask_all(self, questions: Sequence[tuple[str, ...]]) -> list[Answer]:
        found = []
        for words in questions:
            self.heard[words] = self.heard.get(words, 0) + 1
            late = words[1] != "nodeinfo" and self.heard[words] < self.wanted
            found.append(Answer(words, HALF if late else b"said\n", b"timed out\n" if late else b"", 255 if late else 0))
        return found


def test_a_port_that_did_not_answer_in_time_is_asked_again() -> None:
    ports = [(80, 1, ("nodeinfo", "pkeys")), (81, 1, ("nodeinfo", "vlarb"))]
    patient = SlowDesk(readback.PORT_TIMES + 1)
    answers = readback._ask_ports(patient, ports)
    assert [a.words[1] for a in answers] == ["nodeinfo", "pkeys", "nodeinfo", "vlarb"]
    assert silent(answers) == ()
    deaf = SlowDesk(readback.PORT_TIMES + 2)
    answers = readback._ask_ports(deaf, ports)
    assert silent(answers) == ("smpquery pkeys 80 1: exit 255: timed out", "smpquery vlarb 81 1: exit 255: timed out")
    assert deaf.heard[("smpquery", "nodeinfo", "80", "1")] == 1
    told = transcript([a for a in answers if a.code == 0])
    assert readers.arbitration_tables(told) == {}, "a question without an answer is no empty table"
    assert readers.arbitration_tables(transcript(answers)) != {}
