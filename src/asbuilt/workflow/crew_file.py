"""`decide.yaml`: what is asked when a crew is chosen. All problems at once, each with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from asbuilt.base.decode import Decoded, decode_record, in_order
from asbuilt.base.fault import Fault
from asbuilt.base.problem import Place, Problem, ProblemError
from asbuilt.model.assumption import Assumed, Assumptions
from asbuilt.model.crew_question import Question, Trial
from asbuilt.model.deployment import PARTIES
from asbuilt.workflow.assumption_tree import Ledger, Limits
from asbuilt.workflow.assumptions import limits
from asbuilt.workflow.crew_assumptions import declared, own_values
from asbuilt.workflow.crew_grammar import CODES, GRAMMAR, PartyGiven, QuestionGiven
from asbuilt.workflow.crew_parties import STATED, arrangements, party, stated_number
from asbuilt.workflow.fault_history import read_history

FILE = "decide.yaml"
APART = "assumptions"
#: Two statements contradict each other, or one is stated twice.
CONTRADICTION = "CLI-104"
CURRENCY = "CLI-105"
DOLLAR = "USD"
MOST_ARRANGEMENTS = 12
NO_FILE = f"there is no {FILE}: parties, shifts, tools, checkpoints and all values are the built-in ones"


def read_question(path: Path | None, name: str, racks: int, liquid: bool, assumptions: Assumptions) -> Question:
    """The question in the file at ``path``, about the site ``name`` of so many ``racks``; None: the built-in one.

    ``liquid``: the site has liquid-cooled racks. ``assumptions``: those that stand where the file is silent, with prices in
    US dollars; `assumptions.without_claims()` gives the same question without claims. What was not stated is in ``notes``.
    Raises ``ProblemError`` CLI-100 (the file), CLI-101 (fields), CLI-102 (values), CLI-103 (ids of assumptions), CLI-104
    (contradictions), CLI-105 (currency), CLI-106 (history of faults): all that is wrong, each with its place.
    """
    if path is None:
        return _question(QuestionGiven(), assumptions, (), name, racks, liquid, (NO_FILE,))
    data = _read(path)
    decoded = decode_record(data, str(path), QuestionGiven, GRAMMAR, (APART,))
    ledger = Ledger(CODES, list(decoded.problems))
    given = decoded.value
    bounds = _in_currency(decoded, limits(), ledger)
    own, places = _own(decoded, path, assumptions, bounds, ledger)
    stated = _stated(decoded, places, path, assumptions, ledger)
    _rules(decoded, liquid, assumptions.with_own(own | stated), ledger)
    trials = _trials(decoded, path, ledger)
    _certain(trials, own, places, ledger)
    if ledger.problems:
        raise ProblemError(in_order(ledger.problems, CODES, str(path)))
    worth = given.usd if given.usd is not None else 1.0
    priced = Assumptions({item.id: _priced(item, worth, given.currency or DOLLAR) for item in assumptions})
    return _question(given, priced.with_own(own | stated), trials, name, racks, liquid, ())


def _read(path: Path) -> bytes:
    """The bytes of the file, at most a little more than may be read of it."""
    try:
        if not path.is_file():
            raise OSError(0, "it is not a file" if path.exists() else "there is no such file")
        with path.open("rb") as opened:
            return opened.read((1 << 20) + 1)
    except OSError as error:
        what, fix = f"the question cannot be read: {error.strerror or error}", "give a decide.yaml, or none for the defaults"
        raise ProblemError(Problem(CODES[Fault.SYNTAX], what, Place(str(path)), fix=fix)) from None


def _question(
    given: QuestionGiven,
    assumptions: Assumptions,
    trials: tuple[Trial, ...],
    name: str,
    racks: int,
    liquid: bool,
    notes: tuple[str, ...],
) -> Question:
    told = {which: party(which, getattr(given, which), assumptions) for which in PARTIES}
    early = True if given.early_use is None else given.early_use
    if given.racks_per_quarter is None:
        notes = (*notes, f"racks a quarter not stated; this site has {racks:,}")
    return Question(
        name=name,
        currency=given.currency or DOLLAR,
        own=told["own"].party,
        specialist=told["specialist"].party,
        arrangements=arrangements(given.arrangements, given.checkpoints, liquid),
        assumptions=assumptions,
        trials=trials,
        racks_per_quarter=given.racks_per_quarter,
        early_use=early,
        notes=(*notes, *told["own"].notes, *told["specialist"].notes),
    )


def _own(
    decoded: Decoded[QuestionGiven], path: Path, known: Assumptions, bounds: Mapping[str, Limits], ledger: Ledger
) -> tuple[dict[str, Assumed], dict[str, Place]]:
    if APART not in decoded.apart:
        return {}, {}
    at, node = decoded.apart[APART]
    return own_values(at, node, path.name, known, bounds, ledger)


def _stated(
    decoded: Decoded[QuestionGiven], taken: dict[str, Place], path: Path, known: Assumptions, ledger: Ledger
) -> dict[str, Assumed]:
    """Numbers that the file states outside of ``assumptions`` but that are assumptions too: by id, of origin declared."""
    given = decoded.value
    found: dict[str, tuple[float, tuple[str, ...]]] = {}
    for which in PARTIES:
        said: PartyGiven | None = getattr(given, which)
        for key in STATED:
            number = stated_number(said, key)
            if number is not None:
                found[f"crew.{which}.{key}"] = (number, (which, *STATED[key]))
    if given.gpu_hour is not None:
        found["money.gpu_hour"] = (given.gpu_hour, ("gpu_hour",))
    made = {}
    for key, (number, where) in found.items():
        place = decoded.places.get(where, Place(str(path)))
        if key in taken:
            what = f"`{'.'.join(where)}` and `{key}` state the same thing"
            why = f"the other one stands in line {taken[key].line}; only one can be meant"
            ledger.problems.append(Problem(CONTRADICTION, what, place, why, "delete one of the two"))
        made[key] = declared(known[key], number, f"{path.name} line {place.line}")
    return made


def _rules(decoded: Decoded[QuestionGiven], liquid: bool, assumptions: Assumptions, ledger: Ledger) -> None:
    """What fields say together."""
    given, file = decoded.value, decoded.source.file
    for which in PARTIES:
        hours, shifts = (assumptions[f"crew.{which}.{key}"].likely for key in ("shift_hours", "shifts"))
        if hours * shifts > _DAY_H:
            place = decoded.places.get((which, "shift"), Place(file))
            what = f"{shifts:g} shifts of {hours:g} h are {hours * shifts:g} h in a day of {_DAY_H:g}"
            _contradiction(ledger, place, what, f"a team position of `{which}` is staffed so long", "lower one of the two")
    for key, said in (given.arrangements or {}).items():
        if liquid and said.liquid is None:
            place = decoded.places.get(("arrangements", key), Place(file))
            why = "the site has liquid-cooled racks"
            _contradiction(
                ledger,
                place,
                f"`arrangements.{key}` does not say who does liquid",
                why,
                "add `liquid: own` or `liquid: specialist`",
            )
    if len(given.arrangements or {}) > MOST_ARRANGEMENTS:
        place = decoded.places.get(("arrangements",), Place(file))
        what = f"{len(given.arrangements or {})} arrangements; at most {MOST_ARRANGEMENTS} are compared"
        _contradiction(ledger, place, what, "each is simulated", "keep those that are meant")
    for index, trial in enumerate(given.trial or ()):
        if trial.faults is not None and trial.operations is not None and trial.faults > trial.operations:
            place = decoded.places.get(("trial", index, "faults"), Place(file))
            what = f"{trial.faults} faults in {trial.operations} operations"
            _contradiction(ledger, place, what, "a piece of work counts once", "mend one of the two counts")


_DAY_H = 24.0


def _contradiction(ledger: Ledger, place: Place, what: str, why: str, fix: str) -> None:
    ledger.problems.append(Problem(CONTRADICTION, what, place, why, fix))


def _trials(decoded: Decoded[QuestionGiven], path: Path, ledger: Ledger) -> tuple[Trial, ...]:
    given = decoded.value
    found = [
        Trial(t.fault, float(t.operations), float(t.faults), t.party or "own", f"{t.source} ({path.name})")
        for t in given.trial or ()
        if t.operations is not None and t.faults is not None
    ]
    if given.history is not None:
        try:
            found += read_history(path.parent / given.history, given.history, decoded.places.get(("history",)))
        except ProblemError as error:
            ledger.problems.extend(error.problems.items)
    return tuple(found)


def _certain(trials: tuple[Trial, ...], own: Mapping[str, Assumed], places: Mapping[str, Place], ledger: Ledger) -> None:
    """A rate that is stated without spread, and faults counted that would change it."""
    for fault in dict.fromkeys(trial.fault for trial in trials):
        key = f"fault.{fault}.rate"
        if key in own and own[key].low == own[key].high:
            what = f"`{key}` is stated as certain, and a trial or the history counts `{fault}`"
            why = "a number without spread cannot be changed by what was found"
            fix = "state low, likely and high, or take one of the two away"
            _contradiction(ledger, places[key], what, why, fix)


def _in_currency(decoded: Decoded[QuestionGiven], bounds: Mapping[str, Limits], ledger: Ledger) -> Mapping[str, Limits]:
    """Limits of values in the question's currency; notes a currency whose worth nobody states."""
    given, file = decoded.value, decoded.source.file
    currency, worth = given.currency or DOLLAR, given.usd
    if currency == DOLLAR and worth is not None and worth != 1.0:
        place = decoded.places.get(("usd",), Place(file))
        what = f"one US dollar is said to be worth {worth:g} {DOLLAR}"
        fix = "state `currency`, or delete the line"
        ledger.problems.append(Problem(CURRENCY, what, place, "the currency is US dollars where none is stated", fix))
    if currency != DOLLAR and worth is None:
        place = decoded.places.get(("currency",), Place(file))
        what = f"nobody says what one US dollar is worth in {currency}"
        why = "built-in prices are US dollars, and would be added to amounts in another currency"
        fix = "add `usd: …`, the price of one dollar"
        ledger.problems.append(Problem(CURRENCY, what, place, why, fix))
    if worth is None or currency == DOLLAR:
        return bounds
    return {key: _scaled(item, worth) for key, item in bounds.items()}


def _is_money(unit: str) -> bool:
    return unit == "money" or unit.startswith("money/")


def _scaled(item: Limits, worth: float) -> Limits:
    if not _is_money(item.unit) or item.most is None:
        return item
    return replace(item, most=max(item.most, item.most * worth))


def _priced(item: Assumed, worth: float, currency: str) -> Assumed:
    """A built-in price in the question's currency."""
    if not _is_money(item.unit) or currency == DOLLAR:
        return item
    removed = item.removed
    if removed is not None:
        removed = replace(removed, low=removed.low * worth, likely=removed.likely * worth, high=removed.high * worth)
    source = f"{item.source}; at {worth:g} {currency} for one US dollar"
    return replace(
        item, low=item.low * worth, likely=item.likely * worth, high=item.high * worth, source=source, removed=removed
    )  # fmt: skip
