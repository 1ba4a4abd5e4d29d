"""Layouts: each way a laboratory arranges a sheet, made small; the cells must come out with what they belong to."""

from datetime import date, datetime

import openpyxl
from sheets_made import aside, sheet, told, workbook

from pretreat import tidy
from pretreat.reading import read

D1, D2, D3 = datetime(2026, 10, 1), datetime(2026, 10, 2), datetime(2026, 10, 3)


def days(raw):
    return {
        k: v[:10] for k, v in zip(raw.values["source_cell"], raw.values["start"].astype(object).map(str), strict=True)
    }


def test_long(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Facility", "Sample Date", "Analyte", "Result", "Qual", "Units", "MDL"],
            ["Acme Plating", D1, "Copper", 0.5, None, "mg/L", 0.01],
            ["Acme Plating", D1, "Zinc", 0.02, "U", "mg/L", 0.02],
        ],
    )
    got = told(raw, "facility", "parameter", "qualifier", "unit", "detection_limit")
    assert got == {
        "D2": ("0.5", "Acme Plating", "Copper", "", "mg/L", "0.01"),
        "D3": ("0.02", "Acme Plating", "Zinc", "U", "mg/L", "0.02"),
    }
    assert raw.sheets.loc[0, ["layout", "header_row", "values_seen"]].tolist() == ["long", "1", 2]


def test_long_result_heading_holds_the_unit(tmp_path):
    raw = sheet(tmp_path, [["Date", "Parameter", "Result (ug/L)", "RL (ug/L)"], [D1, "Lead", "<5", 5]])
    assert told(raw, "unit", "reporting_limit", "reporting_limit_unit") == {"C2": ("<5", "ug/L", "5.0", "ug/L")}


def test_long_blank_result_with_a_condition_is_a_value(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Date", "Parameter", "Result", "Detection Condition", "Detection Limit", "Units"],
            [D1, "Lead", None, "Not Detected", 5, "ug/L"],
        ],
    )
    assert told(raw, "detected", "detection_limit") == {"C2": ("", "Not Detected", "5.0")}


def test_wide_units_in_the_headings(tmp_path):
    raw = sheet(tmp_path, [["Date", "Copper (mg/L)", "pH", "Zinc, ug/L"], [D1, 0.5, 7.1, 20], [D2, None, 7.3, "ND"]])
    assert told(raw, "parameter", "unit") == {
        "B2": ("0.5", "Copper", "mg/L"),
        "C2": ("7.1", "pH", ""),
        "C3": ("7.3", "pH", ""),
        "D2": ("20.0", "Zinc", "ug/L"),
        "D3": ("ND", "Zinc", "ug/L"),
    }
    assert days(raw) == {
        "B2": "2026-10-01",
        "C2": "2026-10-01",
        "C3": "2026-10-02",
        "D2": "2026-10-01",
        "D3": "2026-10-02",
    }


def test_wide_units_in_a_row_under_the_headings(tmp_path):
    raw = sheet(tmp_path, [["Date", "Copper", "Zinc"], [None, "mg/L", "ug/L"], [D1, 0.5, 20]])
    assert told(raw, "parameter", "unit") == {"B3": ("0.5", "Copper", "mg/L"), "C3": ("20.0", "Zinc", "ug/L")}


def test_wide_one_name_over_concentration_and_load(tmp_path):
    """pandas issues 14704, 10523, 64198: two columns of one name are both kept, apart, by the row of units."""
    raw = sheet(tmp_path, [["Date", "TKN", "TKN"], [None, "mg/L", "lb/day"], [D1, 4.2, 9.7]])
    assert told(raw, "parameter", "unit") == {"B3": ("4.2", "TKN", "mg/L"), "C3": ("9.7", "TKN", "lb/day")}


def test_wide_value_and_qualifier_pairs(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Date", "Copper (mg/L)", "Qual", "Zinc (mg/L)", "Qual"],
            [D1, 0.5, "U", 0.2, None],
            [D2, None, "U", 0.1, "J"],
        ],
    )
    assert told(raw, "qualifier") == {"B2": ("0.5", "U"), "B3": ("", "U"), "D2": ("0.2", ""), "D3": ("0.1", "J")}


def test_wide_headings_that_repeat_the_name(tmp_path):
    raw = sheet(
        tmp_path,
        [["Sample Date", "Cu_MDL", "Copper (mg/L)", "Copper Qualifier", "Copper MDL"], [D1, 0.1, "", "U", 0.01]],
    )
    assert told(raw, "parameter", "qualifier", "detection_limit", "unit") == {"C2": ("", "Copper", "U", "0.01", "mg/L")}


def test_six_header_rows_with_merged_titles(tmp_path):
    raw = sheet(
        tmp_path,
        [
            [None, "FLOW (GPD)", None, "pH"],
            ["DATE", "LOCATION:", "LOCATION:", "LOCATION:"],
            ["OF", "Main St", "Oak St", "Oak St"],
            ["SAMPLE", "NUMBER:", "NUMBER:", "NUMBER:"],
            [None, "MP 1", "MP 2", "MP 2"],
            [D1, 4000, "--", 7],
        ],
        merged=("B1:C1",),
    )
    assert told(raw, "parameter", "unit", "outfall") == {
        "B6": ("4000.0", "FLOW", "GPD", "MP 1"),
        "C6": ("--", "FLOW", "GPD", "MP 2"),
        "D6": ("7.0", "pH", "", "MP 2"),
    }


def test_places_over_parameters(tmp_path):
    raw = sheet(
        tmp_path,
        [["Date", "Influent", None, "Effluent", None], [None, "Copper", "Zinc", "Copper", "Zinc"], [D1, 1, 2, 3, 4]],
        merged=("B1:C1", "D1:E1"),
    )
    assert told(raw, "parameter", "outfall") == {
        "B3": ("1.0", "Copper", "Influent"),
        "C3": ("2.0", "Zinc", "Influent"),
        "D3": ("3.0", "Copper", "Effluent"),
        "E3": ("4.0", "Zinc", "Effluent"),
    }


def test_parameters_down_and_dates_across(tmp_path):
    raw = sheet(
        tmp_path,
        [["Parameter", "Units", D1, D2], ["Copper", "mg/L", 0.5, "<0.1"], ["Zinc", "mg/L", None, 0.2]],
    )
    assert told(raw, "parameter", "unit", "start") == {
        "C2": ("0.5", "Copper", "mg/L", str(date(2026, 10, 1))),
        "D2": ("<0.1", "Copper", "mg/L", str(date(2026, 10, 2))),
        "D3": ("0.2", "Zinc", "mg/L", str(date(2026, 10, 2))),
    }
    assert raw.sheets.loc[0, "layout"] == "parameters down"


def test_parameters_down_under_labelled_rows(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Sample ID", None, "S-1", "S-2"],
            ["Sample date", None, "10/1/2026", "10/2/2026"],
            ["Sample type", None, "Grab", "Composite"],
            ["Copper", "mg/L", 0.5, 0.6],
            ["Cyanide, total", "mg/L", "ND", 0.2],
        ],
    )
    assert told(raw, "parameter", "unit", "sample_id", "start", "sample_type") == {
        "C4": ("0.5", "Copper", "mg/L", "S-1", "10/1/2026", "Grab"),
        "C5": ("ND", "Cyanide, total", "mg/L", "S-1", "10/1/2026", "Grab"),
        "D4": ("0.6", "Copper", "mg/L", "S-2", "10/2/2026", "Composite"),
        "D5": ("0.2", "Cyanide, total", "mg/L", "S-2", "10/2/2026", "Composite"),
    }


def test_guideline_beside_results_is_no_result(tmp_path):
    raw = sheet(
        tmp_path,
        [
            [None, None, "Outfall 1", None, "Outfall 2", None],
            ["Parameter", "Guideline", "Result", "Qual", "Result", "Qual"],
            ["Copper", 9, 0.5, None, 0.6, "J"],
        ],
        merged=("C1:D1", "E1:F1"),
    )
    assert told(raw, "qualifier") == {"C3": ("0.5", ""), "E3": ("0.6", "J")}


def test_tables_stacked_on_one_sheet(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Client:", "Acme Plating"],
            ["Date", "Copper (mg/L)"],
            [D1, 0.5],
            ["Average", 0.5],
            [],
            ["Client:", "Dairy Co"],
            ["Date", "BOD (mg/L)"],
            [D2, 200],
            [],
            ["Sample Date", "Analyte", "Result", "Units"],
            [D3, "Zinc", 0.1, "mg/L"],
        ],
    )
    assert told(raw, "facility", "parameter") == {
        "B3": ("0.5", "Acme Plating", "Copper"),
        "B8": ("200.0", "Dairy Co", "BOD"),
        "C11": ("0.1", "", "Zinc"),
    }
    assert aside(raw) == {"B4": ("summary row", "0.5")}


def test_tables_side_by_side_under_one_header(tmp_path):
    raw = sheet(
        tmp_path,
        [["Date", "Copper (mg/L)", None, "Date", "Zinc (mg/L)"], [D1, 0.5, None, D2, 0.2], [D2, 0.6, None, D3, 0.3]],
    )
    got = told(raw, "parameter", "start")
    assert got["B3"] == ("0.6", "Copper", "2026-10-02")
    assert got["E3"] == ("0.3", "Zinc", "2026-10-03")
    assert len(got) == 4


def test_tables_side_by_side_at_different_heights(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Date", "Copper (mg/L)"],
            [D1, 0.5, None, "Analyte", "Sample Date", "Result", "Units"],
            [D2, 0.6, None, "Zinc", D3, 0.3, "mg/L"],
        ],
    )
    got = told(raw, "parameter", "start")
    assert got == {
        "B2": ("0.5", "Copper", "2026-10-01"),
        "B3": ("0.6", "Copper", "2026-10-02"),
        "F3": ("0.3", "Zinc", "2026-10-03"),
    }


def test_repeated_groups_of_a_long_table(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Sample Date", "Analyte", "Result", "Units", "Analyte", "Result", "Units"],
            [D1, "Copper", 0.5, "mg/L", "Zinc", 20, "ug/L"],
        ],
    )
    assert told(raw, "parameter", "unit") == {"C2": ("0.5", "Copper", "mg/L"), "F2": ("20.0", "Zinc", "ug/L")}


def test_title_block_above_the_table(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Valley Analytical"],
            ["Client: Acme Plating", None, "Project: Quarterly"],
            ["Sample ID:", "A-17", None, "Date Sampled:", "10/5/2026"],
            ["Sample Type:", "24-hr composite", None, "ELAP No:", "10911"],
            [],
            ["Parameter", "Result", "Units", "Method"],
            ["Copper", "<0.010", "mg/L", "EPA 200.7"],
        ],
    )
    assert told(raw, "facility", "sample_id", "start", "sample_type", "lab_certification", "method") == {
        "B7": ("<0.010", "Acme Plating", "A-17", "10/5/2026", "24-hr composite", "10911", "EPA 200.7")
    }
    assert any("as a last resort" in note for note in raw.understood["note"])


def test_repeated_headers_totals_footnotes_and_blank_rows(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Date", "Copper (mg/L)", "Zinc (mg/L)"],
            [D1, 0.5, 0.1],
            [],
            ["Date", "Copper (mg/L)", "Zinc (mg/L)"],
            [D2, 0.7, "<0.1"],
            ["Monthly Average", 0.6, 0.1],
            ["Total:", 1.2, 0.2],
            ["Local limit", 1.5, 2.0],
            ["* samples were kept on ice"],
        ],
    )
    assert set(told(raw)) == {"B2", "C2", "B5", "C5"}
    assert {cell: reason for cell, (reason, _) in aside(raw).items()} == {
        "B6": "summary row",
        "C6": "summary row",
        "B7": "summary row",
        "C7": "summary row",
        "B8": "limit row",
        "C8": "limit row",
    }


def test_facility_on_the_first_row_of_a_block(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Facility", "Date", "Copper (mg/L)"],
            ["Acme Plating", D1, 0.1],
            [None, D2, 0.2],
            ["Average", None, 0.15],
            ["Dairy Co", D1, 0.3],
            [None, D2, 0.4],
            [],
            [None, D3, 0.5],
        ],
    )
    got = told(raw, "facility")
    assert got == {
        "C2": ("0.1", "Acme Plating"),
        "C3": ("0.2", "Acme Plating"),
        "C5": ("0.3", "Dairy Co"),
        "C6": ("0.4", "Dairy Co"),
        "C8": ("0.5", ""),
    }
    assert "first row of a block" in raw.sheets.loc[0, "layout"]


def test_merged_cells_fill_down_within_the_merge_only(tmp_path):
    """ExcelDataReader issue 269, libhxl issue 90."""
    raw = sheet(
        tmp_path,
        [
            ["Sample ID", "Date", "Parameter", "Result", "Units"],
            ["S-1", D1, "Copper", 1, "mg/L"],
            [None, D1, "Zinc", 2, "mg/L"],
            [None, D1, "Lead", 3, "mg/L"],
            [None, D1, "Nickel", 4, "mg/L"],
        ],
        merged=("A2:A4",),
    )
    assert [v[1] for v in told(raw, "sample_id").values()] == ["S-1", "S-1", "S-1", ""]


def test_a_value_merged_over_rows_counts_once(tmp_path):
    raw = sheet(tmp_path, [["Date", "Copper (mg/L)"], [D1, 5], [D2, None]], merged=("B2:B3",))
    assert set(told(raw)) == {"B2"}


def test_data_on_the_second_sheet(tmp_path):
    raw = sheet(tmp_path, [["Cover page"], ["Prepared for the village"]], [["Date", "Copper (mg/L)"], [D1, 0.5]])
    assert raw.sheets["layout"].tolist() == ["none", "wide"]
    assert raw.sheets["values_seen"].tolist() == [2, 1]
    assert aside(raw) == {"A1:A2": ("no table", "Cover page")}


def test_leading_blank_rows_and_columns_do_not_shift_addresses(tmp_path):
    raw = sheet(tmp_path, [[], [], [None, None, "Date", "Copper (mg/L)"], [None, None, D1, 0.5]])
    assert set(told(raw)) == {"D4"}
    assert raw.sheets.loc[0, "header_row"] == "3"


def test_numbers_that_are_no_results(tmp_path):
    raw = sheet(
        tmp_path,
        [["Week", "Date", "Event Number", "Latitude", "Copper (mg/L)", "Comments"], [40, D1, 1, 42.25, 0.5, "rain"]],
    )
    assert set(told(raw)) == {"E2"}
    unused = raw.understood.query("taken_as == 'not used'").iloc[0]
    assert unused["heading"] == "Week; Event Number; Latitude; Comments"
    assert unused["column"] == "A, C, D, F"


def test_other_dates_are_not_the_sample_date(tmp_path):
    raw = sheet(tmp_path, [["Permit Renewal Date", "Ambient TN (mg/L)"], [D1, 0.28]])
    assert raw.sheets["layout"].tolist() == ["none"]


def test_place_stands_for_the_user_only_where_nothing_names_one(tmp_path):
    rows = [["Sample Location", "Date", "Copper (mg/L)"], ["MH-3", D1, 0.5]]
    assert told(sheet(tmp_path, rows), "facility", "outfall") == {"C2": ("0.5", "MH-3", "")}
    assert told(sheet(tmp_path, rows, facility="Acme"), "facility", "outfall") == {"C2": ("0.5", "Acme", "MH-3")}
    titled = [["Client:", "Acme"], [], *rows]
    assert told(sheet(tmp_path, titled), "facility", "outfall") == {"C4": ("0.5", "Acme", "MH-3")}


def test_a_log_is_continuous(tmp_path):
    rows = [["Date/Time", "Flow (gpm)"], *[[datetime(2026, 10, 1, h, m), 5] for h in range(3) for m in range(0, 60, 5)]]
    assert set(sheet(tmp_path, rows).values["sample_type"]) == {"continuous"}
    assert "sample_type" not in sheet(tmp_path, [["Date", "Flow (gpm)"], [D1, 5], [D2, 6]]).values
    users = [["Facility", "Date", "Zinc (mg/L)"], *[[f"User {i}", D1, 0.1] for i in range(40)]]
    assert "sample_type" not in sheet(tmp_path, users).values
    rounds = [["Facility", "Date", "pH"], *[[f"User {i}", datetime(2026, 10, 1, 8, i), 7] for i in range(40)]]
    assert "sample_type" not in sheet(tmp_path, rounds).values


def test_time_zone_in_the_heading(tmp_path):
    raw = sheet(tmp_path, [["Date Time, GMT-04:00", "Water Temp, °C (LGR S/N: 10246242)"], [D1, 16.1]])
    assert told(raw, "parameter", "unit", "time_zone") == {"B2": ("16.1", "Water Temp", "°C", "GMT-04:00")}


def test_sheet_with_nothing_but_a_header(tmp_path):
    raw = sheet(tmp_path, [["Date", "Parameter", "Result"]])
    assert raw.sheets["layout"].tolist() == ["none"]
    assert len(raw.values) == 0


def test_the_same_report_twice_on_a_sheet_keeps_its_own_dates(tmp_path):
    """A header that comes again under a new block of labels begins a new table; a bare one is only repeated."""

    def report(sample, day):
        return [
            ["Client:", "Acme", None, "Date Received:", D3],
            ["Sample ID:", sample, None, "Date Sampled:", day],
            [],
            ["Analyte", "Result", "Units", "RL", "Method"],
            ["Metals"],
            ["Copper", 0.45, "mg/L", 0.01, "EPA 200.7"],
        ]

    raw = sheet(tmp_path, [*report("A-1", D1), [], *report("A-2", D2)])
    assert told(raw, "sample_id", "start", "parameter") == {
        "B6": ("0.45", "A-1", "2026-10-01", "Copper"),
        "B13": ("0.45", "A-2", "2026-10-02", "Copper"),
    }
    together = sheet(tmp_path, [*report("A-1", D1), *report("A-2", D2)])
    assert told(together, "sample_id", "start") == {
        "B6": ("0.45", "A-1", "2026-10-01"),
        "B12": ("0.45", "A-2", "2026-10-02"),
    }


def test_rows_of_units_limits_and_methods_under_the_headings(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Date", "Copper", "Zinc"],
            ["Units", "mg/L", "ug/L"],
            ["MDL", 0.001, 0.5],
            ["Method", "200.7", "200.8"],
            ["Local limit", 1.5, 2],
            [D1, 0.2, "<0.5"],
            ["Max", 0.2, "<0.5"],
        ],
    )
    assert told(raw, "parameter", "unit", "detection_limit", "method") == {
        "B6": ("0.2", "Copper", "mg/L", "0.001", "200.7"),
        "C6": ("<0.5", "Zinc", "ug/L", "0.5", "200.8"),
    }
    assert aside(raw) == {
        "B5": ("limit row", "1.5"),
        "C5": ("limit row", "2"),
        "B7": ("summary row", "0.2"),
        "C7": ("summary row", "<0.5"),
    }


def test_dates_under_a_corner_that_names_the_headings(tmp_path):
    for corner in ("Parameter", None):
        raw = sheet(tmp_path, [[corner, "Copper", "Zinc"], ["Units", "mg/L", "mg/L"], [D1, 0.2, 0.3], [D2, 0.4, 0.5]])
        assert told(raw, "parameter", "unit")["C4"] == ("0.5", "Zinc", "mg/L")
        assert days(raw)["C4"] == "2026-10-02"


def test_results_in_a_column_without_a_heading_are_not_lost(tmp_path):
    raw = sheet(tmp_path, [[None, "Date", "Copper (mg/L)", None], [1, D1, 0.2, 0.9], [2, D2, 0.3, 0.8]])
    assert set(told(raw)) == {"C2", "C3"}
    assert aside(raw) == {"D2": ("no heading", "0.9"), "D3": ("no heading", "0.8")}  # column A numbers the rows


def test_headings_in_two_lines(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Sample", "Sample", "Reporting", None, None],
            ["Date", "Point", "Limit", "Analyte", "Result"],
            [D1, "MH-1", 0.01, "Copper", 0.5],
        ],
    )
    assert told(raw, "facility", "reporting_limit", "start") == {"E3": ("0.5", "MH-1", "0.01", "2026-10-01")}


def test_a_sign_in_its_own_column(tmp_path):
    raw = sheet(tmp_path, [["Date", "<", "Copper mg/L", "<", "Zinc mg/L"], [D1, "<", 0.2, None, 0.1]])
    assert told(raw, "qualifier") == {"C2": ("0.2", "<"), "E2": ("0.1", "")}


def test_names_alone_above_several_tables_are_their_users(tmp_path):
    rows = [["Acme Plating"], ["Date", "Zinc (mg/L)"], [D1, 1], [], ["Dairy Co"], ["Date", "Zinc (mg/L)"], [D1, 2]]
    raw = sheet(tmp_path, rows)
    assert told(raw, "facility") == {"B3": ("1.0", "Acme Plating"), "B7": ("2.0", "Dairy Co")}
    rows[0], rows[4] = ["Influent"], ["Effluent"]
    assert told(sheet(tmp_path, rows), "outfall") == {"B3": ("1.0", "Influent"), "B7": ("2.0", "Effluent")}
    one = sheet(
        tmp_path, [["Quarterly Report"], ["Date", "Zinc (mg/L)"], [D1, 1], ["Page 2"], ["Date", "Zinc (mg/L)"], [D2, 2]]
    )
    assert told(one, "facility") == {"B3": ("1.0", ""), "B6": ("2.0", "")}


def test_what_stands_beside_a_name_in_one_heading(tmp_path):
    heads = [
        "Date",
        "Outfall 001 Copper (mg/L)",
        "Zinc (composite) mg/L",
        "O&G Grab 1 (mg/L)",
        "O&G Grab 2 (mg/L)",
        "pH Min",
        "pH Max",
    ]
    raw = sheet(tmp_path, [[*heads, "Flow Avg (gpd)", "BOD INF"], [D1, 1, 2, 3, 4, 5, 6, 7, 8]])
    assert told(raw, "parameter", "outfall", "sample_type", "statistic", "unit") == {
        "B2": ("1.0", "Copper", "Outfall 001", "", "", "mg/L"),
        "C2": ("2.0", "Zinc", "", "composite", "", "mg/L"),
        "D2": ("3.0", "O&G", "", "Grab 1", "", "mg/L"),
        "E2": ("4.0", "O&G", "", "Grab 2", "", "mg/L"),
        "F2": ("5.0", "pH", "", "", "", ""),
        "G2": ("6.0", "pH", "", "", "", ""),
        "H2": ("7.0", "Flow", "", "", "Avg", "gpd"),
        "I2": ("8.0", "BOD", "INF", "", "", ""),
    }


def test_sheets_named_for_their_users(tmp_path):
    rows = [["Date", "Zinc (mg/L)"], [D1, 1]]
    path = tmp_path / "made.xlsx"
    book = openpyxl.load_workbook(workbook(path, rows, rows, [["a remark"]]))

    def renamed(*names):
        for one, name in zip(book.worksheets, names, strict=True):
            one.title = name
        book.save(path)
        return read(path)

    assert set(told(renamed("Acme Plating", "Dairy Co", "Notes"), "facility").values()) == {("1.0", "Dairy Co")}
    raw = read(path)
    assert sorted(raw.values["facility"].astype(str)) == ["Acme Plating", "Dairy Co"]
    assert "Acme Plating, the sheet's name, as a last resort" in raw.understood["note"].tolist()
    assert "outfall" in renamed("Influent", "Effluent", "Notes").values
    raw = renamed("October", "November", "Notes")
    assert "facility" not in raw.values
    assert raw.understood["note"].tolist().count("nothing names the user") == 2
    assert set(read(path, facility="Acme").values["facility"]) == {"Acme"}


def test_dates_in_a_second_line_over_parameters_down(tmp_path):
    raw = sheet(
        tmp_path,
        [
            ["Parameter", "Units", "MDL", "Outfall 1", None, "Outfall 2", None, None],
            [None, None, None, D1, D2, D1, D2, None],
            ["Copper", "mg/L", 0.001, 0.1, 0.2, 0.3, "<0.1", 9],
        ],
        merged=("D1:E1", "F1:G1"),
    )
    assert told(raw, "outfall", "start", "detection_limit") == {
        "D3": ("0.1", "Outfall 1", "2026-10-01", "0.001"),
        "E3": ("0.2", "Outfall 1", "2026-10-02", "0.001"),
        "F3": ("0.3", "Outfall 2", "2026-10-01", "0.001"),
        "G3": ("<0.1", "Outfall 2", "2026-10-02", "0.001"),
    }
    assert aside(raw) == {"H3": ("no heading", "9")}


def test_composites_with_a_start_and_an_end(tmp_path):
    heads = [
        "Composite Start Date",
        "Composite Start Time",
        "Composite End Date",
        "Composite End Time",
        "Copper (mg/L)",
    ]
    raw = sheet(tmp_path, [heads, ["10/1/2026", "08:00", "10/2/2026", "09:00", 0.1]])
    assert told(raw, "start", "start_time", "end", "end_time") == {
        "E2": ("0.1", "10/1/2026", "08:00", "10/2/2026", "09:00")
    }


def test_the_result_as_text_says_more_than_as_a_number(tmp_path):
    heads = ["Sample Date", "Parameter", "Numeric Result", "Text Result", "Units"]
    raw = sheet(tmp_path, [heads, [D1, "Copper", 0.01, "<0.01", "mg/L"]])
    assert told(raw) == {"D2": ("<0.01",)}


def test_the_name_of_the_day_is_no_result(tmp_path):
    raw = sheet(tmp_path, [["Date", "Day", "Copper (mg/L)", "Comments"], [D1, "Thu", 0.1, "5 gal spill"]])
    assert told(raw, "start") == {"C2": ("0.1", "2026-10-01")}
    assert aside(raw) == {}


def test_a_first_row_whose_date_cannot_be_read_is_data_and_no_heading(tmp_path):
    # Found by the fuzzer: in a text file its numbers became parts of the headings, and were in no account.
    path = tmp_path / "a.csv"
    path.write_text(
        "Date,Time,Copper,Q,Zinc,Q\n,,ug/L,,ug/L,\nvoid?,08:15,7,,1_000,\n,08:15,8,,2,\n10/03/2026,08:15,20,,3,\n10/04/2026,08:15,20,,3,\n"
    )
    raw = read(path)
    there = {*raw.values["source_cell"], *raw.set_aside["source_cell"]}
    assert {"C3", "E3", "C4", "E4", "C5", "E5"} <= there
    assert set(raw.values["parameter"]) == {"Copper", "Zinc"}
    assert "void?" in set(raw.values["start"].map(str))


def test_a_first_row_without_a_date_is_data_and_no_heading(tmp_path):
    """The fuzzer, seed 7005, input 385: its values were read as a third line of headings and stood in no account."""
    head = [["Date", "Time", "Copper", "Q", "Zinc"], [None, None, "ug/L", None, "ug/L"]]
    for first in ([None, "08:15", "=x()", "U", 0], [None, None, 0.5, None, "<2"], ["ug/L", "08:15", 0, "U", 7]):
        raw = sheet(tmp_path, [*head, first, [D1, "08:15", 10, None, 1], [D2, "08:15", 20, "U", 2]])
        assert {"C3", "E3", "C4", "E5"} <= {*told(raw), *aside(raw)}
        assert set(raw.values["parameter"].astype(str)) == {"Copper", "Zinc"}
    numbered = [*head, [None, None, 1, None, 2], [D1, "08:15", 10, None, 1]]  # the numbers of two channels
    assert set(told(sheet(tmp_path, numbered))) == {"C4", "E4"}


def test_labels_above_tables_side_by_side_belong_to_their_own(tmp_path):
    """Else the second user's results would be the first one's."""
    head = ["Date", "Copper (mg/L)", None, "Date", "Copper (mg/L)"]
    for first, second in (("Client: Acme", "Client: Bolt"), ("Acme", "Bolt")):
        rows = [[first, None, None, second], head, [D1, 0.1, None, D1, 0.2]]
        assert told(sheet(tmp_path, rows), "facility") == {"B3": ("0.1", "Acme"), "E3": ("0.2", "Bolt")}
    rows = [["Client:", "Acme", None, "Site:", "MH-3"], head, [D1, 0.1, None, D1, 0.2]]
    assert {user for _, user in told(sheet(tmp_path, rows), "facility").values()} == {"Acme"}


def test_a_sample_named_on_the_first_row_of_a_block(tmp_path):
    rows = [
        ["Industry", "Sample ID", "Date", "Parameter", "Result", "Unit"],
        ["Acme", "S-1", D1, "Copper", 0.1, "mg/L"],
        [None, None, None, "Zinc", 0.2, "mg/L"],
        [None, "S-2", D2, "Copper", 0.3, "mg/L"],
        [None, None, None, "Zinc", 0.4, "mg/L"],
        ["Bolt", "S-3", None, "Zinc", 0.5, "mg/L"],
        [],
        [None, None, None, "Zinc", 0.6, "mg/L"],
    ]
    raw = sheet(tmp_path, rows)
    got = told(raw, "facility", "sample_id", "start")
    assert [(v[1], v[2], v[3][:10]) for v in got.values()] == [
        ("Acme", "S-1", "2026-10-01"),
        ("Acme", "S-1", "2026-10-01"),
        ("Acme", "S-2", "2026-10-02"),
        ("Acme", "S-2", "2026-10-02"),
        ("Bolt", "S-3", ""),
        ("", "", ""),
    ]
    assert "rows that name neither user nor sample nor date go on with the sample above them" in set(
        raw.understood["note"]
    )


def test_a_substance_by_its_number_alone(tmp_path):
    raw = sheet(tmp_path, [["Client", "Date", "CAS No", "Result", "Unit"], ["Acme", D1, 7440508.0, 0.1, "mg/L"]])
    assert raw.sheets["layout"].tolist() == ["long"]
    assert tidy.tidy(raw.values).results["parameter"].astype(str).tolist() == ["Copper"]
