"""The programs of the documents run, one after the other, as a reader would copy them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .servers import root

documented = "http://127.0.0.1:7070"
shown = {
    "python/README.md": ["Maya: I moved to Porto last week.", "not-found 404", "I live in Porto."],
    "docs/guides/python.md": ["Maya: I moved to Porto last week.", "I live in Porto."],
}


def programs_of(page: str) -> list[str]:
    return re.findall(r"^```py\n(.*?)^```$", (root / page).read_text(), re.MULTILINE | re.DOTALL)


def run(program: str, url: str, folder: Path) -> str:
    """With the interpreter of `LOOMLOG_TEST_PYTHON`, which may be that of another environment."""
    python = os.environ.get("LOOMLOG_TEST_PYTHON", sys.executable)
    done = subprocess.run(
        [python, "-W", "error", "-c", program.replace(documented, url)], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_program_needs_no_extra(url: str, tmp_path: Path) -> None:
    assert "Maya: I moved to Porto last week." in run(programs_of("python/README.md")[0], url, tmp_path)


@pytest.mark.parametrize("page", shown)
def test_the_programs_of_a_page_run(page: str, url: str, tmp_path: Path) -> None:
    output = run("\n".join(programs_of(page)), url, tmp_path)
    for words in shown[page]:
        assert words in output
