"""A server for all tests of a run, and a space of its own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loomlog import Loomlog, Space

from .servers import server_in


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("server")
    with server_in(folder) as url:
        yield url


@pytest.fixture
def memory(url: str) -> Iterator[Loomlog]:
    with Loomlog(url) as memory:
        yield memory


@pytest.fixture
def space(memory: Loomlog, request: pytest.FixtureRequest) -> Space:
    return memory.space(request.node.name)
