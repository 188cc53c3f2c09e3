"""What hosts answer about their own ports: ``ibstat`` of every host, one after another behind its prompt.

Line forms of infiniband-diags; a port without a subnet manager prints LID 0, one that is dark LID 65535 and the rate that the
card shows for no link. What the twin cannot know (card type of an unknown part, firmware) is printed as unknown words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts import identity
from asbuilt.rehearse.port_states import ACTIVE, ETHERNET, INIT, POLLING

if TYPE_CHECKING:
    import polars as pl

#: Card type as the card prints it, by generation of the part.
CARD_TYPES = {"XDR": "MT4131", "NDR": "MT4129", "HDR": "MT4123", "EDR": "MT4119"}
STATES = {
    ACTIVE: ("Active", "LinkUp"),
    INIT: ("Initializing", "LinkUp"),
    POLLING: ("Down", "Polling"),
    ETHERNET: ("Down", "Disabled"),
}
LAYERS = {ACTIVE: "InfiniBand", INIT: "InfiniBand", POLLING: "InfiniBand", ETHERNET: "Ethernet"}
#: What a card prints as rate without a link: SDR on four lanes, or what Ethernet shows.
NO_LINK = {POLLING: 10, ETHERNET: 40}
NO_LID = 65535


def ibstat_text(ports: pl.DataFrame, parts: pl.DataFrame, manager_lid: int) -> bytes:
    """``ibstat`` of all hosts as one transcript. ``ports``: rows of `nic_states` with host; ``parts``: device, nic, part."""
    import polars as pl

    frame = ports.join(parts, on=["device", "nic"], how="left").sort("host", "nic")
    known = {p: CARD_TYPES.get(identity.generation(p) or "", "unknown") for p in frame["part"].fill_null("").unique()}

    def by_state(words: dict[str, str]) -> pl.Expr:
        return pl.col("state").replace_strict(words, return_dtype=pl.String)

    active, dark = pl.col("state") == ACTIVE, pl.col("state").is_in([POLLING, ETHERNET])
    no_link = pl.col("state").replace_strict(NO_LINK, default=0, return_dtype=pl.Int64)
    rate = pl.when(dark).then(no_link).otherwise(pl.col("rate_gbps").fill_null(0).cast(pl.Int64))
    wrong = pl.col("state") == ETHERNET
    lid = pl.when(active).then("lid").when(pl.col("state") == POLLING).then(pl.lit(NO_LID)).otherwise(pl.lit(0))
    text = pl.format(
        "CA '{}'\n\tCA type: {}\n\tNumber of ports: 1\n\tFirmware version: 0.0.0\n\tHardware version: 0\n"
        "\tNode GUID: 0x{}\n\tSystem image GUID: 0x{}\n\tPort 1:\n\t\tState: {}\n\t\tPhysical state: {}\n\t\tRate: {}\n"
        "\t\tBase lid: {}\n\t\tLMC: {}\n\t\tSM lid: {}\n\t\tCapability mask: 0x{}\n\t\tPort GUID: 0x{}\n\t\tLink layer: {}\n",
        "nic",
        pl.col("part").fill_null("").replace_strict(known, return_dtype=pl.String),
        "node_guid",
        "node_guid",
        by_state({k: v[0] for k, v in STATES.items()}),
        by_state({k: v[1] for k, v in STATES.items()}),
        rate,
        lid,
        pl.when(active).then("lmc").otherwise(0),
        pl.when(active).then(pl.lit(manager_lid)).otherwise(0),
        pl.when(wrong).then(pl.lit("00010000")).otherwise(pl.lit("a651e848")),
        "port_guid",
        by_state(LAYERS),
    )
    hosts = frame.select("host", text.alias("text")).group_by("host", maintain_order=True).agg(pl.col("text").str.join(""))
    lines = hosts.select(pl.format("[root@{} ~]# ibstat\n{}", "host", "text").alias("text"))["text"]
    return "".join(lines.to_list()).encode()
