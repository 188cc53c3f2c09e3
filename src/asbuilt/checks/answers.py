"""How checks answer: verdict frames from joined tables, thresholds from the plan, amounts as text.

No check is here. The rule that no data is never a pass lives in `judge`: a null judgement is ``not_measured``.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from asbuilt.model.facts import Facts
from asbuilt.model.plan import Plan
from asbuilt.model.verdict import Verdict

if TYPE_CHECKING:
    import polars as pl

SUBJECT = "subject"


def judge(
    frame: pl.DataFrame,
    *,
    subject: pl.Expr,
    ok: pl.Expr,
    expected: pl.Expr,
    found: pl.Expr,
    applies: pl.Expr | None = None,
    evidence: tuple[str, ...] = (),
) -> pl.DataFrame:
    """Verdict rows, one per row of ``frame``; an empty frame is one ``not_applicable`` row.

    ``ok`` null (a figure that nobody knows) is ``not_measured``; ``applies`` false or null is ``not_applicable``. What
    findings are made of comes first, sorted by subject and with ``expected`` and ``found`` in words. Rows that passed or
    do not apply follow without words: on a large plan nearly all are, and nobody reads them. ``evidence`` are columns of
    ``frame`` that rows with words keep (capture_id, line).
    """
    import polars as pl

    if frame.is_empty():
        return nothing("nothing of this kind in the plan")
    verdict = (
        pl.when(ok.is_null()).then(pl.lit(Verdict.NOT_MEASURED.value)).when(ok).then(pl.lit(Verdict.PASS.value))
    ).otherwise(pl.lit(Verdict.FAIL.value))
    if applies is not None:
        verdict = pl.when(applies.fill_null(False)).then(verdict).otherwise(pl.lit(Verdict.NOT_APPLICABLE.value))
    answer = frame.select(frame.columns[0], verdict.alias("verdict"))["verdict"]  # a literal answers for every row
    quiet = answer.is_in([Verdict.PASS.value, Verdict.NOT_APPLICABLE.value])
    texts = [expected.fill_null("unknown").alias("expected"), found.fill_null("unknown").alias("found")]
    parts = []
    # Polars 2.1 panics where it words a frame with an empty chunk: one chunk, and never an empty one.
    if not quiet.all():
        told = frame.with_columns(answer).filter(~quiet).rechunk()
        parts.append(told.select(subject.alias(SUBJECT), "verdict", *texts, *evidence).sort(SUBJECT))
    if quiet.any():
        roots = list(dict.fromkeys(subject.meta.root_names())) or frame.columns[:1]
        rest = frame.select(roots).with_columns(answer).filter(quiet).rechunk()
        parts.append(rest.select(subject.alias(SUBJECT), "verdict"))
    return pl.concat(parts, how="diagonal")


_P = ParamSpec("_P")
_T = TypeVar("_T")


def kept(read: Callable[_P, Mapping[str, pl.DataFrame]]) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Several checks ask for the same thing derived: the last answer is kept as long as the tables live that it is made from.

    ``read`` names those tables, of the function's own arguments. Only for functions of these alone, whose answer nobody
    changes.
    """

    def keeping(function: Callable[_P, _T]) -> Callable[_P, _T]:
        held: list[tuple[dict[str, weakref.ref[pl.DataFrame]], _T]] = []

        @functools.wraps(function)
        def answer(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            frames = read(*args, **kwargs)
            if held and held[0][0].keys() == frames.keys() and all(held[0][0][n]() is f for n, f in frames.items()):
                return held[0][1]
            made = function(*args, **kwargs)
            held[:] = [({name: weakref.ref(frame) for name, frame in frames.items()}, made)]
            return made

        return answer

    return keeping


def plan_and(*names: str) -> Callable[[Plan, Facts], Mapping[str, pl.DataFrame]]:
    """For `kept`: the plan's tables and these of the facts, whose names no plan table has."""
    return lambda plan, facts: {**plan.tables, **{n: facts.tables[n] for n in names if facts.has(n)}}


def _tables(plan: Plan) -> Mapping[str, pl.DataFrame]:
    return plan.tables


#: `kept` for a table derived from the plan's tables.
once = kept(_tables)


def nothing(reason: str) -> pl.DataFrame:
    """The one ``not_applicable`` row of a check that finds nothing to judge."""
    import polars as pl

    return pl.DataFrame({SUBJECT: ["plan"], "verdict": [Verdict.NOT_APPLICABLE.value], "found": [reason]})


EVIDENCE = ("capture_id", "line")


def untold(what: str) -> pl.DataFrame:
    """The one ``not_measured`` row of a check whose captures were given but do not tell ``what``: nobody asked for it."""
    import polars as pl

    return pl.DataFrame({SUBJECT: ["plan"], "verdict": [Verdict.NOT_MEASURED.value], "found": [f"no capture tells {what}"]})


def amount(value: pl.Expr, unit: str = "") -> pl.Expr:
    """A number as text with its unit: whole numbers without a point, others to two decimals."""
    import polars as pl

    number = value.cast(pl.Float64).round(2)
    text = pl.when(number == number.floor()).then(number.cast(pl.Int64).cast(pl.String)).otherwise(number.cast(pl.String))
    return (text + pl.lit(f" {unit}" if unit else "")).fill_null("unknown")


def shortly(value: pl.Expr) -> pl.Expr:
    """A number to three significant digits, as text."""
    import polars as pl

    return value.map_elements(lambda x: f"{x:.3g}", return_dtype=pl.String)


def words(joined: pl.Expr, between: str = " and ") -> pl.Expr:
    """``a+b`` as ``a and b``; what nobody knows reads ``(unknown)``."""
    return joined.str.replace_all("+", between, literal=True).fill_null("(unknown)")


def by_kind(frame: pl.DataFrame, *columns: str, **named: pl.Expr) -> pl.DataFrame:
    """``frame`` with ``named`` expressions of ``columns`` alone, worked out once for each different row of these."""
    kinds = frame.select(columns).unique().with_columns(**named)
    return frame.join(kinds, on=columns, how="left", nulls_equal=True)


def holds(joined: pl.Expr, word: pl.Expr) -> pl.Expr:
    """True when ``word`` is one of the words of ``a+b+c``; null when either is unknown."""
    import polars as pl

    known = joined.is_not_null() & word.is_not_null()
    return pl.when(known).then(joined.str.split("+").list.contains(word))


def holds_number(joined: pl.Expr, number: pl.Expr) -> pl.Expr:
    """True when ``number`` is one of the numbers of ``100+200``; null when either is unknown."""
    import polars as pl

    known = joined.is_not_null() & number.is_not_null()
    return pl.when(known).then(joined.str.split("+").cast(pl.List(pl.Float64)).list.contains(number.cast(pl.Float64)))


def thresholds(plan: Plan, check_id: str) -> pl.DataFrame:
    """The expectations of a check, with ``limit`` (the value as a number, null for words)."""
    import polars as pl

    rows = plan.table("expectations").filter(pl.col("check_id") == check_id)
    return rows.with_columns(pl.col("value").cast(pl.Float64, strict=False).alias("limit"))


def threshold(plan: Plan, check_id: str, selector: str = "*") -> dict[str, object] | None:
    """The one expectation of a check with this selector, as a row, or None when the plan has none."""
    import polars as pl

    rows = thresholds(plan, check_id).filter(pl.col("selector") == selector)
    return rows.row(0, named=True) if rows.height else None


def at_most(value: pl.Expr, limit: dict[str, object]) -> pl.Expr:
    """True when ``value`` (in the expectation's unit) stays within the threshold and its relative tolerance."""
    import polars as pl

    return value <= pl.lit(limit["limit"]) * (1 + pl.lit(limit["tol_rel"] or 0.0))


def traits(plan: Plan, prefix: str, *columns: str) -> pl.DataFrame:
    """Table ``parts`` with the key ``part`` and the named traits, each under ``<prefix>_<trait>``."""
    import polars as pl

    return plan.table("parts").select("part", *(pl.col(c).alias(f"{prefix}_{c}") for c in columns))
