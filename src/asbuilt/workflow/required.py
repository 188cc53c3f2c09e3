"""Kinds of evidence that a gate demands: checks by id, or all that captures of one layer answer."""

from __future__ import annotations

from asbuilt.base.nearest import nearest
from asbuilt.base.problem import Problem, ProblemError
from asbuilt.checks.registry import checks
from asbuilt.model.verdict import Layer

#: Layers whose checks `verify` and `compare` answer from captures.
MEASURED = (Layer.NODE, Layer.FABRIC, Layer.COLLECTIVE)


def required_checks(text: str) -> tuple[str, ...]:
    """Ids and words of layers as in ``FAB-016,fabric``, each once, in order. A word stands for those of its layer's checks that
    the plan has something for; an id demands its check whatever the plan has.

    Raises `ProblemError` CLI-055 with every word that is neither, or that no capture can answer.
    """
    every = checks()
    measured = {id: check for id, check in every.items() if check.layer in MEASURED}
    words = [layer.value for layer in MEASURED]
    found: dict[str, None] = {}
    problems = []
    for word in filter(None, (w.strip() for w in text.split(","))):
        id, layer = word.upper(), word.lower()
        if id in measured:
            found[id] = None
        elif layer in words:
            found[layer] = None
        elif id in every:
            what = f"{id} is answered by the plan alone, no capture measures it"
            problems.append(Problem("CLI-055", what, fix="`asbuilt check` answers it"))
        else:
            what = f"no check that captures answer is called {word!r}{nearest(id, measured) or nearest(layer, words)}"
            fix = f"name ids (`asbuilt explain FAB-016` tells what one measures), or {', '.join(words)} for all of a layer"
            problems.append(Problem("CLI-055", what, fix=fix))
    if problems:
        raise ProblemError(problems)
    return tuple(found)


def asked_layers(text: str) -> tuple[Layer, ...]:
    """Layers as in ``node,collective``; none for all. Raises `ProblemError` CLI-055 with every word that is no such layer."""
    words = {layer.value: layer for layer in MEASURED}
    found: dict[Layer, None] = {}
    problems = []
    for word in filter(None, (w.strip().lower() for w in text.split(","))):
        if word in words:
            found[words[word]] = None
        else:
            what = f"no layer that captures answer is called {word!r}{nearest(word, words)}"
            problems.append(Problem("CLI-055", what, fix=f"name some of: {', '.join(words)}"))
    if problems:
        raise ProblemError(problems)
    return tuple(found)
