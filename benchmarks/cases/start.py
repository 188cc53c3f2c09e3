"""What a user waits for: the help text, one sizing call, the page's answer. Absolute times, printed and never asserted."""

from __future__ import annotations

import subprocess
import sys

from measure import report


def main() -> None:
    what = sys.argv[2]
    if what == "help":
        report(lambda: subprocess.run([sys.executable, "-m", "asbuilt", "--help"], capture_output=True, check=True), repeat=5)
    elif what == "size":
        import asbuilt

        report(lambda: asbuilt.size("dgx-h100", 1024), repeat=20)
    elif what == "page":
        from fastapi.testclient import TestClient

        from asbuilt.web.app import create_app

        client = TestClient(create_app(), base_url="http://127.0.0.1")
        report(lambda: client.get("/size/fragment?a=dgx-h100&an=1024").raise_for_status(), repeat=10)
    elif what == "demo":
        import tempfile
        from pathlib import Path

        from asbuilt.workflow.demo import demo

        with tempfile.TemporaryDirectory() as folder:
            report(lambda: list(demo(Path(folder) / "demo")), repeat=1, note="with the real ibsim where it is installed")


main()
