"""The processes that read archives: as many as are worth starting, each with one thread for its frames."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from asbuilt.model.capture import Capture
from asbuilt.workflow import node_archives
from asbuilt.workflow.node_archives import NODE_ARCHIVE, WORTH, workers


@pytest.mark.parametrize(
    ("archives", "cores", "started"),
    [(0, 8, 0), (WORTH, 8, 0), (2 * WORTH - 1, 8, 0), (2 * WORTH, 8, 2), (40 * WORTH, 8, 8), (40 * WORTH, 1, 1)],
)
def test_processes_are_started_where_each_has_work(
    archives: int, cores: int, started: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    captures = [Capture(f"n{i}", b"", NODE_ARCHIVE) for i in range(archives)]
    assert workers([*captures, Capture("dump", b"", "ibnetdiscover")]) == started


def test_a_process_makes_its_frames_with_one_thread() -> None:
    code = (
        "import sys\nfrom asbuilt.workflow.node_archives import one_thread\nassert 'polars' not in sys.modules\n"
        "one_thread()\nimport polars\nprint(polars.thread_pool_size())"
    )
    clean = {k: v for k, v in os.environ.items() if k != "POLARS_MAX_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=clean)
    assert done.stdout.strip() == "1"


def test_chunks_are_smaller_than_the_share_of_a_process() -> None:
    assert node_archives.CHUNK < WORTH  # or one process would wait for the last chunk of another
