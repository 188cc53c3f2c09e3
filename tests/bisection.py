"""How people localise a bad host or cable without a plan: halves of the nodes, then the rails of what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from asbuilt.diagnose.paths import Paths

Run = Callable[[Sequence[int]], bool]


def bisect(paths: Paths, run: Run) -> tuple[int, set[str]]:
    """(measurements made, components blamed). ``run`` says whether a collective over ends was good.

    Each half that is bad is halved again, down to two nodes; each of these beside a node that was in a good half; then each of
    its devices. A fault that only shows between halves is not found: no half is bad.
    """
    nodes = list(dict.fromkeys(e.node for e in paths.ends if e.node.startswith("node:")))
    ends = {n: [i for i, e in enumerate(paths.ends) if e.node == n] for n in nodes}
    made = 0
    blamed: set[str] = set()

    def good(those: Sequence[str], device: str = "") -> bool:
        nonlocal made
        made += 1
        rows = [i for n in those for i in ends[n] if not device or paths.ends[i].device == device]
        return run(sorted(rows, key=lambda i: (paths.ends[i].rail, i)))

    sound: list[str] = []

    def descend(those: list[str]) -> None:
        if len(those) <= 2:
            partner = next((s for s in sound if s not in those), next(n for n in nodes if n not in those))
            for node in those:
                if not good([node, partner]):
                    devices = [paths.ends[i].device for i in ends[node]]
                    bad = [d for d in devices if not good([node, partner], d)]
                    name = node.removeprefix("node:")
                    blamed.update([node] if len(bad) == len(devices) else [f"nic:{name}/{d}" for d in bad])
            return
        middle = len(those) // 2
        halves = (those[:middle], those[middle:])
        answers = [good(h) for h in halves]
        for half, answer in zip(halves, answers, strict=True):
            if answer:
                sound.extend(half)
        for half, answer in zip(halves, answers, strict=True):
            if not answer:
                descend(half)

    if not good(nodes):
        descend(nodes)
    return made, blamed
