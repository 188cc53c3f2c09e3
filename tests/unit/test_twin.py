"""The twin's text against what it was asked to build, read here by plain regular expressions (not by the parser)."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl

import asbuilt.plan.guids as guids_module
from asbuilt.artefacts import identity
from asbuilt.plan.guids import GUID_SPACING, guids
from asbuilt.rehearse import faults, twin
from asbuilt.rehearse.built import as_planned
from little_fabric import little_plan

PORT = re.compile(r'^\[(\d+)\]\t"([SH])-([0-9a-f]{16})"\[(\d+)\](?:\(([0-9a-f]+)\) )?\t\t# "(.*)" lid (\d+) (\d+x\w+)$')


def switch_blocks(text: str) -> dict[str, list[str]]:
    """Description of each switch -> its port lines."""
    blocks = {}
    for block in text.split("\n\n"):
        head = re.search(r'^Switch\t\d+ "S-[0-9a-f]{16}"\t\t# "(.*)" enhanced port 0 lid \d+ lmc 0$', block, re.M)
        if head:
            blocks[head[1]] = block.split("\n")[5:]
    return blocks


def cables(text: str) -> set[tuple[str, str, str, str]]:
    """(switch, port, far description, far port) of every port line, aggregation nodes left out."""
    found = set()
    for switch, lines in switch_blocks(text).items():
        for line in lines:
            match = PORT.match(line)
            assert match, line
            if "Aggregation" not in match[6]:
                found.add((switch, match[1], match[6], match[4]))
    return found


def test_every_planned_link_is_in_the_text_from_both_sides_and_nothing_else() -> None:
    plan = little_plan()
    text = twin.render(plan)[0].data.decode()
    name = dict(zip(plan.table("switches")["switch"], plan.table("switches")["name"], strict=True))
    wanted = set()
    for row in plan.links.iter_rows(named=True):
        a = f"MF0;{name[row['a_device']]}:MQM9700/U1"
        far = row["b_name"] if row["b_nic"] else f"MF0;{name[row['b_device']]}:MQM9700/U1"
        wanted.add((a, str(row["a_port"]), far, str(row["b_port"])))
        if not row["b_nic"]:
            wanted.add((far, str(row["b_port"]), a, str(row["a_port"])))
    assert cables(text) == wanted


def test_equal_arguments_give_equal_bytes_and_another_seed_other_hardware() -> None:
    plan = little_plan(oob=True)
    assert twin.render(plan) == twin.render(plan)
    one, two = twin.render(plan)[0].data.decode(), twin.render(plan, seed=1)[0].data.decode()
    assert one != two and cables(one) == cables(two)


def test_guids_stay_when_the_plan_grows() -> None:
    keys = pl.Series([f"node:{n:04d}/mlx5_{r}" for n in range(500) for r in range(8)])
    small = dict(zip(keys[:800], guids(keys[:800]), strict=True))
    large = dict(zip(keys, guids(keys), strict=True))
    assert all(large[key] == guid for key, guid in small.items())


def test_guids_are_spaced_for_the_port_guids_between_them() -> None:
    values = np.sort(guids(pl.Series([f"node:{n:06d}/mlx5_0" for n in range(20_000)])))
    assert int(np.diff(values).min()) >= GUID_SPACING
    assert {int(v) >> 56 for v in values} == {0x02}


def test_keys_that_hash_alike_are_told_apart(monkeypatch: object) -> None:
    monkeypatch.setattr(guids_module, "_hash", lambda keys, seed: np.zeros(len(keys), np.uint64))  # type: ignore[attr-defined]
    values = guids(pl.Series([f"k{i}" for i in range(100)]))
    assert len(set(values.tolist())) == 100


def test_link_words_follow_the_older_end() -> None:
    words = {
        (400.0, ("qm9700", "connectx-7-400")): "4xNDR",
        (200.0, ("qm9700", "connectx-7-ndr200")): "2xNDR",
        (200.0, ("qm9700", "connectx-6-vpi")): "4xHDR",
        (200.0, ("qm8700", "connectx-6-vpi")): "4xHDR",
        (100.0, ("qm8700", "connectx-6-vpi")): "2xHDR",
        (800.0, ("q3400-ra", "connectx-8-osfp")): "4xXDR",
        (400.0, ("q3400-ra", "connectx-7-400")): "4xNDR",
        (400.0, ("own-switch", "own-nic")): "4xNDR",
        (None, ("own-switch", "own-nic")): "4xEDR",
    }
    assert {key: identity.link_word(*key) for key in words} == words


def test_a_chassis_of_four_asics_is_four_switches_with_one_system_guid() -> None:
    text = twin.render(little_plan(switch="q3400-ra", nic="connectx-8-osfp", rate=800.0, asics=4))[0].data.decode()
    leaf = [b for b in text.split("\n\n") if re.search(r'^Switch.*"MF0;LEAF-01:', b, re.M)]
    assert len(leaf) == 4
    assert len({re.search(r"sysimgguid=(\w+)", b)[1] for b in leaf}) == 1  # type: ignore[index]
    assert len({re.search(r"switchguid=(\w+)", b)[1] for b in leaf}) == 4  # type: ignore[index]
    ports = [int(m[1]) for b in leaf for m in re.finditer(r"^\[(\d+)\]", b, re.M)]
    assert sorted(ports) == list(range(1, 9))


def test_noname_hides_every_name_and_clone_repeats_one() -> None:
    plan = little_plan()
    bare = twin.render(plan, (faults.parse("noname"),))[0].data.decode()
    assert "gpu0" not in bare and "LEAF" not in bare and "MT4129 ConnectX7" in bare
    cloned = twin.render(plan, (faults.parse("clone:gpu000/mlx5_0,gpu001/mlx5_0"),))[0].data.decode()
    assert cloned.count('Ca\t1 "H-') == twin.render(plan)[0].data.decode().count('Ca\t1 "H-') - 1
    assert len([c for c in cables(cloned) if c[2] == "gpu000 mlx5_0"]) == 2


def test_a_switch_without_power_is_seen_by_nobody() -> None:
    text = twin.render(little_plan(oob=True), (faults.parse("absent:SPINE-01"),))[0].data.decode()
    assert "SPINE-01" not in text and "SPINE-02" in text


def test_a_cable_between_two_nics_is_not_discovered() -> None:
    plan = little_plan()
    built, _ = faults.apply(plan, as_planned(plan), (faults.parse("swap:LEAF-01/1,gpu001/mlx5_0"),))
    text = twin.captures(plan, built)[0].data.decode()
    assert '"gpu000 mlx5_0"' not in text and '"gpu001 mlx5_0"' not in text
    assert ("MF0;LEAF-01:MQM9700/U1", "1", "MF0;LEAF-01:MQM9700/U1", "2") in cables(text)


def test_render_of_an_empty_subnet_is_a_dump_without_devices() -> None:
    plan = little_plan()
    none = as_planned(plan).with_cables(as_planned(plan).cables.clear())
    assert b"Switch" not in twin.captures(plan, none)[0].data


def test_a_cable_between_two_technologies_stays_dark() -> None:
    """The same cage takes both cables; the two ports never train with each other."""
    plan = little_plan(oob=True)
    found = faults.parse("swap:gpu000/mlx5_0,gpu001/bmc")
    built, _ = faults.apply(plan, as_planned(plan), (found,))
    assert as_planned(plan).live().height - built.live().height == 2
    text = twin.captures(plan, built)[0].data.decode()
    assert "bmc" not in text and ("gpu000 mlx5_0" in text) is False


def test_a_moved_cable_runs_at_the_rate_of_its_slower_port() -> None:
    plan = little_plan()
    slow = pl.when(pl.col("b_nic").is_null()).then(pl.lit(400.0)).otherwise(200.0).alias("rate_gbps")
    plan = replace(plan, tables={**plan.tables, "links": plan.links.with_columns(slow)})
    swap = faults.parse("swap:link:sw:compute/leaf-000-0/1,link:sw:compute/leaf-000-0/5")
    built, _ = faults.apply(plan, as_planned(plan), (swap,))
    moved = built.live().filter(pl.col("cable").str.contains("leaf-000-0/[15]$")).sort("cable")
    assert moved["b_nic"].to_list() == [None, "mlx5_0"]
    assert moved["rate_gbps"].to_list() == [200.0, 200.0]


def test_a_cable_between_two_subnets_makes_one_fabric_of_them() -> None:
    one, two = little_plan(nodes=2, rails=1, spines=1), little_plan(nodes=2, rails=1, spines=1)

    def other(frame: pl.DataFrame) -> pl.DataFrame:
        text = [c for c, t in frame.schema.items() if t == pl.String]
        return frame.with_columns(
            pl.col(text)
            .str.replace("sw:compute/", "sw:storage/")
            .str.replace("^ib0$", "ib1")
            .str.replace("^(LEAF|SPINE)", "ST-$1")
            .str.replace("mlx5_0", "mlx5_9")
        )

    both = {
        name: pl.concat([frame, other(two.tables[name])]).unique(maintain_order=True)
        for name, frame in one.tables.items()
        if name != "nodes"
    }
    plan = replace(one, tables={**both, "nodes": one.tables["nodes"]})
    swap = faults.parse("swap:link:sw:compute/leaf-000-0/3,link:sw:storage/leaf-000-0/3")
    built, _ = faults.apply(plan, as_planned(plan), (swap,))
    apart, joined = twin.captures(plan, as_planned(plan)), twin.captures(plan, built)
    assert "ST-LEAF-01" not in apart[0].data.decode()
    assert "ST-LEAF-01" in joined[0].data.decode() and "MF0;LEAF-01" in joined[1].data.decode()
