"""The keys of one row, read one by one: names, places, dates, conditions; what does not fit is noted and left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from pretreat import parameters, units
from pretreat.errors import UsageError
from pretreat.limits import facts as fa
from pretreat.limits.provisions import POINTS, STATISTICS, Duration, Readings
from pretreat.limits.seasons import Season, season
from pretreat.packs import cells, words
from pretreat.packs.context import CODES, Context, is_known
from pretreat.packs.written import Row
from pretreat.settings import SETTINGS, validate

_ALONE: Final = re.compile(r"\[?\s*(§|\d|(sec|art|app|chapter|ch\.|part|rule)\b)", re.IGNORECASE)
_JOINED: Final = re.compile(r"[(.]|[A-Za-z](?![A-Za-z])")


def id_of(keys: Mapping[str, Any], context: Context) -> str:
    """Return a row's id: its own, or its cite and parameter."""
    return str(keys.get("id") or f"{cite_of(keys, context)} {keys.get('parameter', '')}".strip())


def cite_of(keys: Mapping[str, Any], context: Context) -> str:
    """Return the whole cite of a row: its own, after the document's where it does not stand alone.

    A cite that begins with a section sign, a number or a word such as `Article` stands alone. A bracket, a point or a
    single letter follows the document's directly (`§ 194-6C` and `(8)`), other words after a space.
    """
    own, outer = str(keys.get("cite", "")).strip(), str(context.document.get("cite", "")).strip()
    if not own or own == outer or _ALONE.match(own):
        return own or outer
    return f"{outer}{own}" if _JOINED.match(own) else f"{outer} {own}".strip()


def names_of(value: object) -> list[str]:
    """Return a list that is written as one, or as text with semicolons."""
    listed = value if isinstance(value, list) else str(value or "").split(";")
    return [str(name).strip() for name in listed if str(name).strip()]


def as_day(value: object) -> date | None:
    """Return a day as written in TOML or ISO text, or None."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value).strip()) if value else None
    except ValueError:
        return None


def _condition(text: object, fact: fa.Fact | None) -> fa.Condition:
    """Read a condition; a number alone is that number where the fact asks for one."""
    read = fa.condition(text)
    if fact is None or not fact.number or read.span is not None:
        return read
    try:
        number = Decimal(str(text).strip())
    except InvalidOperation as error:
        raise ValueError(f"{fact.name} is a number; write 'at or above 10000', '4' or '4 to 6'") from error
    return fa.Condition(read.text, span=fa.Span(number, number))


class Keys:
    """The keys of one row; each method reads one, and notes what does not fit."""

    def __init__(self, row: Row, keys: dict[str, Any], context: Context, label: str = "") -> None:
        self.row, self.keys, self.context, self.label = row, keys, context, label

    def fault(self, key: str, code: str, message: str, *, warning: bool = False) -> None:
        """Note a fault of this row at one of its keys; of a number under a heading, at the heading's cell."""
        headed = key in words.BOUNDS and key not in self.row.keys and self.label in self.row.keys
        place = self.row.place(self.label if headed else key)
        self.context.faults.add(self.row.where, place, code, message, warning=warning)

    def text(self, key: str) -> str:
        """Return a key's value as text, `""` where it is missing."""
        return str(self.keys.get(key, "")).strip()

    def one_of(self, key: str, known: tuple[str, ...], code: str) -> str:
        """Return a word that must be on a list."""
        text = self.text(key)
        if text and text not in known:
            self.fault(key, code, f"{text!r} is not one of {', '.join(known)}{words.near(text, known)}")
            return ""
        return text

    def parameter(self, parts: list[tuple[str, cells.Part]]) -> tuple[str, str]:
        """Return our name of the parameter, and its fraction."""
        printed = " ".join(self.text("parameter").split())
        if printed == "any":
            if not self.keys.get("external"):
                self.fault("parameter", "no-parameter", "'any' is for external rows; name the parameter")
            return "", ""
        context = self.context
        named = context.names.get(printed.casefold())
        if named is not None:
            context.used.add(("names", printed.casefold()))
        ours = named or printed
        if ours in context.own:
            return ours, self.text("fraction")
        basis = next((said for _, part in parts if (said := units.split(part.unit or self.text("unit"))[1])), "")
        found = parameters.identify(ours, fraction=self.text("fraction"), speciation=basis)
        if found.ask:
            self.fault("parameter", "unknown-parameter", f"{found.ask}; say which in [names]")
        elif not is_known(ours, context.own) and ours not in context.groups:
            hint = words.near(ours, (*parameters.every(), *context.own))
            glued = re.fullmatch(r"(.*?\D)\d{1,2}", ours)
            if glued and is_known(glued[1].strip(), context.own):
                hint = f"; is the last digit of {ours!r} a footnote mark?"
            message = f"pretreat does not know the parameter {ours!r}{hint}; add it to [names] or [parameters]"
            self.fault("parameter", "unknown-parameter", message)
        return found.parameter or ours, found.fraction

    def statistic(self, label: str, counted: str) -> tuple[str, str]:
        """Return the statistic, and its words as printed."""
        text = self.text("statistic")
        if counted:
            return counted, text or label
        plain = words.plain(text)
        if text in STATISTICS:
            return text, label
        if plain in words.STATISTIC_OF:
            return words.STATISTIC_OF[plain], label or text
        if text:
            known = (*STATISTICS, *words.STATISTIC_OF)
            self.fault("statistic", "unknown-statistic", f"{text!r} is no statistic{words.near(text, known)}")
        elif self.keys.get("external"):
            return "", label
        elif "unstated" in self.context.settings:
            return self.context.settings["unstated"], label
        else:
            self.fault(
                "statistic", "no-statistic", "no statistic is printed; say what that means with unstated in [settings]"
            )
        return "instantaneous", label or text

    def number(self, key: str, default: Decimal) -> Decimal:
        """Return a positive number."""
        value = self.keys.get(key, default)
        try:
            number = default if isinstance(value, bool) else Decimal(str(value))
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite() or number <= 0 or isinstance(value, bool):
            self.fault(key, "bad-value", f"{key} = {value!r} is no positive number")
            return default
        return number

    def points(self) -> tuple[str, ...]:
        """Return where it is measured."""
        found = []
        for name in names_of(self.keys.get("point")):
            if name in POINTS:
                found.append(name)
            else:
                known = ", ".join(POINTS)
                self.fault("point", "unknown-point", f"{name!r} is not one of {known}{words.near(name, POINTS)}")
        return tuple(found) or ("end of pipe",)

    def conditions(self) -> dict[str, fa.Condition]:
        """Return the conditions on facts."""
        result = {}
        for key in [name for name in self.keys if name.startswith("when.")]:
            name = key.removeprefix("when.")
            fact = self.context.facts.get(name)
            if fact is None and name not in fa.KNOWN:
                hint = words.near(name, (*self.context.facts, *fa.KNOWN))
                self.fault(key, "unknown-fact", f"[facts] does not ask {name!r}{hint}")
                continue
            self.context.used.add(("facts", name))
            if isinstance(self.keys[key], str) and not self.keys[key].strip():
                continue
            try:
                condition = _condition(self.keys[key], fact)
            except ValueError as error:
                self.fault(key, "unknown-answer", str(error))
                continue
            choices = fact.choices if fact else ()
            if choices and not condition.words <= {choice.casefold() for choice in choices}:
                asked = ", ".join(sorted(condition.words - {choice.casefold() for choice in choices}))
                message = f"{asked!r} is not among the choices of {name}: {', '.join(choices)}"
                self.fault(key, "unknown-answer", message)
            result[name] = condition
        return result

    def season(self) -> Season | None:
        """Return the season, if one is written."""
        text = self.text("season")
        try:
            return season(text) if text else None
        except ValueError as error:
            self.fault("season", "unknown-season", str(error))
            return None

    def day(self, key: str) -> date | None:
        """Return a day, if one is written."""
        day = as_day(self.keys.get(key))
        if day is None and self.keys.get(key):
            self.fault(key, "bad-value", f"{self.keys[key]!r} is no day; write 2019-03-01")
        return day

    def readings(self) -> Readings | None:
        """Return the count of readings, if one is written."""
        if "readings" not in self.keys:
            return None
        try:
            return words.readings(self.keys["readings"])
        except ValueError as error:
            self.fault("readings", "bad-value", str(error))
            return None

    def duration(self) -> Duration | None:
        """Return the duration, if one is written."""
        if "for" not in self.keys:
            return None
        try:
            return words.duration(self.text("for"))
        except ValueError as error:
            self.fault("for", "bad-value", str(error))
            return None

    def settings(self) -> dict[str, str]:
        """Return the settings of this row."""
        found = {key.removeprefix("set."): str(value) for key, value in self.keys.items() if key.startswith("set.")}
        for name, value in found.items():
            if name in SETTINGS:
                try:
                    validate({name: value})
                except UsageError as error:
                    self.fault(f"set.{name}", "unknown-setting", f"{error.what} {error.todo}")
            elif name not in words.PACK_SETTINGS:
                self.fault(
                    f"set.{name}", "unknown-setting", f"there is no setting {name!r}{words.near(name, SETTINGS)}"
                )
        return found

    def accepts(self) -> dict[str, str]:
        """Return the faults that this row accepts, each with its reason."""
        found = {
            key.removeprefix("accept."): str(value) for key, value in self.keys.items() if key.startswith("accept.")
        }
        for code, reason in found.items():
            if code not in CODES:
                self.fault(
                    f"accept.{code}", "unknown-key", f"no fault {code!r} can be accepted{words.near(code, CODES)}"
                )
            elif not reason.strip():
                self.fault(f"accept.{code}", "bad-value", "say why it is right as it stands")
        return found

    def replaces(self) -> tuple[str, ...]:
        """Return what the row stands in place of, as `pack: id`."""
        names = names_of(self.keys.get("instead_of"))
        return tuple(name if ": " in name else f"{self.context.pack}: {name}" for name in names)
