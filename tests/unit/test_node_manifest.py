"""manifest.tsv of a node's archive."""

from __future__ import annotations

from asbuilt.parsers import node_manifest

HEAD = "# asbuilt capture set v1 plan 0123456789ab node gpu001\nid\texit_code\tseconds\tstarted\toutcome\tcommand\n"
ROWS = (
    "lscpu\t0\t0.02\t2026-12-01T02:06:42Z\tran\tlscpu\n"
    "nvidia-smi\t124\t60.03\t2026-12-01T02:06:43Z\ttimed_out\tnvidia-smi -q\n"
    "numactl\t-\t0.00\t2026-12-01T02:07:43Z\tabsent\tnumactl -H\n"
)


def parsed(text: str, subject: str = "") -> tuple[list[tuple[object, ...]], tuple[int, int, int]]:
    facts = node_manifest.parse(text.encode(), "m", subject)
    account = facts.accounts["m"]
    rows = facts.tables["command_facts"].rows() if facts.has("command_facts") else []
    return rows, (account.facts, account.ignorable, account.unread)


def test_every_row_is_a_fact() -> None:
    rows, account = parsed(HEAD + ROWS)
    assert rows == [
        (None, "lscpu", "ran", 0, 0.02, "2026-12-01T02:06:42Z", "m", 3),
        (None, "numactl", "absent", None, 0.0, "2026-12-01T02:07:43Z", "m", 5),
        (None, "nvidia-smi", "timed_out", 124, 60.03, "2026-12-01T02:06:43Z", "m", 4),
    ]
    assert account == (3, 2, 0)
    assert [r[0] for r in parsed(HEAD + ROWS, "gpu001")[0]] == ["gpu001"] * 3
    assert node_manifest.sniff((HEAD + ROWS).encode())
    assert not node_manifest.sniff(ROWS.encode())


def test_what_the_script_does_not_write_is_unread() -> None:
    wrong = "lscpu\t0\t0.02\t2026-12-01T02:06:42Z\tfine\tlscpu\nlscpu\tx\t0\t2026-12-01T02:06:42Z\tran\tlscpu\nhello\n"
    assert parsed(HEAD + wrong) == ([], (0, 2, 3))
    assert parsed(HEAD + "lscpu\t0\t-1\t2026-12-01T02:06:42Z\tran\tlscpu\n") == ([], (0, 2, 1))


def test_a_cut_gives_a_part_of_the_facts() -> None:
    text = HEAD + ROWS
    whole = set(parsed(text)[0])
    for end in range(len(text)):
        rows, account = parsed(text[:end])
        assert set(rows) <= whole
        assert sum(account) == len(text[:end].splitlines())
    assert len(parsed(text[:-1])[0]) == 2  # the command in the last line may be longer
