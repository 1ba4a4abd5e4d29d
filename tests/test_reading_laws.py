"""Laws of reading: nothing vanishes, addresses lead back, and what is beside a value stays with it."""

from datetime import datetime

import openpyxl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sheets_made import aside, told

from pretreat.reading import account, assemble, kinds, sheets
from pretreat.reading.account import Options
from pretreat.reading.sheets import Sheet

NAMES = ["Copper", "Zinc", "Lead", "Nickel", "Cadmium"]
CELL = st.one_of(
    st.none(),
    st.floats(0, 1000, allow_nan=False).map(lambda v: round(v, 3)),
    st.sampled_from(["<0.5", "ND", "0.012 J", "> 200", "1,200", "n/a", "--", "0.5 U", "BDL", "see note"]),
)


def read(rows):
    """Read rows as one sheet, without a file in between."""
    cells = sheets.square([["" if v is None else v for v in row] for row in rows])
    found = account.joined(account.of_sheet(Sheet("made", "", cells), Options()))
    return found, assemble.concatenate(found.values) if found.values else None


def at(rows, address):
    column = "".join(c for c in address if c.isalpha())
    return rows[int(address.removeprefix(column)) - 1][sheets.column_number(column)]


@st.composite
def wide(draw):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    rows = [["Date", *(f"{name} (mg/L)" for name in names)]]
    days = [datetime(2026, 10, day + 1) for day in range(draw(st.integers(1, 12)))]
    labels = draw(st.lists(st.sampled_from(["Average", "Total:", "Local limit", "Max"]), max_size=2))
    rows += [[label, *(draw(CELL) for _ in names)] for label in [*days, *labels]]
    blank = [None] * (len(names) + 1)
    return [*[blank] * draw(st.integers(0, 3)), *rows], names


@given(wide())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_cell_with_content_is_a_value_or_set_aside(made):
    rows, names = made
    found, values = read(rows)
    head = next(i for i, row in enumerate(rows) if row[0] == "Date")
    filled = {
        sheets.address(r, c)
        for r in range(head + 1, len(rows))
        for c in range(1, len(names) + 1)
        if rows[r][c] is not None
    }
    if found.sheets[0]["layout"] == "none":
        assert found.set_aside[0]["reason"] == "no table"
        assert found.sheets[0]["values_seen"] == sum(v is not None for row in rows for v in row)
        return
    kept = [] if values is None else values["source_cell"].tolist()
    gone = [row["source_cell"] for row in found.set_aside]
    assert sorted([*kept, *gone]) == sorted(filled)
    assert found.sheets[0]["values_seen"] == len(filled)
    for cell in gone:
        assert not isinstance(rows[int(cell.lstrip("ABCDE")) - 1][0], datetime)


@given(wide())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_value_leads_back_to_its_cell_name_and_day(made):
    rows, _ = made
    _, values = read(rows)
    if values is None:
        return
    head = next(row for row in rows if row[0] == "Date")
    for row in values.astype(object).to_dict("records"):
        address = row["source_cell"]
        assert row["value"] == at(rows, address)
        column = sheets.column_number("".join(c for c in address if c.isalpha()))
        assert head[column] == f"{row['parameter']} ({row['unit']})"
        assert row["start"] == rows[int(address.lstrip("ABCDE")) - 1][0]


@given(wide(), st.integers(0, 3), st.integers(0, 3))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_sheet_moved_down_and_right_reads_the_same(made, down, right):
    rows, _ = made
    _, values = read(rows)
    moved = [*[[None]] * down, *[[None] * right + row for row in rows]]
    _, again = read(moved)
    if values is None:
        assert again is None
        return
    assert values["value"].tolist() == again["value"].tolist()
    for one, other in zip(values["source_cell"], again["source_cell"], strict=True):
        assert at(rows, one) == at(moved, other)


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), CELL, st.sampled_from(["", "U", "J"])), min_size=1, max_size=20),
    st.randoms(),
)
@settings(max_examples=30, deadline=None)
def test_the_order_of_columns_does_not_matter(results, chance):
    heads = ["Sample Date", "Analyte", "Result", "Qualifier", "Units"]
    table = [[datetime(2026, 10, 1), name, value, qualifier or None, "mg/L"] for name, value, qualifier in results]
    order = list(range(5))
    chance.shuffle(order)
    _, plain = read([heads, *table])
    _, mixed = read([[heads[i] for i in order], *[[row[i] for i in order] for row in table]])
    if plain is None:
        assert mixed is None
        return
    columns = ["start", "parameter", "value", "qualifier", "unit"]
    assert plain[columns].astype(object).to_dict("list") == mixed[columns].astype(object).to_dict("list")


@given(st.text(max_size=40))
def test_any_text_is_of_some_kind_and_a_heading_of_some_role(text):
    from pretreat.reading import headers

    assert kinds.of(text) in "bdhnrt"
    head = headers.read(text)
    assert isinstance(head.role, str)


@given(st.integers(0, 16_383))
def test_letters_and_numbers_of_columns(number):
    assert sheets.column_number(sheets.letters(number)) == number
    assert openpyxl.utils.get_column_letter(number + 1) == sheets.letters(number)


def test_helpers_of_tests_can_fail(tmp_path):
    from sheets_made import sheet

    raw = sheet(tmp_path, [["Date", "Copper (mg/L)"], [datetime(2026, 10, 1), 0.5], ["Average", 0.5]])
    assert told(raw) == {"B2": ("0.5",)}
    assert aside(raw) == {"B3": ("summary row", "0.5")}
