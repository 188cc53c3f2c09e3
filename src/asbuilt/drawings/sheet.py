"""One drawing sheet: what every drawing hands out, to a page, a folder of files or a book."""

from __future__ import annotations

from dataclasses import dataclass

from asbuilt.drawings.theme import Canvas


@dataclass(frozen=True, slots=True)
class Sheet:
    """A picture with its title. ``name`` is the stem of a file name: lower-case letters, digits and hyphens only.

    ``width`` and ``height`` in pixels of the viewBox. Drawings that do not fit are split into several sheets, never shrunk:
    the smallest type of a sheet is drawn for reading at its own size.
    """

    title: str
    subtitle: str
    name: str
    canvas: Canvas

    @property
    def width(self) -> float:
        return self.canvas.width

    @property
    def height(self) -> float:
        return self.canvas.height

    def svg(self, standalone: bool = False) -> str:
        """The SVG element; ``standalone`` adds the palette, so that the file is a picture of its own."""
        return self.canvas.render(standalone)


def file_stem(*words: str) -> str:
    """Words joined for a file name, lower case. Runs of what is not an ASCII letter or digit become one hyphen.

    Never empty: words that leave nothing give ``sheet``.
    """
    raw = "-".join(words).lower()
    clean = "".join(c if c.isascii() and c.isalnum() else "-" for c in raw)
    return "-".join(part for part in clean.split("-") if part) or "sheet"
