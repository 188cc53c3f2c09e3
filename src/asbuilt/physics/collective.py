"""What a collective, a copy or a multiplication can reach: closed forms and their regimes. Knows no cluster.

Bus bandwidth is that of nccl-tests (doc/PERFORMANCE.md there): for n ranks and S bytes in t seconds, all-reduce
2 (n-1)/n S/t; all-gather, reduce-scatter and all-to-all (n-1)/n S/t; broadcast and reduce S/t; send-receive S/t. It does not
depend on n while the same link is the narrow one, which is why one number serves many sizes of cluster.

A collective over k domains of g GPUs is as fast as its narrower part: the NVLink domain, or the g network ports of a domain
together. Between two domains only half of the bytes of a ring cross, so the network counts (2 (n-1)/n) / (2 (k-1)/k) times.
Latency is one term, alpha: t = alpha + S / rate. Both kinds of constants are fitted to published measurements and say so.

Sources: NVIDIA/nccl-tests doc/PERFORMANCE.md (bus bandwidth); NVIDIA/nccl src/graph/tuning.cc (what NCCL itself assumes);
measurements in `predict.published`.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Factor from bytes over time to bus bandwidth, by collective, as functions of n (nccl-tests doc/PERFORMANCE.md).
TWICE = ("all_reduce",)
SHARED = ("all_gather", "reduce_scatter", "alltoall", "gather", "scatter")
ONCE = ("broadcast", "reduce", "sendrecv", "hypercube")
COLLECTIVES = (*TWICE, *SHARED, *ONCE)

#: Share of the network's line rate that a collective of large messages reaches: 193.7 of 200 GB/s (16 A100, OCI), 387.4 of 400
#: (NCCL's own constants); 46 to 48 of 50 GB/s a port is what NCCL's maintainers answer (nccl-tests issues 290, 119).
NETWORK_SHARE = 0.9685
#: Share of an NVLink domain's one-way rate, reduction in the switch (NVLS) for all-reduce, rings for the rest; by generation of
#: NVLink: 4 Hopper, 5 Blackwell. Fitted: H100 480 and H200 482.3 of 450; H200 rings 361 to 367 of 450; B200 845.7 and GB200
#: 843 of 900; B200 ring 682.2 of 900.
SWITCH_SHARE = {4: 1.068, 5: 0.939}
RING_SHARE = {3: 0.78, 4: 0.81, 5: 0.758}
#: Seconds that no size makes shorter: in a domain of up to 8 GPUs, in a larger one, and more between domains. Fitted to sweeps
#: of H200 (8), GB200 (72) and to B200 (4 nodes), H100 (2 and 8 nodes) at 0.5 to 16 GiB.
ALPHA_SMALL, ALPHA_LARGE, ALPHA_BETWEEN = 100e-6, 500e-6, 300e-6
#: GPUs up to which a domain counts as small.
SMALL_DOMAIN = 8
#: Smallest message of the proven regime, and domains up to which rows were published that agree.
LEAST_BYTES, MOST_DOMAINS_LARGE, MOST_DOMAINS_SMALL = 256 << 20, 2, 8
#: Relative tolerance of the proven regime, and outside it.
TOLERANCE, WIDE = 0.08, 0.35


@dataclass(frozen=True, slots=True)
class Domain:
    """What a collective runs on: GPUs of one NVLink domain, its one-way rate per GPU, its generation (0: no NVLink), the
    network rate per GPU; all rates in GB/s."""

    gpus: int
    nvlink_gbytes_s: float
    generation: int
    network_gbytes_s: float


@dataclass(frozen=True, slots=True)
class Reached:
    """A value with what it is made of. ``narrow`` is the part that limits it; ``proven`` says whether published measurements
    cover the case, ``why`` why not."""

    value: float
    narrow: str
    inside: float | None
    network: float | None
    alpha_s: float
    proven: bool
    why: str = ""

    @property
    def tolerance(self) -> float:
        """Relative half-width of the interval around the value."""
        return TOLERANCE if self.proven else WIDE


def bus_factor(collective: str, ranks: int) -> float:
    """Bus bandwidth over algorithm bandwidth (S/t). Raises ``ValueError`` for a collective that nccl-tests does not have."""
    if collective in TWICE:
        return 2 * (ranks - 1) / ranks
    if collective in SHARED:
        return (ranks - 1) / ranks
    if collective in ONCE:
        return 1.0
    raise ValueError(f"no collective {collective!r}: there are {', '.join(COLLECTIVES)}")


def bus_bandwidth(domain: Domain, gpus: int, collective: str = "all_reduce", size_bytes: float = 8 << 30) -> Reached | None:
    """Bus bandwidth (GB/s) of ``collective`` over ``gpus`` GPUs in whole domains, messages of ``size_bytes``.

    None where nothing published says how fast the inside of a machine without NVLink is. Raises ``ValueError`` for fewer than
    two GPUs or an unknown collective.
    """
    if gpus < 2:
        raise ValueError("a collective needs two GPUs")
    factor = bus_factor(collective, gpus)
    in_switch = collective in TWICE and domain.generation in SWITCH_SHARE
    share = (SWITCH_SHARE if in_switch else RING_SHARE).get(domain.generation)
    inside = None if share is None else share * domain.nvlink_gbytes_s
    domains = -(-gpus // domain.gpus)
    if domains == 1 and inside is None:
        return None
    network = None
    if domains > 1:
        line = domain.gpus * domain.network_gbytes_s * NETWORK_SHARE
        network = _network(collective, gpus, domain, line, in_switch)
    limit = min(x for x in (inside, network) if x is not None)
    alpha = (ALPHA_SMALL if domain.gpus <= SMALL_DOMAIN else ALPHA_LARGE) + (ALPHA_BETWEEN if domains > 1 else 0.0)
    seconds = alpha + factor * size_bytes / (limit * 1e9)
    why = _unproven(domain, domains, collective, size_bytes, inside)
    value = factor * size_bytes / seconds / 1e9
    return Reached(value, "NVLink" if limit == inside else "network", inside, network, alpha, not why, why)


def _network(collective: str, gpus: int, domain: Domain, line: float, in_switch: bool) -> float:
    """Bus bandwidth that the network ports of a domain carry; ``line`` is their rate together.

    Between two domains that reduce in their switches only one half of each result crosses; a ring crosses with all of it.
    """
    if collective == "alltoall":  # of a GPU's bytes (n - g)/n leave the domain, over its own port
        return (gpus - 1) / (gpus - min(domain.gpus, gpus)) * line / domain.gpus
    if collective in ("sendrecv", "gather", "scatter"):  # one port at a time
        return line / domain.gpus
    if not in_switch or gpus > 2 * domain.gpus:
        return line
    return (gpus - 1) / gpus * 2 * line


def _unproven(domain: Domain, domains: int, collective: str, size_bytes: float, inside: float | None) -> str:
    """Why published measurements do not cover the case; empty when they do."""
    if inside is None:
        return "no published measurement inside a machine without NVLink: the network alone is counted"
    if size_bytes < LEAST_BYTES:
        return f"messages below {LEAST_BYTES >> 20} MiB: latency and protocol decide, one term does not describe them"
    most = MOST_DOMAINS_SMALL if domain.gpus <= SMALL_DOMAIN else MOST_DOMAINS_LARGE
    if domains > most:
        return f"{domains} NVLink domains: published measurements that agree end at {most}; 20 racks of GB200 reached half"
    if collective not in ("all_reduce", "all_gather", "reduce_scatter"):
        return f"no published table of {collective} by nodes was found"
    return ""


#: Share of an RDMA port's line rate that large writes reach: rules of 92 to 97 %, and 193.7 of 200 Gb/s measured on EFA.
RDMA_SHARE, RDMA_TOLERANCE = 0.95, 0.03
#: Usable one-way rate of a PCIe lane by generation, GB/s: transfers a second x encoding / 8 (PCI-SIG base specifications).
PCIE_LANE_GBYTES_S = {3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}
#: Shares of that rate reached by copies to and from a GPU: 54.8 and 46.8 of 63 GB/s, H100.
TO_GPU_SHARE, FROM_GPU_SHARE, COPY_TOLERANCE = 0.87, 0.78, 0.1
#: Share of the peak bandwidth of HBM that copies reach: 2,903 of 3,350 GB/s, H100; DCGM's floors are 0.75 of measured values.
MEMORY_SHARE, MEMORY_TOLERANCE = 0.85, 0.12
#: Shares of the dense peak that large multiplications reach, BF16 and FP8 (maximum achievable, H100 to B300).
GEMM_SHARE = {"bf16": 0.78, "fp8": 0.735}
GEMM_TOLERANCE = 0.07
#: Share of the NVLink rate of one direction that a copy between two GPUs reaches: tools ask for 335 of 450 GB/s.
P2P_SHARE, P2P_TOLERANCE = 0.82, 0.1
