"""Reports: one file that needs nothing else, that escapes what it is given and never calls silence a pass."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import polars as pl
import pytest

from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Coverage, Finding, Layer, LinkSummary, Move, Severity, Verdict, Verification
from asbuilt.report.document import outcome, report_json
from asbuilt.report.html import plain, report_html, ticks, verification_html
from little_fabric import little_plan

HOSTILE = '</title></code><script>alert(1)</script><img src=x onerror="alert(2)">`"\'&'


class Page(HTMLParser):
    """Tags, attributes and text of a page; refuses crossed tags."""

    VOID = frozenset({"meta", "br", "img", "link", "input", "hr"})

    def __init__(self, body: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(body)
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack and self.stack.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if not self.stack or self.stack[-1] not in ("style",):
            self.text.append(data)

    @property
    def words(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.text))


def finding(verdict: Verdict = Verdict.FAIL, **changes: object) -> Finding:
    base = Finding(
        "FAB-014", verdict, Severity.MAJOR, Layer.FABRIC, "link:sw:compute/leaf-000-0/3", "gpu002 mlx5_0", "gpu003 mlx5_0",
        "LEAF-01 port 2/1", "two cables are exchanged", "swap the ends", "swap them back", ("ib-01:1204",),
        ("link:sw:compute/leaf-000-0/3", "link:sw:compute/leaf-000-0/4"), "traffic crosses the spine",
    )  # fmt: skip
    return replace(base, **changes)  # type: ignore[arg-type]


def verification(*findings: Finding, kind: str = "verify", **changes: object) -> Verification:
    base = Verification(
        kind, LinkSummary(32, 29, 2, 1, 3, 0, 0), findings, (Move("LEAF-01 2/1", "LEAF-01 2/2", "cable:x"),),
        (Coverage("FAB-014", 32, 29, 3, 0, 0, 0),), "ab" * 32, ("one note",), ("rates are not in this dump",),
    )  # fmt: skip
    return replace(base, **changes)  # type: ignore[arg-type]


SILENT = verification(summary=LinkSummary(32, not_measured=32), coverage=(Coverage("FAB-014", 1, 0, 0, 1, 0, 0),), repairs=())
CLEAN = verification(summary=LinkSummary(32, 32), coverage=(Coverage("FAB-014", 32, 32, 0, 0, 0, 0),), repairs=())


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (verification(finding()), "fail"),
        (verification(finding(), finding(Verdict.ERROR)), "fail"),
        (CLEAN, "pass"),
        (SILENT, "nothing"),
        (replace(SILENT, findings=(finding(Verdict.NOT_MEASURED),)), "nothing"),
        (Verification("verify", LinkSummary(), (), (), ()), "nothing"),
        (Verification("check", LinkSummary(32, not_measured=32), (), (), ()), "nothing"),
        (replace(CLEAN, findings=(finding(Verdict.ERROR),)), "undecided"),
        (replace(CLEAN, summary=LinkSummary(32, 31, not_measured=1)), "undecided"),
        (replace(CLEAN, coverage=(Coverage("A", 2, 1, 0, 0, 0, 1),)), "undecided"),
        (replace(CLEAN, coverage=(Coverage("A", 2, 1, 0, 1, 0, 0),)), "pass"),
        (replace(CLEAN, coverage=(Coverage("A", 2, 0, 0, 0, 2, 0),), kind="check"), "nothing"),
        (replace(CLEAN, kind="check", summary=LinkSummary(32, not_measured=32)), "pass"),
    ],
)
def test_the_head_says_what_is_known(given: Verification, word: str) -> None:
    assert outcome(given)[0] == word
    if word != "nothing" and given.coverage[0].error == given.summary.not_measured == 0:
        assert {"fail": 1, "undecided": 3, "pass": 0}[word] == given.exit_code
    body = verification_html(given)
    assert f'class="verdict {word}"' in body
    if word == "nothing":
        said = Page(body).words
        assert "No data is never a pass" in said
        assert "holds" not in said.replace("does not hold", "")


def test_a_finding_is_told_whole() -> None:
    said = Page(verification_html(verification(finding()), claims={"FAB-014": "Links end where planned."})).words
    for part in ("fails", "major", "FAB-014", "two cables are exchanged", "gpu002 mlx5_0", "gpu003 mlx5_0", "LEAF-01 port 2/1",
                 "swap the ends", "swap them back", "ib-01:1204", "traffic crosses the spine", "and 1 more", "LEAF-01 2/2",
                 "Links end where planned.", "rates are not in this dump", "one note"):  # fmt: skip
        assert part in said, part
    for count, word in ((32, "planned"), (29, "ok"), (2, "wrong"), (1, "missing"), (3, "unplanned")):
        assert re.search(rf"\b{count} {word}", said), word


def test_gaps_and_warnings_are_said_even_where_it_holds() -> None:
    warned = replace(
        CLEAN,
        details={"warnings": [finding(cause="a cable nobody planned").as_json()]},
        coverage=(Coverage("A", 2, 1, 0, 1, 0, 0),),
    )
    said = Page(verification_html(warned)).words
    assert "1 claim had no data" in said and "Beside the plan" in said and "a cable nobody planned" in said


def test_the_page_needs_nothing_from_anywhere() -> None:
    body = report_html(little_plan(4, 4, 2), None, [verification(finding()), SILENT], {"asbuilt": "0.1.0"})
    page = Page(body)
    assert not [t for t, _ in page.tags if t in ("script", "link", "img", "iframe", "object")]
    for tag, attributes in page.tags:
        for name in ("src", "href", "xlink:href", "action"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
        assert not [a for a in attributes if a.startswith("on") or a == "style"]
    assert "@import" not in body and "url(" not in body
    assert "default-src 'none'" in body and "@media print" in body


def test_hostile_text_stays_text() -> None:
    bad = finding(cause=HOSTILE, found=HOSTILE, where=HOSTILE, next=HOSTILE, evidence=(HOSTILE,), subject=HOSTILE)
    plan = replace(little_plan(4, 4, 2), name=HOSTILE, plan_hash=HOSTILE, warnings=(HOSTILE,))
    named = plan.table("switches").with_columns(pl.lit(HOSTILE).alias("name"))
    plan = replace(plan, tables={**plan.tables, "switches": named})
    given = verification(bad, repairs=(Move(HOSTILE, HOSTILE, HOSTILE),), notes=(HOSTILE,), unproven=(HOSTILE,))
    body = report_html(plan, None, [given], {HOSTILE: HOSTILE}, HOSTILE)
    page = Page(body)
    assert not [t for t, _ in page.tags if t in ("script", "img")]
    assert "alert(1)" in page.words


def test_equal_input_gives_equal_bytes() -> None:
    plan, given = little_plan(4, 4, 2), verification(finding())
    assert report_html(plan, None, [given], {"b": "1", "a": "2"}) == report_html(plan, None, [given], {"a": "2", "b": "1"})
    assert "written" not in report_html(plan, None, [given], {})


def test_empty_states_are_said_in_words() -> None:
    said = Page(report_html(None, None, [], {})).words
    for words in (
        "Nothing judged",
        "No check was run",
        "no links to draw",
        "no rack positions",
        "None recorded",
        "No catalogue figure",
    ):
        assert words in said, words
    partial = Plan("cut sheet", {"links": little_plan(4, 4, 2).links.head(0)})
    assert "The plan has no links to draw" in Page(report_html(partial, None, [CLEAN], {})).words


def test_many_findings_are_cut_and_the_rest_counted() -> None:
    many = tuple(finding(subject=f"link:sw:x/{i}", subjects=()) for i in range(450))
    body = verification_html(verification(*many))
    assert body.count('class="sheet finding"') == 400
    assert "50 more findings not printed here" in Page(body).words


def test_the_picture_and_the_list_use_the_same_numbers() -> None:
    plan = little_plan(4, 4, 2)
    minor = finding(severity=Severity.MINOR, subject=plan.links["link"][0], subjects=(), cause="the minor one")
    blocker = finding(severity=Severity.BLOCKER, subject=plan.links["link"][1], subjects=(), cause="the blocker")
    body = verification_html(verification(minor, blocker), plan)
    order = re.findall(r'class="order"[^>]*>(\d+)<.*?<h4>(.*?)</h4>', body, re.S)
    assert order == [("1", "the blocker"), ("2", "the minor one")]
    drawn = re.findall(r"FAB-014  (the [a-z ]+)<", body)
    assert drawn == ["the blocker", "the minor one"]


def test_report_json_holds_everything_and_is_plain() -> None:
    plan = little_plan(4, 4, 2)
    document = json.loads(json.dumps(report_json(plan, None, [verification(finding()), SILENT], {"asbuilt": "0.1.0"})))
    assert document["schema"] == "report/v1" and document["plan_hash"] == plan.plan_hash
    assert [v["exit"] for v in document["verifications"]] == [1, 0]
    assert document["tables"]["links"] == plan.links.height
    assert document["not_proven"] == ["rates are not in this dump"]


def test_code_in_text_and_values_for_reading() -> None:
    assert str(ticks("set `a<b` to 1")) == "set <code>a&lt;b</code> to 1"
    assert str(ticks("a lone ` stays")) == "a lone ` stays"
    assert [plain(v) for v in (True, 1800.0, [1, 2], {"a": 0.5}, None, "x")] == [
        "yes",
        "1,800",
        "1, 2",
        "a: 0.5",
        "not stated",
        "x",
    ]


def test_a_page_of_one_verification_names_its_plan() -> None:
    seen = Verification("compare", LinkSummary(planned=1, ok=1), (), (), ())
    body = verification_html(seen, Plan("theirs.ndt", {}))
    assert "<strong>theirs.ndt</strong>" in body[body.index("<h1>") :]
