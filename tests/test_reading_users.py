"""Users and places across the top or down the side: which heading is a name, and which only looks like one."""

from datetime import datetime

import openpyxl
import pytest
from sheets_made import aside, sheet, told

from pretreat.reading import read

D1, D2 = datetime(2026, 10, 1), datetime(2026, 10, 8)


def who(raw):
    """Return user, place, parameter, unit and day of each cell."""
    got = told(raw, "facility", "outfall", "parameter", "unit", "start")
    return {cell: (user, place, what, unit, day[:10]) for cell, (_, user, place, what, unit, day) in got.items()}


ACME, BOLT = ("Acme Metal Finishing", "", "Copper", "mg/L"), ("Bolt Works", "", "Copper", "mg/L")
BOTH = {
    "B3": (*ACME, "2026-10-01"),
    "B4": (*ACME, "2026-10-08"),
    "C3": (*BOLT, "2026-10-01"),
    "C4": (*BOLT, "2026-10-08"),
}


@pytest.mark.parametrize("merged", [("B1:C1",), ()])
def test_users_under_a_parameter(tmp_path, merged):
    rows = [
        ["Date", "Copper (mg/L)", None],
        [None, "Acme Metal Finishing", "Bolt Works"],
        [D1, 0.1, 0.2],
        [D2, 0.3, "<0.4"],
    ]
    raw = sheet(tmp_path, rows, merged=merged)
    assert who(raw) == BOTH
    assert "no column names the user: the names across the top stand for it" in raw.understood["note"].tolist()


def test_users_where_the_parameter_stands_above(tmp_path):
    rows = [["Copper, mg/L"], ["Date", "Acme Metal Finishing", "Bolt Works"], [D1, 0.1, 0.2], [D2, 0.3, "<0.4"]]
    assert who(sheet(tmp_path, rows)) == BOTH


def test_users_over_parameters_are_not_lost(tmp_path):
    """Without the names, four results of copper on one day would be one sample."""
    rows = [
        [None, "Acme Plating", None, "Bolt Works", None],
        ["Date", "Copper (mg/L)", "Zinc (mg/L)", "Copper (mg/L)", "Zinc (mg/L)"],
        [D1, 0.1, 0.2, 0.3, 0.4],
    ]
    for merged in (("B1:C1", "D1:E1"), ()):
        got = who(sheet(tmp_path, rows, merged=merged))
        assert {cell: (v[0], v[2]) for cell, v in got.items()} == {
            "B3": ("Acme Plating", "Copper"),
            "C3": ("Acme Plating", "Zinc"),
            "D3": ("Bolt Works", "Copper"),
            "E3": ("Bolt Works", "Zinc"),
        }


def test_names_are_places_where_the_user_is_known(tmp_path):
    rows = [["Client:", "City Works"], ["Copper, mg/L"], ["Date", "North", "South"], [D1, 0.1, 0.2]]
    got = who(sheet(tmp_path, rows))
    assert got["B4"] == ("City Works", "North", "Copper", "mg/L", "2026-10-01")
    rows = [["Copper, mg/L"], ["Date", "North", "South"], [D1, 0.1, 0.2]]
    assert who(sheet(tmp_path, rows, facility="City Works"))["C3"][:2] == ("City Works", "South")


def test_one_sheet_a_parameter(tmp_path):
    book = openpyxl.Workbook()
    for number, name in enumerate(("Copper", "Zinc")):
        page = book.active if number == 0 else book.create_sheet()
        page.title = name
        for row in (
            ["All results in", "mg/L"],
            ["Date", "Acme Plating", "Bolt Works"],
            [D1, number + 0.1, number + 0.2],
        ):
            page.append(row)
    book.save(tmp_path / "made.xlsx")
    raw = read(tmp_path / "made.xlsx")
    columns = [raw.values[c].astype(str) for c in ("facility", "parameter", "unit", "value")]
    assert list(zip(*columns, strict=True)) == [
        ("Acme Plating", "Copper", "mg/L", "0.1"),
        ("Bolt Works", "Copper", "mg/L", "0.2"),
        ("Acme Plating", "Zinc", "mg/L", "1.1"),
        ("Bolt Works", "Zinc", "mg/L", "1.2"),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [
            ["Date", "Metals", None, "Nutrients", None],
            [None, "Copper", "Zinc", "TKN", "Nitrate as N"],
            [D1, 1, 2, 3, 4],
        ],
        [["Date", "Conc", None, "Load", None], [None, "Copper", "Zinc", "Copper", "Zinc"], [D1, 1, 2, 3, 4]],
        [["Date", "Dissolved", None, "Total", None], [None, "Copper", "Zinc", "Copper", "Zinc"], [D1, 1, 2, 3, 4]],
        [["Date", "Copper", None, "Zinc", None], [None, "Total", "Dissolved", "Total", "Dissolved"], [D1, 1, 2, 3, 4]],
        [["Date", "Temperature", None], [None, "Water", "Air"], [D1, 60, 70]],
        [["Date", "Widgets", "Sprockets"], [D1, 60, 70]],
        [["Copper"], ["Zinc"], ["Date", "Acme Plating", "Bolt Works"], [D1, 60, 70]],
        [["Parameter", "Unit", "Permit limit", "Guideline"], ["Copper", "mg/L", 0.1, 0.2]],
    ],
)
def test_headings_that_only_look_like_names(tmp_path, rows):
    raw = sheet(tmp_path, rows)
    assert "facility" not in raw.values or set(raw.values["facility"].astype(str)) == {""}


def test_users_beside_parameters_down(tmp_path):
    rows = [
        ["Date sampled:", D1],
        ["Parameter", "Unit", "Acme Plating", "Bolt Works", "Local limit"],
        ["Copper", "mg/L", 0.1, "<0.2", 0.5],
        ["Zinc", "mg/L", 0.3, 0.4, 0.6],
    ]
    got = who(sheet(tmp_path, rows))
    assert set(got) == {"C3", "D3", "C4", "D4"}
    assert got["D4"] == ("Bolt Works", "", "Zinc", "mg/L", "2026-10-01")


def test_a_row_of_dates_labelled_as_such_under_names(tmp_path):
    rows = [
        ["Parameter", "Unit", "Acme Plating", "Bolt Works"],
        ["Date sampled", None, D1, D2],
        ["Copper", "mg/L", 0.1, "<0.2"],
        ["Zinc", "mg/L", 0.3, 0.4],
    ]
    raw = sheet(tmp_path, rows)
    assert who(raw)["C3"] == ("Acme Plating", "", "Copper", "mg/L", "2026-10-01")
    assert who(raw)["D4"] == ("Bolt Works", "", "Zinc", "mg/L", "2026-10-08")
    assert len(raw.values) == 4
    assert not aside(raw)


def test_samples_down_with_their_date_above(tmp_path):
    rows = [
        ["Client:", "Acme Plating"],
        ["Date sampled:", D1],
        [],
        ["Sample ID", "Copper", "Q", "pH"],
        [None, "mg/L", None, None],
        ["Limit", 0.5, None, "6-9"],
        ["S-1", 0.1, "U", 7],
        ["S-2", 0.2, None, 8],
        ["Average", 0.15, None, 7.5],
    ]
    raw = sheet(tmp_path, rows)
    assert told(raw, "facility", "sample_id", "parameter", "qualifier") == {
        "B7": ("0.1", "Acme Plating", "S-1", "Copper", "U"),
        "B8": ("0.2", "Acme Plating", "S-2", "Copper", ""),
        "D7": ("7.0", "Acme Plating", "S-1", "pH", ""),
        "D8": ("8.0", "Acme Plating", "S-2", "pH", ""),
    }
    assert {day for *_, day in who(raw).values()} == {"2026-10-01"}
    assert {cell: reason for cell, (reason, _) in aside(raw).items()} == {
        "B6": "limit row",
        "D6": "limit row",
        "B9": "summary row",
        "D9": "summary row",
    }


def test_samples_down_with_their_dates_in_a_list(tmp_path):
    listed = [["Sample ID", "Collected", "Facility"], ["S-1", D1, "Acme Plating"], ["S-2", D2, "Bolt Works"]]
    results = [["Sample ID", "Copper (mg/L)", "Zinc (mg/L)"], ["S-1", 0.1, 0.2], ["S-2", 0.3, "<0.4"]]
    got = who(sheet(tmp_path, listed, results))
    assert got["B2"] == ("Acme Plating", "", "Copper", "mg/L", "2026-10-01")
    assert got["C3"] == ("Bolt Works", "", "Zinc", "mg/L", "2026-10-08")


def test_users_down_stacked_by_date(tmp_path):
    head = ["Facility", "Copper (mg/L)"]
    rows = [["Date sampled:", D1], head, ["Acme", 0.1], ["Bolt", 0.2], [], ["Date sampled:", D2], head, ["Acme", 0.3]]
    got = who(sheet(tmp_path, rows))
    assert {cell: (v[0], v[4]) for cell, v in got.items()} == {
        "B3": ("Acme", "2026-10-01"),
        "B4": ("Bolt", "2026-10-01"),
        "B8": ("Acme", "2026-10-08"),
    }


def test_users_down_and_dates_across_under_a_parameter(tmp_path):
    rows = [["Copper (mg/L)"], ["Facility", D1, D2], ["Acme", 0.1, 0.2], ["Bolt", 0.3, "<.4"], ["Average", 0.2, 0.3]]
    raw = sheet(tmp_path, rows)
    assert who(raw) == {
        "B3": ("Acme", "", "Copper", "mg/L", "2026-10-01"),
        "B4": ("Bolt", "", "Copper", "mg/L", "2026-10-01"),
        "C3": ("Acme", "", "Copper", "mg/L", "2026-10-08"),
        "C4": ("Bolt", "", "Copper", "mg/L", "2026-10-08"),
    }
    assert set(aside(raw)) == {"B5", "C5"}


def test_the_same_headings_again_under_another_parameter(tmp_path):
    """The second table is no repetition of the first one's headings: its results would be copper."""
    head = ["Date", "Acme", "Bolt"]
    rows = [["Copper (mg/L)"], head, [D1, 0.1, 0.2], [], ["Zinc (ug/L)"], head, [D1, 3, 4]]
    got = who(sheet(tmp_path, rows))
    assert got["B3"] == ("Acme", "", "Copper", "mg/L", "2026-10-01")
    assert got["C7"] == ("Bolt", "", "Zinc", "ug/L", "2026-10-01")


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([["Parameter:", "Copper"]], "Copper"),
        ([["Copper"]], "Copper"),
        ([["Some report"]], ""),
        ([["Copper"], ["Zinc"]], ""),
    ],
)
def test_a_column_of_results_is_named_by_what_stands_above(tmp_path, rows, what):
    """`Result` was taken for the name of the parameter."""
    table = [["Facility", "Date", "Result (mg/L)"], ["Acme", D1, 0.1], ["Bolt", D1, "<.1"]]
    got = who(sheet(tmp_path, [*rows, *table]))
    assert [(v[0], v[2], v[3]) for v in got.values()] == [("Acme", what, "mg/L"), ("Bolt", what, "mg/L")]


@pytest.mark.parametrize(
    "stated",
    ["All results in mg/L", "(all values mg/L)", "Results reported in mg/L unless otherwise noted.", "All units are mg/L",
     "Concentrations expressed as mg/L except pH"],
)  # fmt: skip
def test_a_unit_stated_for_the_whole_sheet(tmp_path, stated):
    raw = sheet(tmp_path, [[stated], ["Facility", "Date", "Copper", "Zinc, ug/L", "pH"], ["Acme", D1, 0.1, 2, 7]])
    assert told(raw, "unit") == {"C3": ("0.1", "mg/L"), "D3": ("2.0", "ug/L"), "E3": ("7.0", "")}


def test_a_remark_is_no_statement_of_a_unit(tmp_path):
    raw = sheet(tmp_path, [["Results in October"], ["Facility", "Date", "Copper"], ["Acme", D1, 0.1]])
    assert told(raw, "unit") == {"C3": ("0.1", "")}


@pytest.mark.parametrize(
    "label",
    ["% RPD", "MS % Rec", "Relative percent difference", "LCS %Recovery", "RPD", "% Rec.", "n=", "No. of exceedances"],
)
def test_rows_computed_from_others_are_no_samples(tmp_path, label):
    """98 in the row `MS % Rec` would be 98 mg/L of copper."""
    rows = [["Date sampled:", D1], ["Sample ID", "Copper (mg/L)"], ["AP-1", 0.1], ["AP-1 DUP", 0.11], [label, 98]]
    raw = sheet(tmp_path, rows)
    assert set(told(raw)) == {"B3", "B4"}
    assert aside(raw) == {"B5": ("summary row", "98")}


def test_users_in_the_headings_of_parameters(tmp_path):
    rows = [
        ["Date", "Acme Plating Copper (mg/L)", "Acme Plating - Zinc (ug/L)", "Bolt Works Copper (mg/L)"],
        [D1, 0.1, 2, 0.3],
    ]
    got = who(sheet(tmp_path, rows))
    assert [v[:4] for v in got.values()] == [
        ("Acme Plating", "", "Copper", "mg/L"),
        ("Acme Plating", "", "Zinc", "ug/L"),
        ("Bolt Works", "", "Copper", "mg/L"),
    ]
    for other in (
        ["Date", "Acme Plating Copper (mg/L)", "Zinc (mg/L)"],
        ["Date", "Hot Water Temperature (F)", "Air Temperature (F)"],
    ):
        raw = sheet(tmp_path, [other, [D1, 60, 70]])
        assert "facility" not in raw.values or set(raw.values["facility"].astype(str)) == {""}


HEAD = ["Facility", "Sample Date", "Sample ID", "Analyte", "Result", "Units"]


def of_whom(tmp_path, *rows):
    """Return the user of each row of results; a row is user, day of October, sample and analyte."""
    cells = [
        [user, D1.replace(day=day) if day else None, sample, what, 0.5, "mg/L"] for user, day, sample, what in rows
    ]
    raw = sheet(tmp_path, [HEAD, *cells])
    return [str(user) for _, user in told(raw, "facility").values()], raw.understood["note"].tolist()


def test_a_user_named_once_at_the_top_of_a_block_holds_to_its_end(tmp_path):
    rows = [("Acme", 1, "1", "Zinc"), (None, 2, "2", "Zinc"), ("Bolt", 1, "3", "Zinc"), (None, 2, "4", "Zinc")]
    assert of_whom(tmp_path, *rows)[0] == ["Acme", "Acme", "Bolt", "Bolt"]
    rows = [("Acme", 1, "1", "Zinc"), (None, 2, "2", "Zinc"), (None, 3, "3", "Zinc"), ("Bolt", 1, "4", "Zinc")]
    assert of_whom(tmp_path, *rows)[0] == ["Acme", "Acme", "Acme", "Bolt"]


@pytest.mark.parametrize(
    "users",
    [("Acme", None, "Bolt", "Cord"), ("Acme", "Acme", None, "Bolt", "Bolt"), ("Acme", "Bolt", "Bolt", None, "Cord")],
)
def test_a_lone_blank_among_rows_that_name_their_users_is_nobodys(tmp_path, users):
    """It went to the user of the row above, and so did the notice of its violation."""
    rows = [(user, day, str(day), "Zinc") for day, user in enumerate(users, 1)]
    got, notes = of_whom(tmp_path, *rows)
    assert got == [user or "" for user in users]
    assert any(note.startswith("1 row names no user among rows that name theirs") for note in notes)


def test_a_row_that_names_neither_user_nor_date_nor_sample_goes_on_with_the_row_above(tmp_path):
    rows = [("Acme", 1, "1", "Zinc"), ("Acme", 2, "2", "Zinc"), (None, None, None, "Lead"), ("Bolt", 1, "3", "Zinc")]
    assert of_whom(tmp_path, *rows)[0] == ["Acme", "Acme", "Acme", "Bolt"]


def test_totals_and_remarks_below_a_block_are_no_users(tmp_path):
    rows = [
        ["Facility", "Date", "Copper (mg/L)"],
        ["Acme", D1, 0.1], [None, D2, 0.2], ["Average", None, 0.15], [None, None, None],
        ["Bolt", D1, 0.3], [None, D2, 0.4], ["Average", None, 0.35], [None, None, None],
        ["Samples were kept cold."], ["Second remark."], ["Third remark."],
    ]  # fmt: skip
    got = {cell: user for cell, (_, user) in told(sheet(tmp_path, rows), "facility").items()}
    assert got == {"C2": "Acme", "C3": "Acme", "C6": "Bolt", "C7": "Bolt"}
