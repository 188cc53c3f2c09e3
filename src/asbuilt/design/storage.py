"""Storage that the cluster needs: reference rate per GPU, checkpoints within their time, model loading, capacity."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.design.ledger import Choices, Ledger
from asbuilt.model.design import Design

# bf16 weights 2, fp32 master 4, Adam moments 4 + 4 (aidatacenterguide.com, part 9.4).
BYTES_PER_PARAMETER = 14.0
BYTES_OF_WEIGHTS = 2.0
DEFAULT_MODEL_B = 70.0
DEFAULT_WRITE_S = 60.0
DEFAULT_LOAD_S = 60.0
CHECKPOINTS_KEPT = 10


@dataclass(frozen=True, slots=True)
class Storage:
    """Rates in GB/s, capacity in TB, power in kW, and the formula of each as text."""

    read_gbytes_s: float
    write_gbytes_s: float
    capacity_tb: float
    power_kw: float
    tier: str
    state_tb: float
    read_text: str
    write_text: str
    capacity_text: str


def storage_of(design: Design, ledger: Ledger) -> Storage:
    """`Storage` for ``design``; figures of the storage class are cited, workload defaults recorded.

    Read: the larger of the class's rate per GPU (at least one node's) and the model's weights in the time to load them.
    Write: the larger of the class's rate and one checkpoint in the time it may take. Capacity: per GPU, at least ten
    checkpoints.
    """
    work = design.requirement.workload

    pick = Choices(ledger, "workload", work).number
    tier = work.storage_tier or ledger.assume("workload.storage_tier", "better", "middle class of the reference architecture")
    model_b = pick("model_parameters_b", DEFAULT_MODEL_B, "a common large open model")
    per_parameter = pick("checkpoint_bytes_per_parameter", BYTES_PER_PARAMETER, "bf16 weights, fp32 master, two Adam moments")
    write_s = pick("checkpoint_write_max_s", DEFAULT_WRITE_S, "a pause that no one minds at half-hourly checkpoints")
    load_s = pick("model_load_max_s", DEFAULT_LOAD_S, "a minute to start")
    state_gb, weights_gb = model_b * per_parameter, model_b * BYTES_OF_WEIGHTS
    found = str(tier) if ledger.catalogue.has("storage", str(tier)) else None
    read, write, per_gpu, watts = 0.0, 0.0, 0.0, 0.0
    if found is not None:
        part = ledger.catalogue.get("storage", found)
        share = design.gpus / float(ledger.figure(part, "su_gpus"))
        read = max(
            float(ledger.figure(part, "su_read_gbytes_s")) * share, float(ledger.figure(part, "node_read_gbytes_s", 0.0))
        )
        write = max(
            float(ledger.figure(part, "su_write_gbytes_s")) * share, float(ledger.figure(part, "node_write_gbytes_s", 0.0))
        )
        per_gpu = float(ledger.figure(part, "capacity_tb_per_gpu", 0.0))
        watts = float(ledger.figure(part, "power_w_per_tb", 0.0))
    capacity = max(per_gpu * design.gpus, CHECKPOINTS_KEPT * state_gb / 1000)
    return Storage(
        read_gbytes_s=round(max(read, weights_gb / load_s), 1),
        write_gbytes_s=round(max(write, state_gb / write_s), 1),
        capacity_tb=round(capacity, 1),
        power_kw=capacity * watts / 1000,
        tier=str(tier),
        state_tb=state_gb / 1000,
        read_text=f"max({tier}: {read:.1f} GB/s for {design.gpus:,} GPUs, {weights_gb:.0f} GB of weights in {load_s:g} s)",
        write_text=f"max({tier}: {write:.1f} GB/s for {design.gpus:,} GPUs, {state_gb:.0f} GB checkpoint in {write_s:g} s)",
        capacity_text=f"max({per_gpu:g} TB x {design.gpus:,} GPUs, {CHECKPOINTS_KEPT} checkpoints of {state_gb / 1000:.2f} TB)",
    )
