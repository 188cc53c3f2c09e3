"""Which components explain every measurement, and what to measure next: Bayesian group testing over the plan's ways.

A hypothesis is a set of at most three faulty components. A measurement that used a faulty component with weight w is bad with
probability 1 - (1 - s w) over all of them, and bad without any with probability f; s and f are stated, not hidden, and are
part of the answer. Hypotheses are scored by their posterior, components by the sum over the hypotheses that hold them.
Components that no measurement so far tells apart form one class.

The next measurement is the one whose answer is most uncertain under the posterior: with s near 1 and f near 0 that halves
what is left (Shannon; the same rule as in adaptive group testing, Dorfman 1943 and after).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asbuilt.diagnose.paths import CABLE, NODE, PORT, SWITCH, Paths, Weights

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
#: A measurement over a faulty component is bad, and one over none is bad all the same: assumed, no source at hand. The second
#: is that of a measurement that was repeated before it was called bad.
SEEN, FALSE = 0.98, 0.002
#: How often a component of a kind is the fault, beside the others. Assumed; the order follows the counts of Meta's Llama 3
#: report (switch and cable 35, NIC 7 of 419 interruptions, by far most of the rest in the node), spread over their numbers.
PRIOR = {NODE: 1.0, PORT: 1.0, SWITCH: 0.3, CABLE: 0.5}
#: A single component is faulty with this probability times its prior's weight: it makes two faults rarer than one.
RATE = 1e-3
#: Components that pairs and triples are made of, and pairs that triples are made of.
_CANDIDATES, _PAIRS = 240, 60
#: Faulty components that one hypothesis may have.
_MOST = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement: the rows of `Paths.ends` that took part, and whether it was as it should be."""

    ends: tuple[int, ...]
    good: bool
    name: str = ""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A class of components that the measurements do not tell apart, the most probable first."""

    components: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """The next measurement: a pair or a ring over ends, how likely it is bad, how many bits it is expected to tell."""

    ends: tuple[int, ...]
    bad: float
    bits: float


@dataclass(slots=True)
class Posterior:
    """What the measurements leave. ``matrix`` [T, C]: what each used; ``sets`` [H, 3]: hypotheses by component rows, filled up
    with C; ``weight`` [H]: their probabilities; ``marginal`` [C]: those of the components."""

    paths: Paths
    matrix: Weights
    sets: Rows
    weight: Floats
    measured: tuple[Measured, ...] = ()
    marginal: Floats = field(default_factory=lambda: np.zeros(0))

    def _best(self) -> tuple[int, ...]:
        """The most probable set; where something was bad, of those that name a component: chance alone is no answer."""
        weight = self.weight.copy()
        weight[0] = weight[0] if all(m.good for m in self.measured) else 0
        return tuple(int(c) for c in self.sets[int(weight.argmax())] if c < len(self.paths))

    @property
    def best(self) -> tuple[str, ...]:
        """The most probable set of components."""
        return tuple(self.paths.names[c] for c in self._best())

    @property
    def chance(self) -> float:
        """The probability that nothing is at fault: every bad measurement was bad for no reason."""
        return float(self.weight[0])

    def unexplained(self) -> tuple[Measured, ...]:
        """Bad measurements that used no component of the best hypothesis."""
        hit = self.matrix[:, list(self._best())].max(axis=1, initial=0)
        return tuple(m for m, h in zip(self.measured, hit, strict=True) if not m.good and h <= 0)

    def suspects(self, most: int = 12) -> tuple[Suspect, ...]:
        """Classes of components by probability. Of a class every member explains what any other does."""
        bad = np.array([not m.good for m in self.measured], bool)
        spoiled = self.matrix[bad].any(axis=0) if bad.any() else np.zeros(len(self.paths), bool)
        order = np.argsort(-self.marginal * spoiled, kind="stable")[: np.count_nonzero(spoiled)]
        classes: dict[bytes, list[int]] = {}
        for row in order[self.marginal[order] > 0]:
            classes.setdefault(self.matrix[:, row].tobytes(), []).append(int(row))
        found = [
            Suspect(tuple(self.paths.names[r] for r in rows), float(min(1.0, self.marginal[rows].sum())))
            for rows in classes.values()
        ]
        return tuple(sorted(found, key=lambda s: -s.probability)[:most])


def posterior(paths: Paths, measured: Sequence[Measured], seen: float = SEEN, false: float = FALSE) -> Posterior:
    """The posterior over sets of at most three faulty components, given ``measured`` (none: the prior)."""
    count = len(paths)
    matrix = np.stack([paths.used(m.ends) for m in measured]) if measured else np.zeros((0, count), np.float32)
    good = np.array([m.good for m in measured], bool)
    # The column behind the last component is none: it spoils nothing and costs nothing.
    rate = np.append(np.log(RATE * np.array([PRIOR[k] for k in paths.kinds])), 0.0)
    spared = np.append(np.log1p(-seen * matrix.astype(np.float64)), np.zeros((len(good), 1)), axis=1)
    clean = float(np.log1p(-false))

    def scored(sets: Rows) -> Floats:
        together: Floats = spared[:, sets].sum(axis=2).T
        made: Floats = _likelihood(together, good, clean) + rate[sets].sum(axis=1)
        return made

    single = _filled(np.arange(count)[:, None], count)
    parts = [np.full((1, _MOST), count), single]
    scores = [scored(parts[0]), scored(single)]
    few = _candidates(scores[1], matrix, good)
    if len(few) > 1:
        one, two = np.triu_indices(len(few), 1)
        pairs = _filled(np.stack([few[one], few[two]], axis=1), count)
        parts.append(pairs)
        scores.append(scored(pairs))
        top = pairs[np.argsort(-scores[-1], kind="stable")[:_PAIRS]]
        triples = np.stack([np.repeat(top[:, 0], len(few)), np.repeat(top[:, 1], len(few)), np.tile(few, len(top))], axis=1)
        triples.sort(axis=1)
        triples = np.unique(triples[(np.diff(triples, axis=1) > 0).all(axis=1)], axis=0)
        if len(triples):
            parts.append(triples)
            scores.append(scored(triples))
    score = np.concatenate(scores)
    weight = np.exp(score - score.max())
    weight /= weight.sum()
    sets = np.concatenate(parts)
    marginal: Floats = np.bincount(sets.ravel(), np.repeat(weight, _MOST), count + 1)[:count].astype(np.float64)
    return Posterior(paths, matrix, sets, weight, tuple(measured), marginal)


def _filled(sets: Rows, none: int) -> Rows:
    """``sets`` [H, k] filled up with ``none`` to [H, 3]."""
    return np.pad(sets, ((0, 0), (0, _MOST - sets.shape[1])), constant_values=none)


def _likelihood(spared: Floats, good: NDArray[np.bool_], clean: float) -> Floats:
    """Log-likelihood [H] of the outcomes; ``spared`` [H, T] is the log chance that no faulty component spoils each."""
    fine = spared + clean
    bad = np.log(np.maximum(-np.expm1(fine), 1e-300))
    told: Floats = np.where(good, fine, bad).sum(axis=1)
    return told


def _candidates(single: Floats, matrix: Weights, good: NDArray[np.bool_]) -> Rows:
    """Components that pairs are made of: the best alone, and those that explain most bad measurements for the good ones
    that they would have spoiled."""
    if good.all():
        return np.zeros(0, np.int64)
    explains = matrix[~good].sum(axis=0) - 4 * matrix[good].sum(axis=0)
    ranked = np.concatenate([np.argsort(-single, kind="stable")[: _CANDIDATES // 2], np.argsort(-explains, kind="stable")])
    ranked = ranked[matrix[~good][:, ranked].any(axis=0)]
    first = np.sort(np.unique(ranked, return_index=True)[1])
    return np.sort(ranked[first][:_CANDIDATES])


def propose(left: Posterior, seen: float = SEEN, false: float = FALSE, among: Sequence[int] | None = None) -> Proposal | None:
    """The measurement that tells most. ``among`` are the ends that may be used (all of compute nodes, when None).

    None when no measurement at hand tells more than a hundredth of a bit: the rest is for other facts to tell.
    """
    keep = np.argsort(-left.weight, kind="stable")[:2000]
    keep = keep[left.weight[keep] > 0]
    weight = left.weight[keep] / left.weight[keep].sum()
    sets = left.sets[keep]
    best: Proposal | None = None
    for ends in _possible(left, among):
        used = np.append(np.log1p(-seen * left.paths.used(ends).astype(np.float64)), 0.0)
        spared = used[sets].sum(axis=1)
        chance = 1 - (1 - false) * np.exp(spared)
        bad = float((weight * chance).sum())
        bits = entropy(bad) - float((weight * _entropies(chance)).sum())
        # Of measurements that tell the same the one with fewer hosts is cheaper.
        if best is None or bits > best.bits + 1e-6 or (bits > best.bits - 1e-6 and len(ends) < len(best.ends)):
            best = Proposal(ends, bad, bits)
    return best if best is not None and best.bits > 0.01 else None


def entropy(p: float) -> float:
    """Bits of an event with probability ``p``."""
    return float(_entropies(np.array([p]))[0])


def _entropies(p: Any) -> Floats:
    inside = np.clip(p, 1e-12, 1 - 1e-12)
    made: Floats = -(inside * np.log2(inside) + (1 - inside) * np.log2(1 - inside))
    return made


def _possible(left: Posterior, among: Sequence[int] | None) -> list[tuple[int, ...]]:
    """Measurements worth weighing: rings that hold about half of what is left, and pairs of a suspect with a sound partner."""
    paths, marginal = left.paths, left.marginal
    rows = list(among) if among is not None else [i for i, e in enumerate(paths.ends) if e.node.startswith("node:")]
    port = np.array([paths.at[f"nic:{paths.ends[r].node.removeprefix('node:')}/{paths.ends[r].device}"] for r in rows])
    node = np.array([paths.at[paths.ends[r].node] for r in rows])
    leaf = np.array([paths.at[paths.ends[r].leaf] for r in rows])
    own = marginal[port] + marginal[node]
    made: dict[tuple[int, ...], None] = {}
    for group in _halves(rows, own, paths):
        made[group] = None
    order = np.argsort(-own, kind="stable")
    sound = [rows[i] for i in order[::-1]]
    by_leaf: dict[int, list[int]] = {}
    for r in sound:
        by_leaf.setdefault(paths.at[paths.ends[r].leaf], []).append(r)
    for i in order[:12]:  # a suspect port beside a sound one on its own switch, and one far away
        for partners in (by_leaf[int(leaf[i])][:3], sound[:2]):
            made |= {
                (rows[i], other): None
                for other in partners
                if other != rows[i] and paths.ends[other].node != paths.ends[rows[i]].node
            }
    made |= dict.fromkeys(_over_cables(left, by_leaf))
    return list(made)


def _halves(rows: list[int], own: Floats, paths: Paths) -> list[tuple[int, ...]]:
    """Rings over half of the suspicion: by node, by leaf, by rail; at several shares, because the network adds its own."""
    found: list[tuple[int, ...]] = []
    for of in ("node", "leaf", "rail"):
        groups: dict[Any, list[int]] = {}
        for i, r in enumerate(rows):
            groups.setdefault(getattr(paths.ends[r], of), []).append(i)
        ranked = sorted(groups.values(), key=lambda those: -float(own[those].sum()))
        total = float(own.sum()) or 1.0
        for share in (0.125, 0.25, 0.375, 0.5, 0.625):
            taken: list[int] = []
            held = 0.0
            for those in ranked:
                if held + float(own[those].sum()) > share * total and taken:
                    continue
                taken += those
                held += float(own[those].sum())
                if held >= share * total:
                    break
            found += [_ring(rows, part, paths) for part in (taken, [i for i in range(len(rows)) if i not in set(taken)])]
            found.append(_ring(rows, [i for those in ranked[: max(2, int(share * len(ranked)))] for i in those], paths))
    return [f for f in found if len(f) > 1]


def _ring(rows: list[int], taken: list[int], paths: Paths) -> tuple[int, ...]:
    """Ends in the order in which a collective would be laid: rail by rail, along the leaves."""
    return tuple(sorted((rows[i] for i in taken), key=lambda r: (paths.ends[r].rail, paths.ends[r].leaf, r)))


def _over_cables(left: Posterior, by_leaf: dict[int, list[int]]) -> list[tuple[int, ...]]:
    """Pairs whose way crosses a suspect cable or switch between switches, with ends that are not suspect themselves."""
    paths = left.paths
    inner = [
        i for i in np.argsort(-left.marginal, kind="stable")[:60] if paths.kinds[i] in (CABLE, SWITCH) and left.marginal[i] > 0
    ]
    leaves = list(by_leaf)
    found: list[tuple[int, ...]] = []
    for component in inner[:8]:
        for a in leaves[:24]:
            for b in leaves[:24]:
                if a < b and len(found) < 400:
                    one, two = by_leaf[a][0], by_leaf[b][0]
                    if paths.ends[one].node != paths.ends[two].node:
                        for other in by_leaf[b][:4]:
                            if paths.used((one, other))[component] > 0:
                                found.append((one, other))
                                break
    return found
