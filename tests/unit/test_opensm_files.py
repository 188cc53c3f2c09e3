"""OpenSM's files from the subnet tables: every line against its row, line lengths, codes, dialects, hostile names."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from asbuilt.artefacts.opensm import opensm, opensm_files, subnets
from asbuilt.artefacts.opensm_conf import OPTIONS, WRITABLE
from asbuilt.artefacts.opensm_dialects import nvidia_sm, ufm
from asbuilt.artefacts.opensm_text import comment, mtu_code, rate_code
from asbuilt.base.problem import ProblemError
from asbuilt.model.plan import Plan
from little_fabric import little_plan
from little_subnet import with_subnet

GOLDEN = Path(__file__).parent.parent / "golden" / "artefacts"


def small() -> Plan:
    return with_subnet(little_plan(nodes=2, rails=2, spines=2))


def changed(plan: Plan, table: str, *columns: pl.Expr) -> Plan:
    return replace(plan, tables={**plan.tables, table: plan.table(table).with_columns(*columns)})


def setting(plan: Plan, name: str, value: str) -> Plan:
    return changed(
        plan, "subnet_settings", pl.when(pl.col("setting") == name).then(pl.lit(value)).otherwise("value").alias("value")
    )


def lines_of(data: bytes) -> list[str]:
    """The lines that are no comments."""
    return [line for line in data.decode().splitlines() if line.strip() and not line.lstrip().startswith("#")]


@pytest.mark.parametrize("name", sorted(opensm(small())))
def test_the_files_are_those_of_the_golden_folder(name: str) -> None:
    place = GOLDEN / name
    data = opensm(small())[name]
    if os.environ.get("UPDATE_GOLDEN") == "1":
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    assert data.decode() == place.read_text()


def test_no_line_reaches_a_buffer_of_opensm() -> None:
    long = changed(small(), "subnet_settings", pl.lit("why " * 2000 + "ü" * 900).alias("reason"))
    for name, data in opensm(long).items():
        assert max(map(len, data.split(b"\n"))) < 255, name


def test_a_reason_with_line_ends_stays_a_comment() -> None:
    hostile = "one\nsm_priority 15\r\x85\u2028m_key 1\x0b\x0cguid 7"
    conf = opensm_files(changed(small(), "subnet_settings", pl.lit(hostile).alias("reason")), "ib0")["opensm.conf"]
    assert lines_of(conf) == lines_of(opensm_files(small(), "ib0")["opensm.conf"])
    assert re.findall(r"(?m)^sm_priority (\d+)", conf.decode()) == ["14"]


def test_every_option_has_its_row_above_it() -> None:
    text = opensm_files(small(), "ib0")["opensm.conf"].decode().splitlines()
    for number, line in enumerate(text):
        if line and not line.startswith("#"):
            assert text[number - 1].startswith("# "), line
            assert line.split()[0] in WRITABLE
    assert "# subnet_settings ib0 routing_engine (derived): a tree of two tiers" in text


def test_settings_that_are_no_options_are_named_and_not_written() -> None:
    conf = opensm_files(small(), "ib0")["opensm.conf"].decode()
    assert "# sharp = FALSE ; subnet_settings ib0 sharp (derived): not in upstream OpenSM" in conf
    assert not re.search(r"(?m)^(sharp|root_tier|adaptive_routing)", conf) and "sharp" not in OPTIONS


def test_managers_of_a_subnet_differ_in_guid_and_priority_alone() -> None:
    files = opensm(small())
    master, standby = (lines_of(files[f"opensm/ib0/opensm-{n}.conf"]) for n in (0, 1))
    differing = [(a, b) for a, b in zip(master, standby, strict=True) if a != b]
    assert [a.split()[0] for a, _ in differing] == ["guid", "sm_priority"]
    managers = small().table("subnet_managers").sort("number")
    assert [pair[0] for pair in differing] == [f"guid 0x{managers['port_guid'][0]}", "sm_priority 14"]
    assert [pair[1] for pair in differing] == [f"guid 0x{managers['port_guid'][1]}", "sm_priority 10"]
    assert [f for f in files if "opensm-" not in f and f.count("/") == 2] == [f for f in files if "opensm-" not in f]


def test_the_folder_and_the_callers_options_stand_in_the_file() -> None:
    files = opensm_files(
        small(), "ib0", "/run/sm", log_file="/run/sm/log", dump_folder="/run/sm/dump", overrides={"sweep_interval": "2"}
    )
    conf = lines_of(files["opensm.conf"])
    assert "partition_config_file /run/sm/partitions.conf" in conf and "log_file /run/sm/log" in conf
    assert "dump_files_dir /run/sm/dump" in conf
    assert [line for line in conf if line.startswith("sweep_interval")] == ["sweep_interval 2"]
    named = {line.split()[1].removeprefix("/run/sm/") for line in conf if "_file /run/sm/" in line or "_name /" in line}
    assert named - {"log"} <= set(files)


def test_without_qos_no_word_of_it_is_written() -> None:
    files = opensm_files(setting(small(), "qos", "FALSE"), "ib0")
    assert "qos-policy.conf" not in files
    assert not [x for x in lines_of(files["opensm.conf"]) if x.startswith(("qos_sl2vl", "qos_vlarb", "qos_policy"))]


def test_service_levels_and_arbitration_come_from_their_tables() -> None:
    plan = small()
    levels = plan.table("service_levels").filter(pl.col("sl") < 3)  # a table that names three levels only
    conf = lines_of(opensm_files(replace(plan, tables={**plan.tables, "service_levels": levels}), "ib0")["opensm.conf"])
    assert "qos_sl2vl 0,1,2,0,0,0,0,0,0,0,0,0,0,0,0,0" in conf
    assert "qos_vlarb_high 1:192,2:128" in conf and "qos_vlarb_low 0:64,1:64,2:64,3:64" in conf


def test_partitions_have_the_members_of_the_plan() -> None:
    plan = small()
    text = re.sub(r"#.*", "", opensm_files(plan, "ib0")["partitions.conf"].decode())
    found = {}
    for definition in text.split(";"):
        if definition.strip():
            head, members = definition.split(":")
            name = re.sub(r"\s", "", head).split(",")[0]
            found[name] = dict(re.findall(r"(\w+)=(full|limited)", members))
    guid = dict(plan.table("lids").select("port", "port_guid").iter_rows())
    rows = plan.table("partition_members").filter(pl.col("partition") == "compute").select("port", "membership").iter_rows()
    assert found["compute=0x0100"] == {f"0x{guid[port]}": membership for port, membership in rows}
    managers = {f"0x{g}": "full" for g in plan.table("subnet_managers")["port_guid"]}
    assert found["Default=0x7fff"] == {"ALL": "limited", **managers}


def test_the_default_partition_is_written_without_a_row_of_it() -> None:
    plan = small()
    none = plan.table("partitions").filter(pl.col("partition") != "default")
    text = opensm_files(replace(plan, tables={**plan.tables, "partitions": none}), "ib0")["partitions.conf"].decode()
    assert "\nDefault=0x7fff : ALL=limited ;\n" in text


def test_a_partition_without_members_is_one_line() -> None:
    plan = small()
    members = plan.table("partition_members").filter(pl.col("partition") != "compute")
    files = opensm_files(replace(plan, tables={**plan.tables, "partition_members": members}), "ib0")
    assert "\ncompute=0x0100, ipoib, sl=1, mtu=5, rate=17 : ;\n" in files["partitions.conf"].decode()


def test_a_default_partition_that_is_full_for_all_says_so() -> None:
    plan = changed(small(), "partition_members", pl.lit("full").alias("membership"))
    assert "  ALL=full ;\n" in opensm_files(plan, "ib0")["partitions.conf"].decode()


@pytest.mark.parametrize("lmc", [0, 2])
def test_guid2lid_spans_and_their_trace(lmc: int) -> None:
    plan = changed(small(), "lids", (4 * pl.col("lid")).alias("lid"), pl.lit(lmc).alias("lmc"))
    files = opensm_files(plan, "ib0")
    lines = files["guid2lid"].decode().split("\n")
    rows = plan.table("lids").sort("port_guid").select("port_guid", "lid", "port").rows()
    assert lines[::2][:-1] == [f"0x{g} 0x{lid:04x} 0x{lid + 2**lmc - 1:04x}" for g, lid, _ in rows]
    assert set(lines[1::2]) == {""}
    trace = [line.split("\t") for line in files["TRACE.tsv"].decode().splitlines()[1:]]
    assert [(int(n), key) for _, n, _, key in trace] == [(2 * i + 1, port) for i, (_, _, port) in enumerate(rows)]


def test_lists_of_guids_are_tiers_and_planes() -> None:
    plan = small()
    lids = plan.table("lids")
    files = opensm_files(plan, "ib0")

    def listed(name: str) -> set[str]:
        return {line.split(" ")[0].removeprefix("0x") for line in lines_of(files[name])}

    assert listed("root_guids") == set(lids.filter(pl.col("role") == "spine")["node_guid"])
    assert listed("cn_guids") == set(lids.filter(pl.col("nic").is_not_null())["port_guid"])
    assert "io_guids" not in files
    other = changed(plan, "lids", pl.when(pl.col("nic") == "mlx5_1").then(pl.lit("storage")).otherwise("plane").alias("plane"))
    files = opensm_files(other, "ib0")
    assert listed("io_guids") == set(lids.filter(pl.col("nic") == "mlx5_1")["port_guid"])
    assert listed("cn_guids") == set(lids.filter(pl.col("nic") == "mlx5_0")["port_guid"])


@pytest.mark.parametrize(("engine", "lists"), [("updn", {"root_guids"}), ("minhop", set())])
def test_an_engine_gets_only_the_lists_that_it_reads(engine: str, lists: set[str]) -> None:
    files = opensm_files(setting(small(), "routing_engine", engine), "ib0")
    assert {name for name in files if name.endswith("_guids")} == lists
    assert f"routing_engine {engine}" in lines_of(files["opensm.conf"])


def test_names_of_chips_of_one_chassis_are_told_apart() -> None:
    plan = changed(small(), "switches", pl.lit(2).alias("asics"))
    text = opensm_files(plan, "ib0")["node-name-map"].decode()
    assert '"LEAF-01/U1" # lids sw:compute/leaf-000-0#0' in text and '"gpu000 mlx5_0"' in text


@pytest.mark.parametrize(("mtu", "code"), [(256, 1), (512, 2), (1024, 3), (2048, 4), (4096, 5), (9000, 5), (4095, 4), (1, 1)])
def test_mtu_codes(mtu: int, code: int) -> None:
    assert mtu_code(mtu) == code


@pytest.mark.parametrize(
    ("rate", "code"), [(2.5, 2), (10, 3), (40, 7), (56, 12), (100, 16), (200, 17), (400, 21), (800, 22), (399.9, 18), (1, 2)]
)
def test_rate_codes(rate: float, code: int) -> None:
    assert rate_code(rate) == code


def test_comments_wrap_and_hold_one_line_each() -> None:
    assert comment("a\nb") == ["# a b"] and comment("") == []
    assert all(len(line.encode()) < 240 and line.startswith("# ") for line in comment("€" * 500 + " x" * 300))


PARTITION_FIX = "rename the plane or tenant in cluster.yaml"


@pytest.mark.parametrize(
    ("table", "column", "value", "says"),
    [
        (
            "partitions",
            "partition",
            "a;b",
            "the name 'a;b' cannot be written\n  why: partitions.conf cannot carry that character\n  fix: " + PARTITION_FIX,
        ),
        ("partitions", "partition", "a=1", "partitions.conf cannot carry that character"),
        ("partitions", "partition", "a\nb", "partitions.conf cannot carry that character"),
        ("partitions", "partition", "", "partitions.conf needs a name there"),
        ("lids", "name", 'x"y', "a node-name-map cannot carry that character"),
        ("lids", "name", "n" * 65, "a node-name-map carries at most 64 bytes"),
        ("subnet_settings", "value", "1\nm_key 7", "OpenSM reads one printable value to the end of the line"),
        ("subnet_settings", "value", "x # y", "OpenSM reads one printable value to the end of the line"),
    ],
)
def test_what_a_file_cannot_carry_is_refused(table: str, column: str, value: str, says: str) -> None:
    with pytest.raises(ProblemError) as caught:
        opensm_files(changed(small(), table, pl.lit(value).alias(column)), "ib0")
    assert "ART-001" in str(caught.value) and says in str(caught.value)


@pytest.mark.parametrize("subnet", ["../../etc", "a b", "x/y", ".hidden", "a\\b"])
def test_a_subnet_whose_name_is_no_folder_is_refused(subnet: str) -> None:
    plan = small()
    tables = {n: f.with_columns(pl.lit(subnet).alias("subnet")) if "subnet" in f.columns else f for n, f in plan.tables.items()}
    with pytest.raises(ProblemError, match="a folder of the subnet manager"):
        opensm(replace(plan, tables=tables))


def test_a_manager_that_is_not_planned_and_a_lid_that_is_none() -> None:
    with pytest.raises(ProblemError) as caught:
        opensm_files(changed(small(), "lids", pl.lit(0xC000).alias("lid")), "ib0", manager=2)
    text = str(caught.value)
    assert "ART-003" in text and "subnet ib0 has 0 subnet managers with number 2" in text
    assert "the LID of node:0000/mlx5_0 is no unicast LID\n  why: they run from 1 to 0xbfff" in text


def test_plans_without_subnet_tables_give_no_files() -> None:
    assert opensm(little_plan()) == {} and nvidia_sm(little_plan()) == {} and ufm(little_plan()) == {}
    plan = small()
    assert subnets(replace(plan, tables={**plan.tables, "subnet_managers": plan.table("subnet_managers").clear()})) == []


def test_equal_plans_give_equal_bytes() -> None:
    assert opensm(small()) == opensm(small()) and ufm(small()) == ufm(small())


def test_dialects_begin_by_saying_that_they_are_not_rehearsed() -> None:
    for files in (nvidia_sm(small()), ufm(small())):
        silent = {name.rsplit("/", 1)[1] for name, data in files.items() if not data.startswith(b"# not rehearsed: ")}
        assert silent <= {"guid2lid", "TRACE.tsv", "topoconfig.conf"}  # formats without comments
    assert not any(b"not rehearsed" in data for data in opensm(small()).values())


def test_nvidias_manager_routes_adaptively_where_the_plan_says_so() -> None:
    conf = nvidia_sm(small())["nvidia-sm/ib0/opensm-0.conf"]
    assert "routing_engine ar_ftree" in lines_of(conf) and b"ftree is ar_ftree" in conf.replace(b"\n# ", b" ")
    still = nvidia_sm(setting(small(), "adaptive_routing", "FALSE"))["nvidia-sm/ib0/opensm-0.conf"]
    assert "routing_engine ftree" in lines_of(still)


def test_ufm_gets_every_link_in_both_directions() -> None:
    plan = small()
    files = ufm(plan)
    rows = [tuple(line.split(",")) for line in files["ufm/ib0/topoconfig.conf"].decode().splitlines()]
    assert len(rows) == 2 * plan.links.height and {row[4:] for row in rows} == {("Any", "Active")}
    assert {(c, d, a, b) for a, b, c, d, *_ in rows} == {row[:4] for row in rows}
    assert lines_of(files["ufm/ib0/gv.cfg"]) == ["[Sharp]", "sharp_enabled = false"]
    on = ufm(setting(plan, "sharp", "TRUE"))["ufm/ib0/gv.cfg"]
    assert lines_of(on) == ["[Sharp]", "sharp_enabled = true"]
    assert lines_of(files["ufm/ib0/partitions.conf.user_ext"]) == lines_of(opensm(plan)["opensm/ib0/partitions.conf"])


def test_made_guids_are_no_secret() -> None:
    """Files with GUIDs that no hardware has say so at their head; with declared ones they say nothing."""
    plan = small()
    total = plan.table("lids").filter(pl.col("subnet") == "ib0").height
    lids = plan.table("lids").with_row_index("row")
    some = pl.when(pl.col("row") == 0).then(pl.lit("assumed")).otherwise(pl.lit("declared"))
    for origin, made in ((pl.lit("assumed"), total), (some, 1), (pl.lit("measured"), 0)):
        table = lids.with_columns(origin.alias("guid_origin")).drop("row")
        files = opensm_files(replace(plan, tables={**plan.tables, "lids": table}), "ib0")
        for name in ("opensm.conf", "partitions.conf"):
            first = files[name].decode().splitlines()[0]
            told = f"# NOT FOR A LIVE FABRIC: {made} of {total} GUIDs are placeholders that no hardware has."
            assert first.startswith(told) == bool(made), first
