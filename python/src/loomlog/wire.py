"""Values as JSON: names are in snake_case here and in camelCase on the wire, and times are ISO 8601."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, timezone
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from loomlog.types import MAP_FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_shown_characters = 80
_upper = re.compile(r"(?<=[a-z0-9])[A-Z]")
_lower_after_underscore = re.compile(r"_([a-z0-9])")


def encoded(value: object, field: str) -> bytes:
    """JSON of ASCII alone, since a lone surrogate has no UTF-8.

    Raises:
        ValueError: The value has no JSON, such as NaN, or a set.
    """
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{field} has no form in JSON: {error}") from error


def body_of(options: Mapping[str, object], names: Collection[str]) -> dict[str, object]:
    """The named parameters of a call as fields. None is as if it were absent.

    Raises:
        TypeError: A parameter is none of the names. Passed over in silence, it could widen the call.
    """
    for name in options:
        if name not in names:
            known = ", ".join(sorted(names))
            raise TypeError(f"there is no parameter {name[:_shown_characters]}: expected some of {known}")
    return {_camel(name): timed(name, value) for name, value in options.items() if value is not None}


def timed(field: str, value: object) -> object:
    """A time as text; any other value as it is.

    Raises:
        ValueError: The time has no time zone, so that it names no moment.
    """
    if isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ValueError(f"{field} is {value.isoformat()}: expected a datetime with a time zone")
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value


def with_snake_names(value: object, *, is_map: bool = False) -> object:
    """A reply with the names of fields in snake_case. The keys of a map are data, and stay."""
    if isinstance(value, dict):
        names = {name: name if is_map else _snake(name) for name in value}
        return {names[name]: with_snake_names(each, is_map=names[name] in MAP_FIELDS) for name, each in value.items()}
    return [with_snake_names(each) for each in value] if isinstance(value, list) else value


def has_shape(shape: type, value: object) -> bool:
    """Whether a reply has the fields that its type requires. Deeper values aren't checked."""
    required = _required_fields(shape)
    return isinstance(value, dict) and all(
        name in value and isinstance(value[name], classes) for name, classes in required.items()
    )


@cache
def _required_fields(shape: type) -> Mapping[str, tuple[type, ...]]:
    hints = get_type_hints(shape)
    return {name: _classes_of(hints[name]) for name in vars(shape)["__required_keys__"]}


def _classes_of(hint: Any) -> tuple[type, ...]:
    """The classes of a type's values in JSON."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return tuple(each for part in get_args(hint) for each in _classes_of(part))
    if origin is Literal:
        return tuple(type(value) for value in get_args(hint))
    if hint is float:
        return (float, int)
    return (dict,) if is_typeddict(hint) else (origin or hint,)


def is_utf8(text: str) -> bool:
    """Whether it has no lone surrogate."""
    return text.encode(errors="replace").decode() == text


def shown(value: object) -> str:
    """A value in a message of an error, cut short."""
    text = repr(value)
    return text if len(text) <= _shown_characters else f"{text[:_shown_characters]}…"


def _camel(name: str) -> str:
    return _lower_after_underscore.sub(lambda found: found[1].upper(), name.rstrip("_"))


def _snake(name: str) -> str:
    return _upper.sub(lambda found: f"_{found[0].lower()}", name)
