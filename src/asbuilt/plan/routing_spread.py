"""The kernel of `routing_reroute`: rows of every destination, strangers sent where they meet no other stranger.

A *stranger* is a row that cannot take its preferred uplink. On a healthy tree each link carries one flow of any shift
permutation (host i sends to host i + shift), so a stranger makes two, and two strangers on one link make three only when some
shift has both. A row on a leaf is in use when the shift, in leaves, is the distance from it to the destination's leaf or one
less; a row above is for the leaves below it. ``busy`` [S, P+1, bytes] holds these steps of the shift as bits, for every link
that strangers pass; a way that meets no bit of its own is taken, the first in turn. ``whole`` [S, P+1] counts destinations
whose *usual* way down was moved onto a link: those are there in every shift.

Arguments: ``homes`` [h] switch rows with destinations, ``bounds`` [h + 1] into ``lids``, ``ports``, ``spans`` (LIDs of one
port); ``slot`` [S, P+1]: which of ``ups`` a port is; ``wide`` [S]: switches above; ``first``, ``last``, ``one`` [S]: leaves
below; ``size``: number of homes, and how often their number is halved to be a bit. The rest as in `routing_reroute.Ways`.
"""

from __future__ import annotations

from typing import Any

from asbuilt.base.kernel import kernel

# A link that a moved usual way holds in every shift is worse than a clash with any one stranger.
_ALWAYS = 4
_FARTHEST = 16


def _reached(
    home: int, peer: Any, peer_port: Any, ups: Any, many: Any, order: Any, has: Any, cand: Any, count: Any
) -> None:  # fmt: skip
    """``has`` [S]: 2 where the switch ``home`` is reached going down (itself too), 1 where going up first, 0 nowhere.

    ``cand`` [S, ...], ``count`` [S]: the ports that lead down to it.
    """
    for s in range(order.shape[0]):
        has[s] = 0
        count[s] = 0
    has[home] = 2
    for i in range(order.shape[0] - 1, -1, -1):
        s = order[i]
        if has[s] == 2:
            for q in range(many[s]):
                p = ups[s, q]
                to = peer[s, p]
                if to >= 0:
                    has[to] = 2
                    cand[to, count[to]] = peer_port[s, p]
                    count[to] += 1
    for i in range(order.shape[0]):
        s = order[i]
        if has[s] == 0:
            for q in range(many[s]):
                to = peer[s, ups[s, q]]
                if to >= 0 and has[to] > 0:
                    has[s] = 1
                    break


def _down(s: int, want: int, peer: Any, peer_port: Any, many: Any, slot: Any, wide: Any, cand: Any, count: Any) -> int:
    """The port down whose link the switch below prefers for ``want``, or is parallel to the one that it does."""
    for i in range(count[s]):
        p = cand[s, i]
        u = peer[s, p]
        if many[u] > 0 and slot[u, peer_port[s, p]] // wide[u] == (want % many[u]) // wide[u]:
            return int(p)
    return int(cand[s, want % count[s]])


def _taken(busy: Any, whole: Any, s: int, p: int, begin: int, end: int, size: Any) -> int:
    """What a stranger in use from step ``begin`` to ``end`` of the shift meets on a link."""
    if whole[s, p] > 0:
        return _ALWAYS
    for x in range(begin, end + 1):
        y = (x + size[0] if x < 0 else x) >> size[1]
        if busy[s, p, y >> 3] >> (y & 7) & 1:
            return 1
    return 0


def _take(busy: Any, s: int, p: int, begin: int, end: int, size: Any) -> None:
    for x in range(begin, end + 1):
        y = (x + size[0] if x < 0 else x) >> size[1]
        busy[s, p, y >> 3] |= 1 << (y & 7)


def _pass(
    s: int, p: int, lid: int, home: int, k: int, place: int, begin: int, end: int, size: Any, peer: Any, peer_port: Any,
    tops: Any, many: Any, slot: Any, busy: Any, whole: Any, out: Any, take: bool,
) -> int:  # fmt: skip
    """The way from ``s`` by port ``p`` to ``home``: what is met there, or with ``take`` its links taken.

    Links of the destination's usual way down are left out: it passes them anyway.
    """
    met, spine = 0, tops[home, k % many[home]] if many[home] > 0 else -1
    for _ in range(_FARTHEST):
        if s == home or p >= peer.shape[1] or peer[s, p] < 0:
            break
        to = peer[s, p]
        back = slot[to, peer_port[s, p]]
        usual = back >= 0 and to == home and back == k % many[home]
        usual = usual or (back >= 0 and to == spine and back == place % many[to])
        if not usual and take:
            _take(busy, s, p, begin, end, size)
        elif not usual:
            met += _taken(busy, whole, s, p, begin, end, size)
        s = to
        p = out[lid, s]
    return met


def _choose(
    s: int, want: int, lid: int, home: int, h: int, k: int, place: int, own: bool, size: Any, peer: Any, peer_port: Any,
    ups: Any, tops: Any, many: Any, has: Any, first: Any, last: Any, one: Any, turn: Any, slot: Any, busy: Any, whole: Any,
    out: Any, told: Any,
) -> int:  # fmt: skip
    """The preferred uplink of ``s``; else the next in turn whose way meets nobody, or the fewest. 255 when there is none."""
    n = many[s]
    liked = ups[s, want if want < n else want % n]
    to = peer[s, liked]
    if to >= 0 and has[to] > 0:
        told[0] += 1
        return int(liked)
    best, least, begin, end = -1, 0, h - last[s] - 1, h - first[s]
    for i in range(n):
        q = (want + turn[s] + 1 + i) % n
        to = peer[s, ups[s, q]]
        if to >= 0 and has[to] > 0:
            met = _pass(
                s, ups[s, q], lid, home, k, place, begin, end, size, peer, peer_port, tops, many, slot, busy, whole, out, False
            )  # fmt: skip
            if best < 0 or met < least:
                best, least = q, met
            if met == 0:
                break
    if best < 0:
        return 255
    turn[s] = (turn[s] + 1) % n
    told[1] += 1
    # Above the leaves a row is in use where a leaf below sends by it; others are reached over it in no shift.
    if own or (one[s] >= 0 and tops[one[s], k % many[one[s]]] == s):
        _pass(
            s, ups[s, best], lid, home, k, place, begin, end, size, peer, peer_port, tops, many, slot, busy, whole, out, True
        )  # fmt: skip
    return int(ups[s, best])


def _lead(at: int, want: int, peer: Any, peer_port: Any, ups: Any, tops: Any, many: Any, has: Any, whole: Any) -> int:
    """The preferred uplink of ``at`` from which it is reached going down; else one to the same switch, the least moved onto."""
    n = many[at]
    first = want % n
    to = peer[at, ups[at, first]]
    if to >= 0 and has[to] == 2:
        return int(first)
    best, near, least = -1, False, 0
    for i in range(1, n):
        q = (first + i) % n
        to = peer[at, ups[at, q]]
        if to >= 0 and has[to] == 2:
            held, same = whole[to, peer_port[at, ups[at, q]]], tops[at, q] == tops[at, first]
            if best < 0 or (same and not near) or (same == near and held < least):
                best, near, least = q, same, held
    return int(best)


def _climb(
    home: int, lid: int, k: int, place: int, peer: Any, peer_port: Any, ups: Any, tops: Any, many: Any, has: Any, whole: Any,
    out: Any, told: Any,
) -> None:  # fmt: skip
    """The way that the destination's own preferences lead up: there the tables point back down the same cables."""
    at, want, usual = home, k, True
    while many[at] > 0:
        first = want % many[at]
        q = _lead(at, want, peer, peer_port, ups, tops, many, has, whole)
        if q < 0:
            return
        told[0 if q == first else 1] += 1
        port = ups[at, q]
        to = peer[at, port]
        usual = usual and tops[at, q] == tops[at, first]
        if usual and q != first:
            whole[to, peer_port[at, port]] += 1
        out[lid, to] = peer_port[at, port]
        at, want = to, place


def _steady(
    home: int, place: int, peer: Any, peer_port: Any, ups: Any, many: Any, rank: Any, order: Any, has: Any, slot: Any,
    wide: Any, cand: Any, count: Any, base: Any, vary: Any,
) -> int:  # fmt: skip
    """Rows that are the same for every host of ``home``, into ``base`` [S]; the others into ``vary`` [S].

    There ways up stand first, from the roots on, ways down last. Their number is returned, ways down times S + 1.
    """
    some, downs, rows = 0, 0, peer.shape[0]
    for i in range(rows):
        s = order[i]
        base[s] = 255
        if has[s] == 2 and s != home:
            base[s] = _down(s, place, peer, peer_port, many, slot, wide, cand, count)
            if count[s] > 1 and rank[s] >= rank[home] - 1:
                downs += 1
                vary[rows - downs] = s
        elif has[s] == 1:
            port = 0 if rank[s] >= rank[home] else ups[s, place % many[s]]
            to = peer[s, port]
            if to >= 0 and has[to] > 0:
                base[s] = port
            else:
                vary[some] = s
                some += 1
    return int(some + (rows + 1) * downs)


def _lost(rank: Any, has: Any, base: Any, told: Any, times: int) -> None:
    """Count rows that no way leads from, and those that are the same for all hosts, ``times`` over."""
    for s in range(has.shape[0]):
        told[2] += times if has[s] == 0 and rank[s] != 255 else 0
        told[0] += times if has[s] == 1 and base[s] != 255 else 0


def _spread(
    homes: Any, bounds: Any, lids: Any, ports: Any, spans: Any, peer: Any, peer_port: Any, ups: Any, tops: Any, many: Any,
    rank: Any, place: Any, order: Any, slot: Any, wide: Any, first: Any, last: Any, one: Any, out: Any, told: Any, busy: Any,
    whole: Any, has: Any, cand: Any, count: Any, turn: Any, vary: Any, base: Any, size: Any,
) -> None:  # fmt: skip
    """All destinations of all ``homes``: the ways down, then those up, which look at them. ``told``: kept, moved, lost."""
    for h in range(homes.shape[0]):
        home, k, at = homes[h], 0, place[homes[h]]
        _reached(home, peer, peer_port, ups, many, order, has, cand, count)
        both = _steady(home, at, peer, peer_port, ups, many, rank, order, has, slot, wide, cand, count, base, vary)
        some, downs = both % (peer.shape[0] + 1), both // (peer.shape[0] + 1)
        for j in range(bounds[h], bounds[h + 1]):
            for lid in range(lids[j], lids[j] + spans[j]):
                for s in range(base.shape[0]):
                    out[lid, s] = base[s]
                for i in range(1, downs + 1):
                    s = vary[base.shape[0] - i]
                    out[lid, s] = _down(s, k, peer, peer_port, many, slot, wide, cand, count)
                _climb(home, lid, k, at, peer, peer_port, ups, tops, many, has, whole, out, told)
                out[lid, home] = ports[j]
                k += 1
        _lost(rank, has, base, told, k)
        k = 0
        for j in range(bounds[h], bounds[h + 1]):
            for lid in range(lids[j], lids[j] + spans[j]):
                for i in range(some):
                    s = vary[i]
                    own = rank[s] >= rank[home]
                    out[lid, s] = _choose(
                        s, k if own else at, lid, home, h, k, at, own, size, peer, peer_port, ups, tops, many, has, first, last,
                        one, turn, slot, busy, whole, out, told,
                    )  # fmt: skip
                k += 1


_PARTS = (_reached, _down, _taken, _take, _pass, _choose, _lead, _climb, _steady, _lost)
spread = kernel(_spread, threshold=64, parts=_PARTS)(_spread)
