"""The YAML parser's errors in words that say what to change. The parser stops at the first; hence mostly one problem."""

from __future__ import annotations

from typing import Any, Mapping

from asbuilt.base.fault import Fault
from asbuilt.base.problem import Place, Problem
from asbuilt.base.source_text import SourceText


def syntax_problems(source: SourceText, error: Any, codes: Mapping[Fault, str], bracket: Place | None) -> list[Problem]:
    """Problems for one ``yaml.MarkedYAMLError``; several only for tabs, where all lines at fault are named.

    ``bracket`` is the place of the innermost `[` or `{` that is still open.
    """
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    said = str(error.problem or "")
    around = str(error.context or "")
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    if text[column - 1 : column] == "\t" or "\t" in text[: len(text) - len(text.lstrip())]:
        return _tabs(source, codes, line, column)
    if "unexpected end of stream" in said and "quoted" in around:
        return [_unclosed_quote(source, error.context_mark, codes)]
    if "document separator" in said and "quoted" in around:
        return [_unclosed_quote(source, error.context_mark, codes)]
    if bracket and "flow" in around and ("expected" in said or "did not find" in said):
        return [_unclosed_bracket(source, bracket, mark, codes)]
    if "flow level" in around:
        fix = "check the brackets"
        return [Problem(codes[Fault.TOO_DEEP], "far too many brackets are open", source.place(line, column), "", fix)]
    if "mapping values are not allowed" in said:
        return [_second_colon(source, line, column, codes)]
    if "expected key" in said or "expected <block end>" in said or "'-' indicator" in said:
        return [_indentation(source, line, column, error.context_mark, codes)]
    if "could not find expected ':'" in said:
        return [_no_colon(source, error.context_mark or mark, codes)]
    if "cannot start any token" in said:
        what = f"a value cannot start with `{text[column - 1 : column]}`"
        why = "YAML keeps this character for other purposes"
        return [Problem(codes[Fault.SYNTAX], what, source.place(line, column), why, "put the whole value in double quotes")]
    if "escape" in said:
        what = "the backslash in this text starts no sequence that YAML knows"
        fix = "put the text in single quotes, where a backslash is just a backslash, or write it twice"
        return [Problem(codes[Fault.SYNTAX], what, source.place(line, column), "", fix)]
    if "document start" in said:
        what = "there is text behind the end of the document (`...`)"
        return [Problem(codes[Fault.SEVERAL_DOCUMENTS], what, source.place(line, column), "", "delete the `...` line")]
    told = ", ".join(part for part in (around, said) if part)
    return [Problem(codes[Fault.SYNTAX], f"the YAML cannot be read: {told}", source.place(line, column))]


def _tabs(source: SourceText, codes: Mapping[Fault, str], line: int, column: int) -> list[Problem]:
    places = []
    for number, text in enumerate(source.lines, 1):
        lead = text[: len(text) - len(text.lstrip())]
        if "\t" in lead and text.strip() and not text.lstrip().startswith("#"):
            places.append(source.place(number, lead.index("\t") + 1, len(lead) - lead.index("\t")))
    places = places[:20] or [source.place(line, column)]
    what = "a tab is used where YAML wants spaces"
    why = "YAML forbids tabs in the indentation, because editors show them in different widths"
    fix = "replace it with spaces, two per level"
    return [Problem(codes[Fault.TAB], what, place, why, fix) for place in places]


def _unclosed_quote(source: SourceText, start: Any, codes: Mapping[Fault, str]) -> Problem:
    line, column = start.line + 1, start.column + 1
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    quote = text[column - 1 : column] or '"'
    return Problem(
        codes[Fault.UNCLOSED],
        "the quote opened here is never closed",
        source.place(line, column, len(text.rstrip()) - column + 1),
        "everything up to the end of the file is read as one text",
        f"add the closing {quote} (a quote inside the text is written {chr(92) + quote if quote == chr(34) else quote * 2})",
    )


def _unclosed_bracket(source: SourceText, start: Place, mark: Any, codes: Mapping[Fault, str]) -> Problem:
    opening = start.text[start.column - 1 : start.column]
    closing = {"[": "]", "{": "}"}[opening]
    at_line = mark.line < len(source.lines) and source.lines[mark.line].strip()
    met = f"line {mark.line + 1}" if at_line else "the end of the file"
    return Problem(
        codes[Fault.UNCLOSED],
        f"the `{opening}` opened here is not closed",
        source.place(start.line, start.column),
        f"{met} was reached where a `,` or the `{closing}` should be",
        f"add the missing `{closing}` or `,`",
    )


def _second_colon(source: SourceText, line: int, column: int, codes: Mapping[Fault, str]) -> Problem:
    text = source.lines[line - 1]
    place = source.place(line, column)
    if text.find(":") != column - 1:
        what, why = "a second `: ` in one line", "a `:` followed by a space starts a value, and a value cannot hold another key"
        fix = "put the value in double quotes, or write the inner key on a line of its own, indented by two more spaces"
        return Problem(codes[Fault.SYNTAX], what, place, why, fix)
    above = next((n for n in range(line - 1, 0, -1) if source.lines[n - 1].split("#")[0].strip()), 0)
    indent = len(text) - len(text.lstrip())
    if above and ":" in source.lines[above - 1]:
        what = "this line is indented deeper than the line above, which already has a value"
        why = f"it is read as a continuation of the value in line {above}"
        fix = "align it with the line above; or, if it belongs inside, remove the value above"
        return Problem(codes[Fault.INDENTATION], what, source.place(line, indent + 1, column - indent - 1), why, fix)
    what = f"line {above} has no `:`" if above else "a `:` stands where none is expected"
    why = "it and this line are read as one key"
    return Problem(
        codes[Fault.SYNTAX], what, source.place(above or line, 1, 1), why, "write `name: value`, with a space after the colon"
    )


def _indentation(source: SourceText, line: int, column: int, start: Any, codes: Mapping[Fault, str]) -> Problem:
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    opened = f"; the group above starts in line {start.line + 1}" if start else ""
    if text.lstrip().startswith("-"):
        what = "a list item (`-`) stands among `name: value` lines"
    elif start and start.line < len(source.lines) and source.lines[start.line][start.column :].startswith("-"):
        what = "a `name: value` line stands among list items (`-`)"
    else:
        what = "the indentation fits no level above"
    return Problem(
        codes[Fault.INDENTATION],
        what,
        source.place(line, column, max(1, len(text.split("#")[0].rstrip()) - column + 1)),
        f"lines that belong together start in the same column{opened}",
        "align this line with the group that it belongs to; use two spaces per level",
    )


def _no_colon(source: SourceText, mark: Any, codes: Mapping[Fault, str]) -> Problem:
    line, column = mark.line + 1, mark.column + 1
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    return Problem(
        codes[Fault.SYNTAX],
        "this line has no `: `",
        source.place(line, column, len(text.split("#")[0].rstrip()) - column + 1),
        "each line is `name: value`; a colon needs a space behind it",
        "add the colon and a space",
    )
