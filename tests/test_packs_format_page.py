"""The page beside the file: printed headings, marks and numbers, what `show` repeats, and what an export keeps."""

import datetime as dt

import openpyxl
import pandas as pd
import pytest
from packs_made import HEAD, codes, faults, pack, write

import pretreat
from pretreat import packs
from pretreat.errors import UsageError
from pretreat.settings import validate

TABLE = (
    '[[table]]\nname = "local"\ncite = "A"\nunit = "mg/L"\nprinted = "no user shall exceed"\n'
    'columns = ["Pollutant", "Limit", "Limit Duration"]\n'
    'rows = [["Zinc", 2.6, "Daily Maximum"], ["TSS", 3783, "Monthly Average"], ["pH", "6.0 to 9.0 SU", "Instantaneous"]]\n'
)


def test_printed_headings_are_columns(tmp_path):
    made = pack(tmp_path, TABLE)
    assert [(row.parameter, row.statistic, [b.low for b in row.bounds]) for row in made.rows] == [
        ("Zinc", "daily maximum", [2.6]),
        ("TSS", "monthly average", [3783]),
        ("pH", "instantaneous", [6, 9]),
    ]


def test_two_columns_of_one_meaning_are_refused(tmp_path):
    text = '[[table]]\nunit = "mg/L"\ncolumns = ["parameter", "above", "Limit"]\nrows = [["Zinc", 2.6, 3]]\n'
    assert "bad-value" in codes(tmp_path, text)


def test_a_file_may_explain_a_heading_itself(tmp_path):
    text = '[headings]\nLimit = { statistic = "daily maximum", bound = "below" }\n'
    text += '[[table]]\nunit = "SU"\ncolumns = ["parameter", "Limit"]\nrows = [["pH", 6.0]]\n'
    (limit,) = pack(tmp_path, text).rows
    assert (limit.statistic, limit.bounds[0].side) == ("daily maximum", "lower")


def test_a_mark_alone_is_told_what_to_write(tmp_path):
    text = '[notes]\n"*" = "Set in each permit."\n' + TABLE.replace("2.6", '"*"')
    (fault,) = [fault for fault in faults(tmp_path, text) if fault.code == "not-a-number"]
    assert "not supplied*" in fault.message


def proved(folder, text, page):
    (folder / "page.txt").write_text(page, encoding="utf-8")
    head = HEAD.replace("[settings]", 'text = "page.txt"\n[settings]')
    return [fault.code for fault in packs.lint([write(folder, text, head=head)])]


PAGE = "no user shall exceed\nZinc 2.6 Daily Maximum\nTSS 3,783 Monthly Average\npH 6.0 to 9.0\nfor a grab times 1.5\n"


def test_commas_between_thousands_are_no_difference(tmp_path):
    assert proved(tmp_path, TABLE, PAGE) == []
    assert "number" in proved(tmp_path, TABLE.replace("3783", "3784"), PAGE)
    assert "number" in proved(tmp_path, TABLE.replace("3783", "783"), PAGE)


def test_a_number_that_is_worked_out_stands_on_no_page(tmp_path):
    grab = '[[limit]]\nid = "B"\ncite = "B"\nof = "local: Daily Maximum"\ntimes = 1.5\nsample = "grab"\n'
    grab += 'instead_of = "of"\nprinted = "for a grab times 1.5"\n'
    assert proved(tmp_path, TABLE + grab, PAGE) == []
    made = [limit for limit in pack(tmp_path, TABLE + grab).rows if limit.derived_from]
    assert [(limit.parameter, limit.bounds[0].low) for limit in made] == [("Zinc", pytest.approx(3.9))]


def test_an_export_keeps_the_words_of_a_table(tmp_path):
    path = write(tmp_path, TABLE)
    packs.export(str(path), tmp_path / "made.xlsx")
    book = packs.load(tmp_path / "made.xlsx").packs[0]
    assert "no user shall exceed" in [words for _, words in book.quoted]


def test_one_wrong_word_is_one_fault(tmp_path):
    rows = "".join(
        f'[[limit]]\nid = "{season}"\nparameter = "Zinc"\nabove = {n}\nunit = "mg/L"\nseason = "{season}"\n'
        for n, season in enumerate(("Mai to June", "July to October", "November to April"), start=1)
    )
    assert codes(tmp_path, rows) == ["unknown-season"]


@pytest.mark.parametrize(("name", "form"), [("max_gap", "5 min"), ("sampling_day", "07:00"), ("baseline_days", "14")])
def test_a_setting_says_how_it_is_written(name, form):
    with pytest.raises(UsageError) as error:
        validate({name: "?"})
    assert form in error.value.todo
    assert validate({name: form}) == {name: form}


def test_show_repeats_what_the_file_says(tmp_path):
    text = (
        '[notes."(1)"]\nprinted = "Twice for old permits."\nabove = 2\nwhen = { old = "yes" }\n'
        '[facts]\nold = "Is it old?"\n'
        '[groups.TTO]\nmembers = ["Benzene", "Toluene"]\nsum = "quantified values above 0.01 mg/L"\n'
        '[[limit]]\nparameter = "LEL"\nabove = 5\nunit = "%"\nreadings = "2 successive"\nprinted = "two in a row"\n'
        '[[limit]]\nparameter = "pH"\nbelow = 5.5\nfor = "15 minutes or more"\nnote = "as agreed"\n'
        '[[limit]]\nparameter = "TTO"\nabove = 2.13\nunit = "mg/L"\nstatistic = "daily maximum"\n'
        '[[limit]]\nparameter = "Zinc"\nabove = "1(1)"\nunit = "mg/L"\n'
    )
    shown = " ".join(packs.show(str(write(tmp_path, text + TABLE))).split())
    for words in ("2 successive readings", "15 min or more", "quantified values above 0.01 mg/L", "two in a row"):
        assert words in shown
    for words in ("as agreed", "Twice for old permits.", "no user shall exceed", "Zinc (1)"):
        assert words in shown


def test_show_prints_days_as_days(tmp_path):
    path = tmp_path / "my.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "document"
    for row in (["key", "value"], ["title", "Made"], ["cite", "§ 1"], ["from", dt.datetime(2022, 7, 1)]):
        sheet.append(row)
    limits = book.create_sheet("limits")
    for row in (["parameter", "Daily Maximum", "unit"], ["Zinc", 2.5, "mg/L"]):
        limits.append(row)
    book.save(path)
    assert "from: 2022-07-01\n" in packs.show(str(path))


def test_show_prints_a_pack_with_faults_and_names_them(tmp_path):
    shown = packs.show(str(write(tmp_path, TABLE.replace("2.6", '"<2.6"'))))
    assert "3783" in shown
    assert "Faults (1)" in shown
    assert "symbol" in shown


def test_a_permit_stands_in_place_of_the_ordinances_row(tmp_path):
    write(tmp_path, TABLE, name="town.toml")
    permit = '[[limit]]\nid = "P1"\nparameter = "Zinc"\nabove = 1.8\nunit = "mg/L"\nstatistic = "daily maximum"\n'
    permit += 'instead_of = "town: § 1A Zinc"\n'
    write(tmp_path, permit, name="permit.toml")
    frame = pd.DataFrame({"facility": ["Acme", "Beta"], "parameter": "Zinc", "value": 2.0, "unit": "mg/L"})
    frame["start"] = pd.Timestamp("2026-10-05")
    both = f"{tmp_path / 'town.toml'}; {tmp_path / 'permit.toml'}"
    users = pd.DataFrame({"facility": ["Acme", "Beta"], "packs": [both, ""]})
    town = str(tmp_path / "town.toml")
    found = pretreat.check(frame, town, facilities=users, federal=False, as_of="2026-12-01").comparisons
    assert sorted(zip(found.facility, found.limit_id, found.verdict, strict=True)) == [
        ("Acme", "P1", "exceeds"),
        ("Beta", "§ 1A Zinc", "complies"),
    ]


def test_a_count_names_every_reading_that_it_counts(tmp_path):
    """Issue 3, "two readings": the earlier of the two lies on the day before."""
    text = '[[limit]]\nid = "pair"\nparameter = "LEL"\nabove = 10\nunit = "%"\nreadings = 2\n'
    frame = pd.DataFrame({"start": pd.to_datetime(["2026-10-04 20:00", "2026-10-05 08:00", "2026-10-20 08:00"])})
    frame = frame.assign(facility="Acme", parameter="LEL", unit="%", value=[12.0, 11.0, 15.0])
    path = str(write(tmp_path, text))
    found = pretreat.check(frame, path, federal=False, as_of="2026-12-01").comparisons.set_index("period_start")
    over, unsure = found.loc["2026-10-05"], found.loc["2026-10-20"]
    assert (over.verdict, over.sources.count("; ") + 1) == ("exceeds", 2)
    assert "2026-10-04 20:00" in over.reason
    assert (unsure.verdict, unsure.sources.count("; ") + 1) == ("undetermined", 3)
    assert "2026-10-05 08:00" in unsure.reason
