"""Walks through forwarding tables, planned or measured: kernels that `routing_analysis` words.

Tables are ``out`` [S, LIDs], 255 for none; ``peer`` [S, P+1] as in `routing_fabric.Fabric`. A port that the array does not
have leads nowhere. Memory that a kernel needs is handed in.
"""

from __future__ import annotations

from typing import Any

from asbuilt.base.kernel import kernel

NOWHERE, LOOP = 255, 254


def _hops(lids: Any, out: Any, peer: Any, owner: Any, steps: Any, path: Any) -> None:
    """``steps`` [n, S]: switches passed to reach the owner of each LID (1 on its own switch), `NOWHERE` or `LOOP`.

    ``owner`` [n]: the switch row, or -2 - h for host h. ``path`` [S] is working memory. Each switch is walked once.
    """
    many, ports = out.shape[0], peer.shape[1]
    for i in range(lids.shape[0]):
        lid = lids[i]
        for s in range(many):
            steps[i, s] = 0
        for start in range(many):
            depth, at, end = 0, start, 0
            while end == 0:
                if steps[i, at] == 253:
                    end = 254
                elif steps[i, at] != 0:
                    end = steps[i, at]
                else:
                    path[depth] = at
                    depth += 1
                    port = out[at, lid]
                    steps[i, at] = 253
                    if at == owner[i]:
                        end = 1 if port == 0 else 255
                        steps[i, at] = end
                        depth -= 1
                    else:
                        to = peer[at, port] if port < ports and port > 0 else -1
                        if to == owner[i] and to <= -2:
                            steps[i, at] = 1
                            end = 1
                            depth -= 1
                        elif to < 0:
                            steps[i, at] = 255
                            end = 255
                            depth -= 1
                        else:
                            at = to
            for d in range(depth - 1, -1, -1):
                end = end + 1 if end < 252 else end
                steps[i, path[d]] = end


hops = kernel(_hops, threshold=200)(_hops)


def _turns(lids: Any, starts: Any, out: Any, peer: Any, peer_port: Any, mark: Any, turns: Any) -> None:
    """Set ``turns`` [S, P+1, P+1] (port in, port out) for every turn on the ways from ``starts`` to ``lids``.

    ``mark`` [S], zeros, is working memory: a switch is walked on from once for each LID.
    """
    ports = peer.shape[1]
    for i in range(lids.shape[0]):
        lid = lids[i]
        for j in range(starts.shape[0]):
            at, came, going = starts[j], 0, True
            while going:
                port = out[at, lid]
                to = peer[at, port] if port < ports and port > 0 else -1
                if to >= 0 and came > 0:
                    turns[at, came, port] = True
                going = to >= 0 and mark[at] != i + 1
                mark[at] = i + 1
                if going:
                    came = peer_port[at, port]
                    at = to


turns = kernel(_turns, threshold=200)(_turns)


def _peel(turns: Any, peer: Any, peer_port: Any, into: Any, queue: Any) -> int:
    """Take away channels (switch, out port) that nothing waits in front of; the number that stays is returned.

    ``into`` [S, P+1]: how many channels wait for this one, counted here; -1 for those taken away. O(turns).
    """
    many, ports = peer.shape
    left = 0
    for s in range(many):
        for q in range(1, ports):
            into[s, q] = -1
            if peer[s, q] >= 0:
                left += 1
                into[s, q] = 0
                for a in range(1, ports):
                    if turns[s, a, q]:
                        into[s, q] += 1
    count = 0
    for s in range(many):
        for q in range(1, ports):
            if into[s, q] == 0:
                queue[count] = s * ports + q
                count += 1
    done = 0
    while done < count:
        s, p = queue[done] // ports, queue[done] % ports
        done += 1
        into[s, p] = -1
        to, came = peer[s, p], peer_port[s, p]
        for q in range(1, ports):
            if turns[to, came, q] and into[to, q] > 0:
                into[to, q] -= 1
                if into[to, q] == 0:
                    queue[count] = to * ports + q
                    count += 1
    return left - done


peel = kernel(_peel, threshold=30)(_peel)


def _loads(shifts: Any, lids: Any, homes: Any, out: Any, peer: Any, load: Any, worst: Any) -> None:
    """``worst`` [n]: the most flows on one cable direction when host i sends to host i + shift, for each shift.

    ``lids`` and ``homes`` [H]: hosts in the order of the permutation. ``load`` [S, P+1] is working memory. A flow that does
    not arrive within 64 switches is left out.
    """
    hosts, ports = lids.shape[0], peer.shape[1]
    for i in range(shifts.shape[0]):
        for s in range(load.shape[0]):
            for p in range(ports):
                load[s, p] = 0
        most = 0
        for h in range(hosts):
            lid, at, steps = lids[(h + shifts[i]) % hosts], homes[h], 0
            while at >= 0 and steps < 64:
                port = out[at, lid]
                to = peer[at, port] if port < ports and port > 0 else -1
                if to >= 0:
                    load[at, port] += 1
                    most = max(most, load[at, port])
                at = to
                steps += 1
        worst[i] = most


loads = kernel(_loads, threshold=2)(_loads)
