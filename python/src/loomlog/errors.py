"""The error of every call that the server refuses, or that reaches no server."""

from __future__ import annotations

from typing import TypedDict


class Fault(TypedDict):
    """A fault of a request's body."""

    pointer: str
    """The place: a JSON pointer into the body."""
    detail: str


class LoomlogError(Exception):
    """A problem in the sense of RFC 9457. `docs/reference/errors.md` of loomlog lists the codes."""

    code: str
    """Such as `not-found`. `server-unavailable`: no server answers, or the reply breaks off."""
    status: int | None
    """The HTTP status of the reply; None where none came."""
    title: str
    """The code in words."""
    detail: str
    """The reason, with the field, its value and the expected one."""
    faults: tuple[Fault, ...]
    """The faults of a refused body, each with its place."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        title: str | None = None,
        faults: tuple[Fault, ...] = (),
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.status = status
        self.title = code.replace("-", " ") if title is None else title
        self.detail = detail
        self.faults = faults

    def __reduce__(self) -> tuple[object, ...]:
        """Keyword parameters of an exception are lost in a pickle, such as that of a worker process."""
        return _restored, (self.code, self.detail, self.status, self.title, self.faults)


def _restored(code: str, detail: str, status: int | None, title: str, faults: tuple[Fault, ...]) -> LoomlogError:
    return LoomlogError(code, detail, status=status, title=title, faults=faults)
