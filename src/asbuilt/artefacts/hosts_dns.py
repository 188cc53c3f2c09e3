"""Addresses and names for other programs: a hosts file, zone fragments for a name server, an include for dnsmasq.

Names of the plan are DNS labels already; one that is not is refused here, and found by the design check DES-104.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from asbuilt.artefacts.names import refuse_texts
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.model.plan import Plan

if TYPE_CHECKING:
    import polars as pl

TARGET = "hosts"
WRITES = "names and addresses of every interface: hosts file, zone fragments, dnsmasq include (dns/)"
LOST = (
    "interfaces without an address: their network is full (DES-101)",
    "the head of a zone (SOA, NS): it belongs to the site's name server",
    "DHCP: hardware addresses are not known before the hardware is",
)
#: RFC 1123 with RFC 1035: what `DES-104` checks.
_LABEL = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
#: The name space that is set aside for private use (ICANN, 2024).
_PRIVATE = "internal"


def domain_of(plan: Plan) -> str:
    """The DNS domain: as stated, else ``<name of the cluster>.internal``."""
    stated = plan.design.requirement.addresses.domain if plan.design is not None else None
    label = "".join(c if c.isascii() and c.isalnum() else "-" for c in plan.name.lower()).strip("-")
    return stated or f"{label or 'cluster'}.{_PRIVATE}"


def hosts_dns(plan: Plan) -> dict[str, bytes]:
    """The files; none for a plan without addresses. Raises `ProblemError` ART-001 for a name that is no DNS label."""
    import polars as pl

    if not plan.has("addresses"):
        return {}
    rows = plan.table("addresses").filter(pl.col("address").is_not_null())
    refuse_texts(rows["name"], " \t/\\;()\"'", "a hosts file")
    bad = rows["name"].unique().filter(~rows["name"].unique().str.contains(_LABEL)).sort()
    if bad.len():
        raise ProblemError(
            Problem("ART-001", f"the name {n!r} is no DNS label", why="name servers refuse it", fix="see DES-104")
            for n in bad.head(5)
        )
    domain = domain_of(plan)
    octets = pl.col("address").str.split(".")
    rows = rows.with_columns(octets.list.reverse().list.join(".").alias("backwards")).sort("network", "device", "interface")
    head = f"# {plan.name}: from the plan's table `addresses`; do not edit, export again"
    return {
        "dns/hosts": _lines(head, rows, pl.format("{}\t{}.{} {}", "address", "name", pl.lit(domain), "name")),
        f"dns/{domain}.zone": _lines(f";{head[1:]}\n$ORIGIN {domain}.", rows, pl.format("{}\tIN\tA\t{}", "name", "address")),
        "dns/in-addr.arpa.zone": _lines(
            f";{head[1:]}\n$ORIGIN in-addr.arpa.", rows, pl.format("{}\tIN\tPTR\t{}.{}.", "backwards", "name", pl.lit(domain))
        ),
        "dns/dnsmasq.conf": _lines(
            f"{head}\ndomain={domain}\nlocal=/{domain}/\nexpand-hosts",
            rows,
            pl.format("host-record={},{}.{},{}", "name", "name", pl.lit(domain), "address"),
        ),
    }


def _lines(head: str, rows: pl.DataFrame, line: pl.Expr) -> bytes:
    text = rows.select(line.alias("line"))["line"].str.join("\n").item()
    return f"{head}\n{text}\n".encode()
