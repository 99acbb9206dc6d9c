"""A client of loomlog, the replayable memory log for AI agents."""

from loomlog.client import AsyncLoomlog, AsyncSpace, Loomlog, Space
from loomlog.errors import Fault, LoomlogError

__all__ = ["AsyncLoomlog", "AsyncSpace", "Fault", "Loomlog", "LoomlogError", "Space"]
