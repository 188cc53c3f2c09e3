"""The sizing page without a browser: state in the address, refusals that teach, headers, escaping, the JSON twin."""

from __future__ import annotations

import html
import json
import re
import time
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from fastapi.testclient import TestClient

from asbuilt import catalogue as catalogue_data
from asbuilt.catalogue.load import load
from asbuilt.web import figures, slider
from asbuilt.web.app import create_app
from asbuilt.web.host import POLICY, host_name
from asbuilt.web.marks import marks
from asbuilt.web.query import GPUS_FEWEST, GPUS_MOST, parse
from asbuilt.workflow.sizing_page import sized, systems


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app(), base_url="http://127.0.0.1:8765")


def text_of(body: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)))


def test_the_page_says_what_the_library_says(client: TestClient) -> None:
    _, sizing = sized("dgx-h100", 1024)
    page = client.get("/size?a=dgx-h100&an=1024")
    assert page.status_code == 200
    said = text_of(page.text)
    for words in (f"Servers {sizing.nodes:,}", f"Racks {sizing.racks:,}", f"All switches {sizing.switches_total:,}"):
        assert words in said
    for limit in sizing.limits:
        assert limit["text"] in said


def test_every_system_and_fabric_of_the_catalogue_is_offered_and_answers(client: TestClient) -> None:
    offered = systems()
    assert len(offered) >= 9
    for option in offered:
        for fabric, _ in option.fabrics:
            answer = client.get(f"/size?a={option.id}&an=1152&af={fabric}")
            assert answer.status_code == 200, (option.id, fabric)
            assert option.name in answer.text


@pytest.mark.parametrize("gpus", [8, 9, 1000, 4096, 131_072, GPUS_MOST])
def test_from_the_smallest_to_the_largest(client: TestClient, gpus: int) -> None:
    answer = client.get(f"/size?an={gpus}")
    assert answer.status_code == 200
    assert f"{sized('dgx-h100', gpus)[1].gpus:,} GPUs" in text_of(answer.text)


def test_rounding_up_is_said(client: TestClient) -> None:
    assert "1,008 GPUs NVIDIA GB200 NVL72 , rounded up from 1,000" in text_of(client.get("/size?a=gb200-nvl72&an=1000").text)


def test_two_systems_stand_side_by_side(client: TestClient) -> None:
    body = client.get("/size?a=dgx-h100&an=1024&b=gb300-nvl72&bn=1152").text
    assert body.count("<svg xmlns") == 4
    ledger = body[body.index('class="ledger') :]
    row = re.search(r'id="f-racks".*?</summary>', ledger, re.S)
    assert row is not None
    shown = text_of(row.group())
    assert f"A: {sized('dgx-h100', 1024)[1].racks}" in shown and f"B: {sized('gb300-nvl72', 1152)[1].racks}" in shown


def test_the_json_twin_is_the_object_of_size_json(client: TestClient) -> None:
    document = client.get("/size.json?a=dgx-h100&an=1024&mw=2").json()
    assert document == json.loads(json.dumps(sized("dgx-h100", 1024, "", {"power_mw": 2.0})[1].as_json()))
    pair = client.get("/size.json?a=dgx-h100&an=1024&b=dgx-b200&bn=512").json()
    assert pair["schema"] == "sizings/v1" and [s["gpus"] for s in pair["systems"]] == [1024, 512]


REFUSED = {
    "an=12x": ("CLI-303", "not a whole number"),
    "an=-8": ("CLI-303", "not a whole number"),
    "an=٨٠": ("CLI-303", "not a whole number"),
    "an=7": ("CLI-304", "outside 8 to 1,048,576"),
    "an=99999999999999999999": ("CLI-304", "outside 8"),
    "gpu=8": ("CLI-301", "unknown parameter"),
    "a=dgx-h10": ("CAT-002", "did you mean dgx-h100"),
    "af=xdr": ("REQ-403", "not offered"),
    "mw=lots": ("CLI-305", "not a number"),
    "mw=nan": ("CLI-305", "not a number"),
    "mw=-1": ("CLI-305", "not a number"),
    "pue=0.5": ("CLI-305", "1 to 3"),
    "cooling=ice": ("CLI-306", "one of air, liquid, mixed"),
    "a=" + "x" * 65: ("CLI-302", "longer than"),
    "a=%3Cscript%3Ealert(1)%3C/script%3E": ("CAT-002", "no system"),
    "b=nothing&bn=8": ("CAT-002", "no system 'nothing'"),
}


@pytest.mark.parametrize("query", REFUSED)
def test_what_is_wrong_is_refused_with_a_repair(client: TestClient, query: str) -> None:
    code, words = REFUSED[query]
    for path in ("/size", "/size/fragment", "/size.json"):
        answer = client.get(f"{path}?{query}")
        assert answer.status_code == 400, path
        assert code in answer.text
        assert "Traceback" not in answer.text
        if path == "/size.json":
            assert answer.headers["content-type"] == "application/json"
        else:
            assert "<script>alert" not in answer.text
            assert words in text_of(answer.text)
            assert "What to do" in answer.text


def test_all_mistakes_are_told_at_once(client: TestClient) -> None:
    said = client.get("/size?an=x&mw=y&a=dgx-h10").text
    assert all(code in said for code in ("CLI-303", "CLI-305", "CAT-002"))


def test_typed_numbers_may_have_separators() -> None:
    for text in ("1,024", "1 024", "1_024", "1024", " 1024 "):
        query, problems = parse([("an", text)])
        assert not problems and query.a.gpus == 1024


def test_the_address_and_the_state_are_one() -> None:
    pairs = [
        ("a", "dgx-b200"),
        ("an", "512"),
        ("af", "roce"),
        ("b", "dgx-h100"),
        ("bn", "64"),
        ("mw", "3.5"),
        ("cooling", "air"),
    ]
    query, problems = parse(pairs)
    assert not problems
    again, problems = parse(parse_qsl(query.url().split("?")[1]))
    assert not problems and (again.a, again.b, again.site) == (query.a, query.b, query.site)


def test_no_answer_without_the_security_headers(client: TestClient) -> None:
    for path in ("/size", "/size/fragment", "/size.json", "/static/size.js", "/palette.css", "/nothing", "/size?an=x"):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY, path
        assert headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY


def test_nothing_in_the_page_needs_a_looser_policy_or_another_host(client: TestClient) -> None:
    body = client.get("/size?a=dgx-h100&an=4096&b=gb200-nvl72&bn=576&mw=3").text
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", body)
    assert not re.findall(r"<script(?![^>]*src=\"/static/)", body)
    assert not re.findall(r'(?:src|href|action)="(?:https?:)?//', body)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil", "[::2]"])
def test_another_host_name_gets_no_page(host: str) -> None:
    answer = TestClient(create_app(), base_url="http://127.0.0.1").get("/size", headers={"host": host})
    assert answer.status_code == 421 and "asbuilt" not in answer.text


def test_the_names_that_are_answered() -> None:
    client = TestClient(create_app(("planner.site",)), base_url="http://127.0.0.1")
    for host in ("localhost:8765", "127.0.0.1", "[::1]:8765", "LOCALHOST", "planner.site:80"):
        assert client.get("/size", headers={"host": host}).status_code == 200
    assert host_name("[::1]:80") == "[::1]" and host_name("Name:1") == "name" and host_name("[") == "["


def test_a_projects_own_hardware_is_offered(tmp_path: Path) -> None:
    own = tmp_path / "catalogue" / "system"
    own.mkdir(parents=True)
    text = (Path(catalogue_data.__file__).parent / "data" / "system" / "dgx-h100.yaml").read_text(encoding="utf-8")
    (own / "ours.yaml").write_text(text.replace("id: dgx-h100", "id: ours").replace("NVIDIA DGX H100", "Our <own> server"))
    client = TestClient(create_app((), load((own.parent,))), base_url="http://127.0.0.1")
    page = client.get("/size?a=ours&an=64")
    assert page.status_code == 200 and "Our &lt;own&gt; server" in page.text and "<own>" not in page.text
    assert client.get("/size.json?a=ours&an=64").json()["gpus"] == 64


def test_slider_positions_round_trip() -> None:
    assert slider.position(GPUS_FEWEST) == 0 and slider.position(GPUS_MOST) == slider.LAST == 1700
    assert slider.position(1024) == 700 and slider.share(GPUS_MOST) == 1.0 and slider.share(8) == 0.0
    assert [t.label for t in slider.scale()] == ["8", "64", "512", "4,096", "32k", "256k", "1M"]


def test_marks_never_lie_on_each_other() -> None:
    _, sizing = sized("gb300-nvl72", 1152, "", {"power_mw": 2.9})
    placed = [m for m in marks(sizing, lambda n: f"/{n}") if m.left is not None]
    assert len(placed) >= 3
    for i, one in enumerate(placed):
        for other in placed[i + 1 :]:
            assert one.rise != other.rise or abs(one.left - other.left) >= 3.4  # type: ignore[operator]


def test_what_the_site_cannot_carry_is_marked_as_such() -> None:
    _, sizing = sized("gb300-nvl72", 1152, "", {"power_mw": 1.0, "cooling": "air", "rack_power_kw": 20.0})
    told = marks(sizing, str)
    refused = [m.text for m in told if m.tone == "fail"]
    assert len(refused) == 3 and all(m.word == "the site cannot carry it" for m in told if m.tone == "fail")
    _, fine = sized("dgx-h100", 64, "", {"power_mw": 100.0})
    assert not [m for m in marks(fine, str) if m.tone == "fail"]


def test_every_figure_opens_to_formula_and_confidence() -> None:
    _, sizing = sized("gb300-nvl72", 1152)
    for group in figures.groups([sizing]):
        for figure in group.figures:
            (value,) = figure.values
            assert value.text != figures.UNKNOWN, figure.key
            assert figure.key in sizing.derivation or figure.key == "switches.management", figure.key
            assert figure.low == (sizing.derivation.get(figure.key, {}).get("confidence") == "low")


def test_units_step_up_and_unknown_is_said() -> None:
    assert figures.shown(1999.96, "kW") == ("2.00", "MW") and figures.shown(40.84, "kW") == ("40.8", "kW")
    assert figures.shown(None, "kg") == ("not known", "") and figures.shown(264_677.0, "m³/h") == ("264,677", "m³/h")
    assert figures.shown(1.25, "") == ("1.25", "") and figures.shown(0, "") == ("0", "")


def test_while_dragging_every_step_is_answered(client: TestClient) -> None:
    client.get("/size/fragment?an=4096")
    start = time.perf_counter()
    for step in range(10):
        answer = client.get(f"/size/fragment?an={4096 + 8 * step}")
        assert answer.status_code == 200 and f"{4096 + 8 * step:,} GPUs" in text_of(answer.text)
    print(f"page answer: {(time.perf_counter() - start) * 100:.1f} ms")


def test_what_the_site_cannot_carry_stands_first_under_at_this_size(client: TestClient) -> None:
    body = text_of(client.get("/size?a=dgx-b200&an=2048&mw=2").text)
    here = body[body.index("At this size") : body.index("Where it changes as it grows")]
    assert here.split("!")[1].strip().startswith("5.47 MW against 2 MW of the site") and "the site cannot carry it" in here


def test_a_weight_without_the_servers_is_a_lower_bound(client: TestClient) -> None:
    row = re.search(r'id="f-weight-kg".*?</summary>', client.get("/size?a=hgx-b200&an=1024").text, re.S)
    assert row is not None and "without hgx-b200" in row.group() and "≥ " in row.group()
    whole = re.search(r'id="f-weight-kg".*?</summary>', client.get("/size?a=dgx-h100&an=1024").text, re.S)
    assert whole is not None and "≥" not in whole.group()


def test_a_long_count_of_another_plane_is_not_cut_in_the_picture(client: TestClient) -> None:
    assert "out-of-band: 16,384 switches" in client.get("/size?a=dgx-b200&an=1048576").text
