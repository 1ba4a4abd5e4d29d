"""Raw values into results: numbers, qualifiers, names, units, dates, quality control.

Every value comes out on one side or the other: as a result in its parameter's canonical unit, with what was printed beside
it, or set aside with its address, a reason and what to do. Work is done once for each distinct text, unit and name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import amounts, columns, moments, numbers, qualifiers, quality
from pretreat.errors import UsageError
from pretreat.revisions import revisions
from pretreat.times_of_day import UNKNOWN

__all__ = ["Tidied", "from_frame", "revisions", "tidy"]

Bool = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]

_CARRIED: Final = [
    "facility",
    "outfall",
    "point",
    "sample_id",
    "lab_sample_id",
    "method",
    "lab",
    "lab_certification",
    "preservation",
    "duplicate_of",
]
_LONGEST_WITH_TEXT: Final = 1_000_000
"""More numeric rows than this keep their numbers, not a copy of each as text."""


@dataclass(frozen=True, slots=True)
class Tidied:
    """What became of the raw values.

    `results` as `columns.TABLES["results"]`, and `timed` where a time of day was printed; `set_aside` the rest, with
    reasons; `date_orders` one row a sheet; `notes` what was assumed, as `columns.TABLES["findings"]`.
    """

    results: pd.DataFrame
    set_aside: pd.DataFrame
    date_orders: pd.DataFrame
    notes: pd.DataFrame


class _Aside:
    """Who is set aside, for which reason; the first reason that is given stays."""

    def __init__(self, count: int) -> None:
        self.code = np.zeros(count, dtype=np.int16)
        self.reasons: list[tuple[str, str]] = [("", "")]

    def add(self, where: Bool, reason: str, message: str) -> None:
        """Set aside the rows of a mask that are not yet."""
        new = where & (self.code == 0)
        if new.any():
            self.code[new] = len(self.reasons)
            self.reasons.append((reason, message))

    def each(self, codes: npt.NDArray[np.int64], reasons: list[tuple[str, str]]) -> None:
        """Set aside by distinct reasons; `codes` leads from each row to one, whose reason may be `""`."""
        for at, (reason, message) in enumerate(reasons):
            if reason:
                self.add(codes == at, reason, message)


def tidy(values: pd.DataFrame, *, dates: str | None = None) -> Tidied:
    """Turn raw values into results.

    Parameters
    ----------
    values : DataFrame
        One row a value cell, with the columns of `raw` (docs/architecture.md); only `value` and its address must exist.
    dates : {"mdy", "dmy", "ymd"}, optional
        The order of dates that are text, where a person has decided it.

    Returns
    -------
    Tidied

    Raises
    ------
    UsageError
        Where `dates` is none of the three, or `values` lacks `value`.

    Examples
    --------
    >>> raw = pd.DataFrame({"parameter": ["Cu", "Cu"], "value": ["<5", "PLUGGED"], "unit": "ug/L", "start": "2026-10-05",
    ...                     "source_file": "a.csv", "source_sheet": "", "source_cell": ["C2", "C3"]})
    >>> tidied = tidy(raw)
    >>> tidied.results[["parameter", "qualifier", "value", "unit"]].to_numpy().tolist()
    [['Copper', '<', 0.005, 'mg/L']]
    >>> tidied.set_aside[["source_cell", "text", "reason"]].to_numpy().tolist()
    [['C3', 'PLUGGED', 'status']]
    """
    if dates not in (None, "mdy", "dmy", "ymd"):
        raise UsageError(f"a date order is mdy, dmy or ymd, not {dates!r}.", where="--dates")
    if "value" not in values:
        raise UsageError("the frame has no column 'value'.", todo="Name the column that holds the results.")
    values = values.reset_index(drop=True)
    aside = _Aside(len(values))
    _quality_control(values, aside)
    cells = _cells(values, aside)
    kinds = _amounts(values, cells, aside)
    found = _values(values, cells, kinds, aside)
    times = {name: moments.column(values, name, dates) for name in ("start", "end", "analyzed", "received")}
    _dates(times["start"], len(values), aside)
    results = _results(values, cells, kinds, found, times)
    keep = aside.code == 0
    set_aside = _set_aside(values, aside)
    start = times["start"]
    orders = start.orders if start is not None else pd.DataFrame(columns=["source_file", "source_sheet", "date_order"])
    if not keep.all():
        results = results[keep]
    return Tidied(results.reset_index(drop=True), set_aside, orders, _notes(values, cells, kinds, keep))


def from_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn a plain frame into results.

    Parameters
    ----------
    frame : DataFrame
        Must hold `facility`, `parameter`, `value`, `unit`, `start`; may hold the other columns of results and of raw values.
        A value may be a number or text such as `<0.5`.

    Returns
    -------
    DataFrame
        As `columns.TABLES["results"]`; what cannot be used is left out, and `tidy` says why.

    Raises
    ------
    UsageError
        Where a column is missing that must be there.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["Acme Plating"], "parameter": ["Zn"], "value": ["<50"], "unit": ["ug/L"],
    ...                       "start": ["2026-10-05"]})
    >>> from_frame(frame)[["parameter", "qualifier", "value", "unit", "source_cell"]].to_numpy().tolist()
    [['Zinc', '<', 0.05, 'mg/L', 1]]
    """
    return tidy_frame(frame).results


def tidy_frame(frame: pd.DataFrame, *, dates: str | None = None) -> Tidied:
    """Turn a plain frame into results and what was set aside, as `from_frame` does; rows are addressed from 1.

    Examples
    --------
    >>> frame = pd.DataFrame({"facility": ["Acme"], "parameter": ["Zn"], "value": ["lost"], "unit": ["mg/L"],
    ...                       "start": ["2026-10-05"]})
    >>> tidy_frame(frame).set_aside[["source_cell", "reason"]].to_numpy().tolist()
    [[1, 'status']]
    """
    missing = [name for name in ("facility", "parameter", "value", "unit", "start") if name not in frame]
    if missing:
        raise UsageError(
            f"the frame lacks {', '.join(missing)}.",
            where="check(DataFrame)",
            todo="It must hold facility, parameter, value, unit and start.",
        )
    given = frame.reset_index(drop=True)
    defaults = {
        name: value
        for name, value in {"source_file": "", "source_sheet": "", "source_cell": np.arange(1, len(given) + 1)}.items()
        if name not in given
    }
    return tidy(given.assign(**defaults), dates=dates)


def _quality_control(values: pd.DataFrame, aside: _Aside) -> None:
    """Set aside what the laboratory measured to check itself."""
    for name, why in (("qc", quality.kind), ("unit", _recovery), ("sample_id", _blank), ("parameter", _surrogate)):
        if name not in values:
            continue
        codes, names = columns.codes(values, name)
        kinds = [why(str(text)) if text == text else "" for text in names]  # noqa: PLR0124
        reasons = [
            (f"quality control: {kind}", f"{quality.REASONS[kind]}; it is in no average")
            if kind in quality.REASONS
            else ("", "")
            for kind in kinds
        ]
        aside.each(codes, reasons)


def _recovery(unit: str) -> str:
    return "recovery" if quality.is_recovery(unit) else ""


def _blank(sample: str) -> str:
    return "blank" if quality.is_blank_sample(sample) else ""


def _surrogate(name: str) -> str:
    return (
        "surrogate" if "surr" in name.lower().replace("(", " ").split() or name.lower().startswith("surrogate") else ""
    )


@dataclass(slots=True)
class _Cells:
    """The value cells as read: number, qualifier, letters; `column` is None where the values are numbers already."""

    value: Numbers
    column: numbers.Column | None
    less: Bool | None = None
    more: Bool | None = None
    unit: npt.NDArray[Any] | None = None


_FORMATS: Final = {
    "strikethrough": "struck through",
    "error": "error cell",
    "no cached value": "formula without value",
}


def _cells(values: pd.DataFrame, aside: _Aside) -> _Cells:
    """Read the value cells; numbers are taken as they are."""
    series = values["value"]
    if "cell_format" in values:
        codes, names = columns.codes(values, "cell_format")
        reasons = [
            (_FORMATS[name], numbers.refuse(_FORMATS[name]).message) if name in _FORMATS else ("", "") for name in names
        ]
        aside.each(codes, reasons)
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        return _Cells(series.to_numpy(dtype=np.float64, na_value=np.nan), None)
    decimal = values["decimal"].astype(object).tolist() if "decimal" in values else None
    column = numbers.column(series.astype(object).to_numpy(), decimal)
    cells = _Cells(column.value, column)
    cells.less = column.of("qualifier") == "<"
    cells.more = column.of("qualifier") == ">"
    cells.unit = column.of("unit") if any(reading.unit for reading in column.readings) else None
    if "cell_format" in values:
        _formats(values, cells)
    return cells


def _formats(values: pd.DataFrame, cells: _Cells) -> None:
    """Apply number formats that change what a cell means: a percentage, a less-than sign of the format's own."""
    format_ = values["cell_format"].astype(object).to_numpy()
    numeric = cells.column.code < 0 if cells.column is not None else np.ones(len(values), dtype=bool)
    percent, less = (format_ == "percent") & numeric, (format_ == "less than") & numeric
    if percent.any():
        # Shifted as decimals: 0.07 is 7, not 7.000000000000001.
        shown = [
            float(f"{float(number)!r}e2") if "e" not in repr(float(number)) else number * 100
            for number in cells.value[percent]
        ]
        cells.value = cells.value.copy()
        cells.value[percent] = shown
        cells.unit = np.full(len(values), "", dtype=object) if cells.unit is None else cells.unit
        cells.unit[percent] = "%"
    if less.any():
        cells.less = less if cells.less is None else cells.less | less


def _amounts(values: pd.DataFrame, cells: _Cells, aside: _Aside) -> amounts.Amounts:
    """Work out names and units, and set aside what has none that can be used."""
    missing = ~np.isfinite(cells.value) if cells.column is not None or np.isnan(cells.value).any() else None
    kinds = amounts.amounts(values, cells.unit, missing)
    problems = [(kind.reason, kind.message) for kind in kinds.kinds]
    if cells.column is not None:
        of_cell = [(reading.reason, reading.message) for reading in cells.column.readings]
        hard = [(reason, message) if reason not in ("blank", "") else ("", "") for reason, message in of_cell]
        aside.each(cells.column.code, hard)
        half = cells.column.of("note") == "fraction"
        if half.any():
            not_length = half & (kinds.of("unit")[kinds.code] != "in")
            aside.add(not_length, "ambiguous number", "it cannot be told whether this is a fraction, a date or a ratio")
    aside.each(kinds.code, problems)
    return kinds


@dataclass(frozen=True, slots=True)
class _Found:
    """What each value is: `<`, `>` or plain, a number in its canonical unit, letters, and the laboratory's two limits."""

    qualifier: pd.Categorical
    value: Numbers
    flags: pd.Categorical | None
    detection_limit: Numbers | None
    reporting_limit: Numbers | None


def _limit(values: pd.DataFrame, name: str, kinds: amounts.Amounts, field: str) -> Numbers | None:
    if name not in values:
        return None
    series = values[name]
    if pd.api.types.is_numeric_dtype(series.dtype):
        plain = series.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        plain = numbers.column(series.astype(object).to_numpy()).value
    return kinds.scaled(np.where(plain > 0, plain, np.nan), field)


def _values(values: pd.DataFrame, cells: _Cells, kinds: amounts.Amounts, aside: _Aside) -> _Found:
    """Put value, qualifier, condition and limits together: what was measured, below or above what."""
    count = len(values)
    value = kinds.scaled(cells.value, "value")
    detection = _limit(values, "detection_limit", kinds, "detection")
    reporting = _limit(values, "reporting_limit", kinds, "reporting")
    less = np.zeros(count, dtype=bool) if cells.less is None else cells.less.copy()
    more = np.zeros(count, dtype=bool) if cells.more is None else cells.more.copy()
    letters: list[tuple[npt.NDArray[np.int64], list[str]]] = []
    if cells.column is not None and any(reading.flags for reading in cells.column.readings):
        codes, names = pd.factorize(cells.column.of("flags"))
        letters.append((codes.astype(np.int64), [str(name) for name in names]))
    for name in ("qualifier", "flags"):
        if name in values:
            codes, distinct = columns.codes(values, name)
            said = [qualifiers.qualifier(str(text) if text == text else "") for text in distinct] + [("", "")]  # noqa: PLR0124
            signs = np.array([sign for sign, _ in said])
            less |= (signs == "<")[codes]
            more |= (signs == ">")[codes]
            if any(rest for _, rest in said):
                letters.append((codes, [rest for _, rest in said]))
    if "detected" in values:
        letters += _conditions(values, value, less, more, aside)
    aside.add(less & more, "contradictory qualifier", "one cell says below, another above; ask the laboratory")
    if less.any():
        value = _below(value, less, reporting, detection)
    unknown = ~np.isfinite(value) & ~less
    if unknown.any():
        aside.add(unknown & more, "no number", numbers.refuse("no number").message)
        aside.add(unknown, "blank", numbers.refuse("blank").message)
    sign = np.where(less, 1, np.where(more, 2, 0)).astype(np.int8)
    return _Found(
        pd.Categorical.from_codes(sign, ["", "<", ">"]), value, _letters(letters, count), detection, reporting
    )


def _conditions(
    values: pd.DataFrame, value: Numbers, less: Bool, more: Bool, aside: _Aside
) -> list[tuple[npt.NDArray[np.int64], list[str]]]:
    """Take the detection condition into account; `below quantification` with a number is an estimate (J)."""
    codes, distinct = columns.codes(values, "detected")
    said = np.array([*(qualifiers.condition(_printed(text)) for text in distinct), ""], dtype=object)[codes]
    number = np.isfinite(value) & (value != 0)
    less |= said == "not detected"
    less |= (said == "below") & ~number
    more |= said == "above"
    unreported = (said == "not reported") & ~number & ~less
    aside.add(unreported, "not reported", "the laboratory says that the value is not reported; ask why")
    estimated = (said == "below") & number & ~less
    return [(estimated.astype(np.int64), ["", "J"])] if estimated.any() else []


def _printed(cell: object) -> str:
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    return str(cell) if cell == cell and cell is not None else ""  # noqa: PLR0124


def _below(value: Numbers, less: Bool, reporting: Numbers | None, detection: Numbers | None) -> Numbers:
    """Return what a non-detect counts at: the number with it, else the reporting limit, else the detection limit.

    A zero is no number to count at: nothing can be below it.
    """
    value = value.copy()
    for limit in (reporting, detection):
        if limit is not None:
            open_ = less & ~(value > 0)
            value[open_] = limit[open_]
    value[less & ~(value > 0)] = np.nan
    return value


def _letters(parts: list[tuple[npt.NDArray[np.int64], list[str]]], count: int) -> pd.Categorical | None:
    """Put the laboratory's letters of several columns together, each once."""
    if not parts:
        return None
    key = np.zeros(count, dtype=np.int64)
    for codes, names in parts:
        key = key * (len(names) + 1) + np.where(codes < 0, len(names), codes)
    code, present = pd.factorize(key)
    texts = []
    for number in present.tolist():
        said: list[str] = []
        for _, names in reversed(parts):
            number, at = divmod(number, len(names) + 1)
            text = names[at].strip() if at < len(names) else ""
            if text and text not in said:
                said.insert(0, text)
        texts.append(" ".join(said))
    again, names_ = pd.factorize(np.array(texts, dtype=object))
    return pd.Categorical.from_codes(again[code], [str(name) for name in names_])


def _dates(start: moments.Moments | None, count: int, aside: _Aside) -> None:
    """Set aside what has no date that can be read."""
    if start is None:
        aside.add(np.ones(count, dtype=bool), "no date", "nothing says when the sample was taken; add a date column")
        return
    aside.add(start.unread == 2, "ambiguous date", "the dates of this column have two orders; say which with --dates")
    aside.add(start.unread == 1, "unreadable date", "the date of this row cannot be read; write it as 2026-10-05")
    aside.add(start.seconds == UNKNOWN, "no date", "nothing says when the sample was taken")


def _results(
    values: pd.DataFrame,
    cells: _Cells,
    kinds: amounts.Amounts,
    found: _Found,
    times: dict[str, moments.Moments | None],
) -> pd.DataFrame:
    """Put the columns of results together, for all rows."""
    out: dict[str, Any] = {name: text(values, name) for name in _CARRIED if name in values}
    out |= {"parameter": kinds.category("parameter"), "fraction": kinds.category("fraction")}
    out |= {"qualifier": found.qualifier, "value": found.value, "unit": kinds.category("unit")}
    for name, meaning in (
        ("statistic", quality.statistic),
        ("sample_type", quality.sample_type),
        ("collected_by", quality.collected_by),
    ):
        if name in values:
            out[name] = text(values, name, meaning)
    start = times["start"]
    if start is not None:
        out["start"] = moments.stamps(start.seconds)
        if not start.timed.all():
            out["timed"] = start.timed
        end = moments.end_of(start, times["end"], values)
        if (end != UNKNOWN).any():
            out["end"] = moments.stamps(end)
        if (start.offset != UNKNOWN).any():
            out["utc_offset"] = np.where(start.offset == UNKNOWN, np.nan, start.offset)
    for name in ("analyzed", "received"):
        read = times[name]
        if read is not None:
            out[name] = moments.stamps(read.seconds)
    if found.flags is not None:
        out["flags"] = found.flags
    for name, limit in (("detection_limit", found.detection_limit), ("reporting_limit", found.reporting_limit)):
        if limit is not None:
            out[name] = limit
    if "receipt_temperature" in values:
        out["receipt_temperature"] = numbers.column(values["receipt_temperature"].astype(object).to_numpy()).value
    if "qc" in values:
        out["duplicate_of"] = _duplicates(values, out.get("duplicate_of"))
    out |= _printed_columns(values, cells)
    return pd.DataFrame(out, index=values.index, copy=False)


def _printed_columns(values: pd.DataFrame, cells: _Cells) -> dict[str, Any]:
    """Return value and unit as printed, and where they stood."""
    out: dict[str, Any] = {}
    if cells.column is not None or len(values) <= _LONGEST_WITH_TEXT:
        out["value_text"] = printed(values["value"])
    if "unit" in values:
        out["unit_text"] = text(values, "unit")
    for name in ("source_file", "source_sheet", "source_cell"):
        if name in values:
            cells_ = values[name]
            out[name] = (
                cells_ if name == "source_cell" or isinstance(cells_.dtype, pd.CategoricalDtype) else text(values, name)
            )
    return out


def printed(cells: pd.Series) -> pd.Series:
    """Return cells as the text that a person saw; a whole number without its point.

    Examples
    --------
    >>> printed(pd.Series([7.0, 0.35, "<5", None], dtype=object)).tolist()
    ['7', '0.35', '<5', '']
    """
    codes, distinct = pd.factorize(cells.astype(object).to_numpy(), use_na_sentinel=False)
    names = np.array([_shown(cell) for cell in distinct], dtype=object)
    return pd.Series(names[codes], index=cells.index, dtype="str")


def _shown(cell: object) -> str:
    if cell is None or cell != cell or cell is pd.NaT:  # noqa: PLR0124
        return ""
    if isinstance(cell, float | np.floating) and float(cell).is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return str(cell)


def text(values: pd.DataFrame, name: str, meaning: Any = None) -> pd.Categorical:
    """Return a text column as a categorical without spaces at the ends, or as what each distinct text means.

    Examples
    --------
    >>> text(pd.DataFrame({"sample_id": ["219E01", "00457 ", 457.0]}), "sample_id").tolist()
    ['219E01', '00457', '457']
    """
    codes, distinct = columns.codes(values, name)
    names = [" ".join(_shown(cell).split()) for cell in distinct]
    names = [*(names if meaning is None else map(meaning, names)), ""]
    numbers_, unique = pd.factorize(np.array(names, dtype=object))
    return pd.Categorical.from_codes(numbers_[codes], [str(name) for name in unique])


def _duplicates(values: pd.DataFrame, given: pd.Categorical | None) -> pd.Categorical:
    """Mark field duplicates: with the sample that they name, else as a duplicate of a sample that is not named."""
    codes, names = columns.codes(values, "qc")
    marks = np.array([*(quality.kind(_shown(name)) == "field duplicate" for name in names), False])
    parents = np.full(len(values), "", dtype=object) if given is None else np.asarray(given, dtype=object)
    return pd.Categorical(np.where(marks[codes] & (parents == ""), "field duplicate", parents))


def _set_aside(values: pd.DataFrame, aside: _Aside) -> pd.DataFrame:
    rows = np.flatnonzero(aside.code)
    if not len(rows):
        return columns.empty("set_aside")
    taken = values.iloc[rows]
    codes = aside.code[rows]
    shown = printed(taken["value"]).to_numpy(dtype=object)
    where = {name: taken[name].to_numpy() for name in ("source_file", "source_sheet", "source_cell") if name in taken}
    reasons = np.array([reason for reason, _ in aside.reasons], dtype=object)
    messages = np.array([message for _, message in aside.reasons], dtype=object)
    frame = pd.DataFrame({**where, "text": shown, "reason": reasons[codes], "message": messages[codes]})
    return columns.complete(frame, "set_aside")


def _notes(values: pd.DataFrame, cells: _Cells, kinds: amounts.Amounts, keep: Bool) -> pd.DataFrame:
    """Say what was assumed: that ppm is mg/L, that `at or below` is below."""
    rows = []
    for at, kind in enumerate(kinds.kinds):
        if kind.note and (keep & (kinds.code == at)).any():
            rows.append(
                ("assumed unit", kind.parameter, f"{kind.note}: {int((keep & (kinds.code == at)).sum())} results")
            )
    if cells.column is not None:
        said = cells.column.of("note")
        for note in sorted({reading.note for reading in cells.column.readings} - {"", "fraction"}):
            count = int(((said == note) & keep).sum())
            if count:
                rows.append(("assumed sign", "", f"{note}: {count} results"))
    frame = pd.DataFrame(rows, columns=["code", "parameter", "message"])
    return columns.complete(frame, "findings")
