"""What was found: a value cell with its qualifier, its letters, the detection condition and the laboratory's limits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from pretreat import parameters, stretches, units
from pretreat.tidy import amounts, numbers, qualifiers
from pretreat.tidy.aside import Aside
from pretreat.tidy.texts import categorical, coded, shown

Bool = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
Letters = tuple[npt.NDArray[np.integer], list[str]]

MOST: Final = 1e100
"""What is larger is set aside: sums and products of such numbers leave the range of a float."""


@dataclass(slots=True)
class Cells:
    """The value cells as read; `column` is None where they are numbers already, `unit` where no cell holds one."""

    value: Numbers
    column: numbers.Column | None
    less: Bool | None = None
    more: Bool | None = None
    unit: npt.NDArray[Any] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What each value is: `<`, `>` or plain, a number in its canonical unit, letters, the laboratory's two limits.

    `unread` says, by the limit's name, in which rows one is printed and no number can be read from it.
    """

    qualifier: pd.Categorical
    value: Numbers
    flags: pd.Categorical | None
    detection_limit: Numbers | None
    reporting_limit: Numbers | None
    unread: dict[str, Bool] = field(default_factory=dict)


_NUMBERS: Final = ("value", "detection_limit", "reporting_limit", "receipt_temperature")
_FORMATS: Final = {
    "strikethrough": "struck through",
    "error": "error cell",
    "no cached value": "formula without value",
    "unclear qualifier": "unclear qualifier",
}


def _unreadable(cell_format: str) -> tuple[str, str]:
    """Return why a result cannot be read, by the mark of its cell or of one beside it (`error: facility`)."""
    mark, _, role = cell_format.partition(": ")
    reason = _FORMATS.get(mark, "")
    if not reason:
        return "", ""
    message = numbers.refuse(reason).message
    return reason, f"its {role.replace('_', ' ')}: {message}" if role else message


def widened(values: pd.DataFrame) -> pd.DataFrame:
    """Return the table with results and limits in floats of 32 or 16 bits as the numbers that they print.

    The 1.6 of a laboratory is 1.60000002 in 32 bits: more than a limit of 1.6, which nobody measured.

    Examples
    --------
    >>> widened(pd.DataFrame({"value": np.array([1.6, 0.1], dtype=np.float32)}))["value"].tolist()
    [1.6, 0.1]
    """
    new: dict[str, npt.NDArray[np.float64]] = {}
    for name in (one for one in _NUMBERS if one in values):
        kind: Any = values[name].dtype
        if kind.kind == "f" and kind.itemsize < 8:
            narrow = values[name].to_numpy(dtype=np.float32, na_value=np.nan)
            texts = pa.array(narrow).cast(pa.string())
            if kind.itemsize < 4:
                each, of = np.unique(narrow.astype(np.float16), return_inverse=True)
                texts = pa.array([str(one) for one in each]).take(pa.array(of))
            new[name] = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return values.assign(**new) if new else values


def cells_of(values: pd.DataFrame, aside: Aside) -> Cells:
    """Read the value cells; numbers are taken as they are.

    Examples
    --------
    >>> cells = cells_of(pd.DataFrame({"value": ["<0.5", 7.0]}), Aside(2))
    >>> cells.value.tolist(), cells.less.tolist()
    ([0.5, 7.0], [True, False])
    """
    series = values["value"]
    if "cell_format" in values:
        codes, names = coded(values, "cell_format")
        aside.each(codes, [_unreadable(name) for name in names])
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        cells = Cells(series.to_numpy(dtype=np.float64, na_value=np.nan), None)
    else:
        column = numbers.column(series.astype(object).to_numpy(), _decimal(values))
        sign = column.of("qualifier")
        unit = column.of("unit") if any(reading.unit for reading in column.readings) else None
        cells = Cells(column.value, column, sign == "<", sign == ">", unit)
    if "cell_format" in values:
        _formats(values, cells)
    if cells.column is not None and any(one.reason == "ambiguous number" for one in cells.column.readings):
        _points_of_no_meaning(values, cells.column, aside)
    return cells


def _points_of_no_meaning(values: pd.DataFrame, column: numbers.Column, aside: Aside) -> None:
    """Refuse a column that holds a number such as 30.044.50: what the points of its other numbers separate is unknown.

    A column is one of a sheet, and of one parameter where the parameters stand below each other.
    """
    rows = np.flatnonzero(column.of("reason") == "ambiguous number")
    seen = values["value"].to_numpy(dtype=object)
    worst = [row for row in rows.tolist() if re.match(r"^\s*\d+[.]\d+[.][\d.]+\s*$", str(seen[row]))]
    if not worst:
        return
    parts = [coded(values, name) for name in ("source_file", "source_sheet", "parameter") if name in values]
    if "source_cell" in values:
        letters = values["source_cell"].astype(str).str.extract(r"^([A-Z]*)")[0]
        codes, names = pd.factorize(letters)
        parts.append((codes, list(names)))
    which = (
        stretches.combined([(codes, len(names)) for codes, names in parts])[0]
        if parts
        else np.zeros(len(values), dtype=np.int8)
    )
    for row in worst:
        said = f"its column holds {str(seen[row]).strip()!r}"
        aside.add(which == which[row], "ambiguous number", f"{said}: what a point separates there cannot be told")


def _decimal(values: pd.DataFrame) -> list[str] | None:
    return values["decimal"].astype(object).tolist() if "decimal" in values else None


def _formats(values: pd.DataFrame, cells: Cells) -> None:
    """Apply number formats that change what a cell means: a percentage, a less-than sign of the format's own."""
    given = values["cell_format"].astype(object).to_numpy()
    numeric = np.ones(len(values), dtype=bool) if cells.column is None else cells.column.code < 0
    percent, less = (given == "percent") & numeric, (given == "less than") & numeric
    if percent.any():
        cells.value = cells.value.copy()
        # Rounded to the 15 digits that a spreadsheet holds: 0.07 is 7 %, not 7.000000000000001 %.
        cells.value[percent] = [float(f"{100 * number:.15g}") for number in cells.value[percent]]
        cells.unit = np.full(len(values), "", dtype=object) if cells.unit is None else cells.unit
        cells.unit[percent] = "%"
    if less.any():
        cells.less = less if cells.less is None else cells.less | less


def kinds_of(values: pd.DataFrame, cells: Cells, aside: Aside) -> amounts.Amounts:
    """Work out names and units, and set aside the cells that hold no result.

    Examples
    --------
    >>> frame = pd.DataFrame({"value": [1.0, "10-15"], "parameter": "Zn", "unit": "mg/L"})
    >>> aside = Aside(2)
    >>> kinds_of(frame, cells_of(frame, aside), aside).kinds[0].parameter, aside.code.tolist()
    ('Zinc', [0, 1])
    """
    missing = ~np.isfinite(cells.value) if cells.column is not None or np.isnan(cells.value).any() else None
    kinds = amounts.amounts(values, cells.unit, missing)
    if cells.column is not None:
        readings = cells.column.readings
        aside.each(cells.column.code, [("" if one.reason == "blank" else one.reason, one.message) for one in readings])
        if any(one.note == "fraction" for one in readings):
            fraction = cells.column.of("note") == "fraction"
            no_length = fraction & (kinds.of("unit")[kinds.code] != "in")
            aside.add(no_length, "ambiguous number", "it cannot be told whether this is a fraction, a date or a ratio")
    return kinds


def found(values: pd.DataFrame, cells: Cells, kinds: amounts.Amounts, aside: Aside) -> Found:
    """Put value, qualifier, condition and limits together: what was measured, or below or above what.

    What has no name or unit that can be used is set aside.

    Examples
    --------
    >>> frame = pd.DataFrame({"value": ["", 0.0], "parameter": "Hg", "unit": "mg/L", "detected": "Not Detected",
    ...                       "detection_limit": [0.2, np.nan], "detection_limit_unit": "ug/L"})
    >>> aside = Aside(2)
    >>> cells = cells_of(frame, aside)
    >>> found(frame, cells, kinds_of(frame, cells, aside), aside).value.tolist()
    [0.0002, nan]
    """
    count = len(values)
    value = kinds.scaled(cells.value, "value")

    def huge(begin: int, end: int) -> bool:
        return bool(max(np.fmax.reduce(value[begin:end]), -np.fmin.reduce(value[begin:end])) > MOST)

    if stretches.anywhere(count, huge):
        aside.add(
            np.abs(value) > MOST, "not a number", "no measurement is this large, and no average can be made of it"
        )
    unread: dict[str, Bool] = {}
    detection = _limit(values, "detection_limit", kinds, "detection", unread)
    reporting = _limit(values, "reporting_limit", kinds, "reporting", unread)
    less = np.zeros(count, dtype=bool) if cells.less is None else cells.less.copy()
    more = np.zeros(count, dtype=bool) if cells.more is None else cells.more.copy()
    letters = _qualifiers(values, cells, less, more)
    if "detected" in values:
        letters += _conditions(values, value, less, more, aside)
    letters += _estimates(letters, value, less, detection, reporting)
    if less.any():
        if more.any():
            aside.add(less & more, "contradictory qualifier", "one cell says below, another above; ask the laboratory")
        value = _below(value, less, reporting, detection)
    if stretches.anywhere(count, lambda begin, end: not np.isfinite(cells.value[begin:end]).all()):
        unknown = ~np.isfinite(cells.value) & ~less
        aside.add(unknown & more, "no number", numbers.refuse("no number").message)
        aside.add(unknown, "blank", numbers.refuse("blank").message)
    aside.each(kinds.code, [(kind.reason, kind.message) for kind in kinds.kinds])
    sign = less.view(np.int8) + 2 * (more & ~less).view(np.int8) if more.any() else less.view(np.int8)
    return Found(categorical(sign, ["", "<", ">"]), value, _flags(letters), detection, reporting, unread)


def _limit(
    values: pd.DataFrame, name: str, kinds: amounts.Amounts, side: str, unread: dict[str, Bool]
) -> Numbers | None:
    """Return a laboratory's limit of each row, NaN where there is none, and note in `unread` where none can be read."""
    if name not in values:
        return None
    series = values[name]
    if pd.api.types.is_numeric_dtype(series.dtype):
        plain = series.to_numpy(dtype=np.float64, na_value=np.nan)
        scaled = kinds.scaled(np.where(plain > 0, plain, np.nan), side)
    else:
        cells = series.astype(object).to_numpy()
        column = numbers.column(cells, _decimal(values))
        unread[name] = _unread(cells, column)
        scaled = kinds.scaled(np.where(column.value > 0, column.value, np.nan), side)
        _in_own_units(scaled, column, kinds, unread[name])
    return np.where(scaled < MOST, scaled, np.nan)


def _in_own_units(scaled: Numbers, column: numbers.Column, kinds: amounts.Amounts, unread: Bool) -> None:
    """Put limits that bring a unit in their own cell (`10 ug/L`) into that of the result, whatever the column's is."""
    if not any(reading.unit for reading in column.readings):
        return
    own = column.of("unit")
    rows = np.flatnonzero((own != "") & (column.value > 0))
    codes, names = pd.factorize(own[rows])
    both = kinds.code[rows].astype(np.int64) * len(names) + codes
    for pair in np.unique(both).tolist():
        mine, kind, unit = rows[both == pair], kinds.kinds[pair // len(names)], units.lookup(names[pair % len(names)])
        if kind.unit and unit is not None and parameters.accepts(kind.parameter, unit) == kind.unit:
            scaled[mine] = parameters.convert(kind.parameter, column.value[mine], unit, kind.unit)
        elif kind.unit:
            scaled[mine], unread[mine] = np.nan, True


_NO_LIMIT: Final = re.compile(
    r"[-–—.\s]*|none|nil|null|nan|n[/.]?[ars]\.?|unknown|no (?:data|limit)"
    r"|not (?:applicable|available|reported|determined|given|established|stated)",
    re.IGNORECASE,
)
"""Words for that there is no limit, where one might stand."""


def _unread(cells: npt.NDArray[Any], column: numbers.Column) -> Bool:
    """Return where a cell prints something else than a number, or than that there is none."""
    blank = np.array([*(reading.reason == "blank" for reading in column.readings), False], dtype=bool)
    lost: Bool = ~np.isfinite(column.value) & ~blank[column.code]
    codes, distinct = pd.factorize(cells[lost], use_na_sentinel=False)
    lost[lost] = np.array([not _NO_LIMIT.fullmatch(shown(one)) for one in distinct], dtype=bool)[codes]
    return lost


def _qualifiers(values: pd.DataFrame, cells: Cells, less: Bool, more: Bool) -> list[Letters]:
    """Take qualifiers and letters into account, from the value cell and from columns of their own."""
    letters: list[Letters] = []
    if cells.column is not None and any(reading.flags for reading in cells.column.readings):
        said_in_cell, names = pd.factorize(cells.column.of("flags"))
        letters.append((said_in_cell, [str(name) for name in names]))
    for column in ("qualifier", "flags", "validation"):
        if column not in values:
            continue
        codes, distinct = coded(values, column)
        said = [*(qualifiers.qualifier(one) for one in distinct), ("", "")]
        for sign, where in (("<", less), (">", more)):
            marked = np.array([one == sign for one, _ in said])
            if marked.any():
                np.logical_or(where, marked[codes], out=where)
        if any(rest for _, rest in said):
            letters.append((codes, [rest for _, rest in said]))
    return letters


def _conditions(values: pd.DataFrame, value: Numbers, less: Bool, more: Bool, aside: Aside) -> list[Letters]:
    """Take the detection condition into account; `below quantification` beside a number is an estimate (J)."""
    codes, distinct = coded(values, "detected")
    said = np.array([*(qualifiers.condition(one) for one in distinct), ""], dtype=object)[codes]
    number = np.isfinite(value) & (value != 0)
    less |= (said == "not detected") | ((said == "below") & ~number)
    more |= said == "above"
    unreported = (said == "not reported") & ~number & ~less
    aside.add(unreported, "not reported", "the laboratory says that the value is not reported; ask why")
    estimated = (said == "below") & number & ~less
    return [(estimated.view(np.int8), ["", "J"])] if estimated.any() else []


def _estimates(
    letters: list[Letters], value: Numbers, less: Bool, detection: Numbers | None, reporting: Numbers | None
) -> list[Letters]:
    """Add J where an I stands beside a value between the two limits: Florida's estimate (62-160.700 F.A.C.)."""
    if detection is None or reporting is None:
        return []
    out: list[Letters] = []
    for codes, names in letters:
        marked = np.array([*(bool(re.match(r"I[A-Z]{0,2}$", name)) and "J" not in name for name in names), False])
        if marked.any():
            between = marked[codes] & ~less & (value >= detection) & (value <= reporting)
            out.append((between.view(np.int8), ["", "J"]))
    return out


def _below(value: Numbers, less: Bool, reporting: Numbers | None, detection: Numbers | None) -> Numbers:
    """Return what a non-detect counts at: the number with it, else the reporting limit, else the detection limit.

    A zero is no number to count at: nothing can be below it.
    """
    open_ = less & ~(value > 0)
    if not open_.any():
        return value
    value = value.copy()
    value[open_] = np.nan
    for limit in (reporting, detection):
        if limit is not None:
            fill = open_ & np.isnan(value)
            value[fill] = limit[fill]
    return value


def _flags(parts: list[Letters]) -> pd.Categorical | None:
    """Put the laboratory's letters of several columns together, each once."""
    if not parts:
        return None
    which, each = stretches.combined([(codes, len(names)) for codes, names in parts])
    texts = []
    for picks in each:
        said = (names[at].strip() if at >= 0 else "" for (_, names), at in zip(parts, picks, strict=True))
        texts.append(" ".join(dict.fromkeys(one for one in said if one)))
    return categorical(which, texts)
