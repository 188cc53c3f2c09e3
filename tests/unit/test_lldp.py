"""Neighbour tables of lldpd: both JSON forms, what is refused, and that nothing raises."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from asbuilt.model.facts import DEVICE_FACTS, LINK_FACTS
from asbuilt.parsers import lldp
from asbuilt.rehearse import twin
from little_fabric import little_plan


def regular(*records: tuple[str, str, str, bool]) -> bytes:
    """The json0 form of (interface, neighbour, neighbour's port, neighbour is a bridge)."""
    items = [
        {
            "name": interface,
            "via": "LLDP",
            "chassis": [
                {
                    "id": [{"type": "mac", "value": "02:00:00:00:00:01"}],
                    "name": [{"value": name}],
                    "capability": [{"type": "Bridge", "enabled": bridge}],
                }
            ],
            "port": [{"id": [{"type": "ifname", "value": port}]}],
        }
        for interface, name, port, bridge in records
    ]
    return json.dumps({"lldp": [{"interface": items}]}).encode()


def plain(*records: tuple[str, str, str, bool]) -> bytes:
    """The json form of the same: one interface is an object, several are a list."""
    items = [
        {
            interface: {
                "via": "LLDP",
                "chassis": {name: {"id": {"type": "mac", "value": "x"}, "capability": {"type": "Bridge", "enabled": bridge}}},
                "port": {"id": {"type": "ifname", "value": port}},
            }
        }
        for interface, name, port, bridge in records
    ]
    return json.dumps({"lldp": {"interface": items[0] if len(items) == 1 else items}}).encode()


RECORDS = (("swp1", "gpu000", "mlx5_0", False), ("swp31", "SPINE-01", "swp5", True))


def test_both_forms_give_the_same_facts() -> None:
    one, two = lldp.parse(regular(*RECORDS), "c", "LEAF-01"), lldp.parse(plain(*RECORDS), "c", "LEAF-01")
    for table, schema in (("device_facts", DEVICE_FACTS), ("link_facts", LINK_FACTS)):
        assert one.tables[table].equals(two.tables[table])
        assert schema.faults(one.tables[table]) == []
    links = one.tables["link_facts"].select("port", "peer_port", "peer_description", "peer_kind").rows()
    assert links == [(1, 1, "gpu000 mlx5_0", "ca"), (31, 5, "SPINE-01", "switch")]


def test_one_interface_without_its_list() -> None:
    facts = lldp.parse(plain(RECORDS[0]), "c", "LEAF-01")
    assert facts.tables["link_facts"].height == 1


def test_both_ends_of_a_cable_agree_on_who_they_are() -> None:
    leaf = lldp.parse(regular(RECORDS[1]), "a", "LEAF-01").tables["link_facts"].row(0, named=True)
    spine = lldp.parse(regular(("swp5", "LEAF-01", "swp31", True)), "b", "SPINE-01").tables["link_facts"].row(0, named=True)
    assert (leaf["guid"], leaf["port"]) == (spine["peer_guid"], spine["peer_port"])
    assert (spine["guid"], spine["port"]) == (leaf["peer_guid"], leaf["peer_port"])


def test_every_record_is_accounted_for() -> None:
    document = json.loads(
        regular(*RECORDS, ("eth0", "mgmt", "swp1", True), ("swp2", "", "x", False), ("swp1", "hub", "y", False))
    )
    document["lldp"][0]["interface"].append({"name": "swp3", "via": "CDPv2"})
    document["lldp"][0]["interface"].append("noise")
    account = lldp.parse(json.dumps(document).encode(), "c", "LEAF-01").accounts["c"]
    assert account.balanced and (account.total, account.facts, account.ignorable, account.unread) == (7, 2, 1, 4)
    assert any("second neighbour" in why for _, why in account.unread_lines)


def test_a_table_without_its_switch_gives_no_fact() -> None:
    facts = lldp.parse(regular(*RECORDS), "c")
    assert not facts.has("link_facts") and facts.accounts["c"].unread == 1 and "does not name its switch" in facts.notes[0]


def test_a_cut_text_gives_no_fact() -> None:
    facts = lldp.parse(regular(*RECORDS)[:-5], "c", "LEAF-01")
    assert not facts.has("link_facts") and facts.accounts["c"].balanced and facts.accounts["c"].unread == 1


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    assert lldp.parse(data, "c", "LEAF-01").accounts["c"].balanced


WORDS = st.sampled_from(["lldp", "interface", "name", "via", "chassis", "port", "id", "value", "capability", "swp1"])
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
DOCUMENTS = st.recursive(LEAVES, lambda x: st.lists(x, max_size=3) | st.dictionaries(WORDS, x, max_size=4), max_leaves=30)


@given(DOCUMENTS)
def test_no_document_raises(document: object) -> None:
    assert lldp.parse(json.dumps({"lldp": document}).encode(), "c", "LEAF-01").accounts["c"].balanced


def test_deep_nesting_is_unread_not_a_crash() -> None:
    assert lldp.parse(b"[" * 200_000, "c", "LEAF-01").accounts["c"].unread == 1


def test_the_twins_tables_give_every_planned_ethernet_link() -> None:
    plan = little_plan(technology="ethernet", switch="sn5600", nic="bluefield-3")
    found = set()
    for capture in twin.render(plan):
        facts = lldp.parse(capture.data, capture.id, capture.subject)
        assert facts.accounts[capture.id].unread == 0
        found |= {
            (capture.subject, *r) for r in facts.tables["link_facts"].select("port", "peer_description", "peer_port").rows()
        }
    wanted = {(r["a_name"], r["a_port"], r["b_name"], r["b_port"]) for r in plan.links.iter_rows(named=True)}
    assert wanted <= found
