"""What the interface says of the command line, of periods and of the tables, sentence by sentence."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import pretreat
from pretreat import parameters
from pretreat.cli import main

HEAD = "Facility,Date,Time,Parameter,Result,Units\n"
ROWS = (
    "Acme,2026-09-07,08:00,Copper,2.4,mg/L\n"
    "Acme,2026-10-07,08:00,Copper,1.75,mg/L\n"
    "Acme,2026-10-08,08:00,pH,4.0,SU\n"
    "Acme,2026-10-09,08:00,Oil and grease,<200,mg/L\n"
)
"""pH 4.0 lies under both § 194-6C(7) and 403.5(b)(2), of which the first binds."""
PACK = """
[document]
title = "Town of Sample Creek"
adopted_by = "Town of Sample Creek"
cite = "§ 40-7"
text_state = "complete"
[settings]
unstated = "instantaneous"
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments], catch_exceptions=False)


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def results(rows: list[tuple[str, str, float, str]], facility: str = "Acme") -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["parameter", "start", "value", "unit"]).assign(facility=facility)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "acme.csv"
    path.write_text(HEAD + ROWS)
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "report"


class TestCommandLine:
    def check(self, sheet: Path, *more: str | Path) -> Result:
        return run("check", sheet, "--limits", "ny/little-valley", "--as-of", "2026-11-30", *more)

    @pytest.mark.parametrize("tables", ["counts", "exceedances"])
    @pytest.mark.parametrize(("period", "over"), [("2026-10", 3), ("2026-09", 2), ("2026-11", 0)])
    def test_the_same_numbers_whatever_tables_are_asked_for(
        self, sheet: Path, out: Path, tables: str, period: str, over: int
    ) -> None:
        done = self.check(sheet, "--period", period, "--out", out, "--tables", tables)
        assert f"1 user, {over} exceedance{'s' if over != 1 else ''}" in done.stdout
        assert ("No result was held against a limit" in done.stdout) == (over == 0)
        unlisted = bool(over) and tables != "exceedances"
        assert ("add exceedances" in done.stdout) == unlisted

    @pytest.mark.parametrize(("period", "outside"), [("2026-09", 3), ("2026-11", 5)])
    def test_exceedances_outside_the_period_are_counted_in_one_line(
        self, sheet: Path, out: Path, period: str, outside: int
    ) -> None:
        done = self.check(sheet, "--period", period, "--out", out)
        assert [line for line in done.stdout.splitlines() if "outside this period" in line] == [
            f"{outside} exceedances outside this period, not in these lists."
        ]
        assert f"{outside} exceedances" in (out / "report.html").read_text(encoding="utf-8")

    @pytest.mark.parametrize(("period", "status"), [("2026-10", 1), ("2026-11", 0)])
    @pytest.mark.parametrize("tables", ["counts", "exceedances"])
    def test_exit_code_does_not_depend_on_the_tables(
        self, sheet: Path, out: Path, period: str, status: int, tables: str
    ) -> None:
        done = self.check(sheet, "--period", period, "--out", out, "--tables", tables, "--exit-code")
        assert done.exit_code == status

    @pytest.mark.parametrize(
        "options",
        [
            ("--as-of", "soon"), ("--as-of", "10/07/2026"), ("--as-of", "2026-02-30"), ("--period", "2026-13"),
            ("--period", ""), ("--nondetects", "third"), ("--set", "thirty_day=x"), ("--set", "colour=red"),
            ("--set", "thirty_day"), ("--tables", "nonsense"), ("--facilities", "no.xlsx"), ("--events", "no.csv"),
            ("--streams", "no.csv"), ("--template", "no.toml"), ("--dates", "xyz"), ("--frobnicate",),
        ],
    )  # fmt: skip
    def test_what_cannot_be_run_ends_with_2_and_writes_nothing(
        self, sheet: Path, out: Path, options: tuple[str, ...]
    ) -> None:
        done = run("check", sheet, "--limits", "ny/little-valley", "--out", out, *options)
        assert done.exit_code == 2
        assert done.stdout == ""
        assert not out.exists()

    def test_a_day_of_limits_show_is_a_day(self) -> None:
        done = run("limits", "show", "federal/403", "--facility", "Acme", "--as-of", "10/07/2026")
        assert (done.exit_code, done.stdout) == (2, "")

    @pytest.mark.parametrize("text", [HEAD, "Facility,Parameter,Result,Units\nA,pH,4,SU\n", "hello world\n"])
    def test_a_file_without_one_result_is_answered(self, tmp_path: Path, out: Path, text: str) -> None:
        path = tmp_path / "odd.csv"
        path.write_text(text)
        done = self.check(path, "--out", out, "--tables", "set_aside,comparisons")
        assert done.exit_code == 0
        assert len(table(out, "set_aside")) == 1
        assert table(out, "comparisons") == []

    @pytest.mark.parametrize(("option", "name"), [((), ""), (("--facility", "Glen Park Wash"), "Glen Park Wash")])
    def test_a_sheet_that_names_no_user_is_judged(
        self, tmp_path: Path, out: Path, option: tuple[str, ...], name: str
    ) -> None:
        path = tmp_path / "nobody.csv"
        path.write_text("Date,Parameter,Result,Units\n2026-10-07,pH,4.0,SU\n")
        self.check(path, "--out", out, "--tables", "exceedances", *option)
        assert [row["facility"] for row in table(out, "exceedances")] == [name]

    def test_a_folder_is_read_with_its_subfolders_without_what_are_no_samples(self, tmp_path: Path) -> None:
        deep = tmp_path / "lab" / "october"
        deep.mkdir(parents=True)
        for name in ("a.csv", "~$a.csv", ".a.csv", "facilities.csv", "Events.csv", "streams.csv", "plan.csv"):
            (deep / name).write_text(HEAD + ROWS)
        found = pretreat.read_samples(tmp_path / "lab")
        assert [Path(name).name for name in found.sheets["source_file"]] == ["a.csv"]


COPPER = [("Copper", "2026-09-28", 4.0, "mg/L"), ("Copper", "2026-10-05", 4.0, "mg/L"), ("Copper", "2026-10-25", 0.2, "mg/L")]  # fmt: skip


class TestPeriods:
    @pytest.mark.parametrize(
        ("period", "months"),
        [
            ("2026-10", ["2026-10"]), ("2026-09", ["2026-09"]), ("2026-Q3", ["2026-09"]), ("2026-Q4", ["2026-10"]),
            ("2026-H2", ["2026-09", "2026-10"]), ("2026", ["2026-09", "2026-10"]), ("2025", []),
            ("2026-10-05:2026-10-05", ["2026-10"]), ("2026-10-06:2026-10-24", []), ("2026-10-20:2026-11-15", ["2026-10"]),
        ],
    )  # fmt: skip
    def test_a_month_belongs_by_its_last_instant_or_by_any_daily_value_of_days_given(
        self, period: str, months: list[str]
    ) -> None:
        found = pretreat.check(results(COPPER), "ny/little-valley", period=period, tables=["comparisons"]).comparisons
        month = found[found["statistic"] == "30-day average"]["period_start"].dt.strftime("%Y-%m")
        assert month.tolist() == months

    @pytest.mark.parametrize(("period", "days"), [(None, [15, 15]), ("2026-10", [15]), ("2026-11", [])])
    def test_slugs_are_those_of_the_period(self, period: str | None, days: list[int]) -> None:
        when = pd.date_range("2026-09-01", "2026-10-31 23:45", freq="15min")
        flow = np.where((when.day == 15) & (when.hour == 10), 0.2, 0.01)
        logged = pd.DataFrame({"facility": "Acme", "parameter": "Flow", "value": flow, "unit": "MGD", "start": when})
        review = pretreat.check(logged, "ny/little-valley", period=period, tables=["slugs", "exceedances"])
        assert review.slugs["start"].dt.day.tolist() == days
        assert len(review.exceedances) == len(days)

    @pytest.mark.parametrize(("dates", "found"), [(["03/04/2026", "05/04/2026"], 1), (["04/03/2026", "04/05/2026"], 0)])
    def test_only_the_other_order_of_dates_falls_into_the_period(
        self, tmp_path: Path, dates: list[str], found: int
    ) -> None:
        path = tmp_path / "dates.csv"
        path.write_text(HEAD.replace(",Time", "") + "".join(f"Acme,{day},Copper,9,mg/L\n" for day in dates))
        samples = pretreat.read_samples(path)
        assert samples.sheets["date_order"].astype(str).str.startswith("mdy").all()
        findings = pretreat.check(samples, "ny/little-valley", period="2026-04").findings
        assert (findings["code"] == "date order").sum() == found


class TestComparisons:
    TABLES = ("comparisons", "exceedances")

    def packs(self, tmp_path: Path) -> tuple[str, str]:
        rows = '[[table]]\ncite = "A"\nunit = "mg/L"\ncolumns = ["parameter", "Daily Maximum"]\nrows = [["Copper", 3.0], ["Zinc", {}]]\n'
        for name, zinc in (("one", "5.0"), ("two", "2.0")):
            (tmp_path / f"{name}.toml").write_text(PACK + rows.replace("{}", zinc), encoding="utf-8")
        return str(tmp_path / "one.toml"), str(tmp_path / "two.toml")

    @pytest.mark.parametrize("first", [0, 1])
    def test_the_most_stringent_binds_and_of_a_tie_the_first_pack_given(self, tmp_path: Path, first: int) -> None:
        packs = self.packs(tmp_path)
        order = [packs[first], packs[1 - first]]
        given = results([("Copper", "2026-10-07", 4.5, "mg/L"), ("Zinc", "2026-10-07", 5.5, "mg/L")])
        review = pretreat.check(given, order, period="2026-10", federal=False, tables=self.TABLES)
        assert len(review.comparisons) == 4
        bound = review.exceedances.astype({"parameter": str, "pack": str}).set_index("parameter")["pack"].to_dict()
        assert bound == {"Copper": ("one", "two")[first], "Zinc": "two"}

    def test_a_limit_that_cannot_be_judged_hides_no_exceedance(self, tmp_path: Path) -> None:
        users = pd.DataFrame({"facility": ["Acme"], "category": ["433 PSES"]})
        given = results([("Zinc", "2026-10-07", 5.5, "mg/L")])
        packs = [self.packs(tmp_path)[0], "federal/433"]
        review = pretreat.check(given, packs, facilities=users, period="2026-10", federal=False, tables=self.TABLES)
        same = review.comparisons[review.comparisons["statistic"] == "daily maximum"].astype(str).set_index("pack")
        assert same["verdict"].to_dict() == {"federal/433": "not evaluated", "one": "exceeds"}
        assert same["binding"].to_dict() == {"federal/433": "unknown", "one": "yes"}
        assert review.exceedances["pack"].astype(str).tolist() == ["one"]

    @pytest.mark.parametrize(
        ("parameter", "unit", "rule", "value", "ratio", "percent"),
        [
            ("Copper", "mg/L", "above = 1.6", 1.75, 1.09375, 9), ("Copper", "mg/L", "above = 0.8", 0.804, 1.005, 1),
            ("Copper", "mg/L", "above = 1.6", 0.4, 0.25, None), ("Flashpoint", "degF", "below = 140", 100, 1.4, None),
            ("Solids size", "in", "above = 0.5", 0.75, 1.5, 50), ("pH", "SU", "below = 5.5", 4, None, None),
            ("Temperature", "degF", "above = 150", 160, None, None),
            ("Solidification temperature", "degF", "above = 100", 120, None, None),
        ],
    )  # fmt: skip
    def test_ratio_and_percent_over(
        self,
        tmp_path: Path,
        parameter: str,
        unit: str,
        rule: str,
        value: float,
        ratio: float | None,
        percent: int | None,
    ) -> None:
        row = f'[[limit]]\ncite = "A"\nparameter = "{parameter}"\nunit = "{unit}"\n{rule}\n'
        (tmp_path / "one.toml").write_text(PACK + row, encoding="utf-8")
        given = results([(parameter, "2026-10-07 08:00", value, unit)])
        review = pretreat.check(given, str(tmp_path / "one.toml"), federal=False, tables=self.TABLES)
        [found] = review.comparisons.to_dict("records")
        assert found["ratio"] == (pytest.approx(ratio) if ratio else pytest.approx(np.nan, nan_ok=True))
        assert found["percent_over"] == (percent if percent else pytest.approx(np.nan, nan_ok=True))

    def test_ids_are_unique_and_the_same_whatever_else_is_checked(self) -> None:
        rows = [("Copper", "2026-10-07", 4.0, "mg/L"), ("pH", "2026-10-07 08:00", 4.0, "SU"), ("pH", "2026-10-07 08:00", 4.2, "SU")]  # fmt: skip
        alone = pretreat.check(results(rows), "ny/little-valley", period="2026-10").comparisons
        both = pd.concat([results(rows, "Zeta"), results(rows)])
        more = pretreat.check(both, ["ny/williamsville", "ny/little-valley"], all_rows=True).comparisons
        assert alone["comparison_id"].is_unique
        assert more["comparison_id"].is_unique
        assert set(alone["comparison_id"]) <= set(more["comparison_id"])


class TestTables:
    def test_what_could_be_a_formula_gets_an_apostrophe_and_numbers_do_not(self, tmp_path: Path, out: Path) -> None:
        path = tmp_path / "evil.csv"
        path.write_text(HEAD + "=HYPERLINK(1),2026-10-07,08:00,pH,4.0,SU\n@Acme,2026-10-07,08:00,ORP,-12,mV\n")
        run("check", path, "--limits", "ny/little-valley", "--out", out, "--tables", "results")
        assert {row["facility"] for row in table(out, "results")} == {"'=HYPERLINK(1)", "'@Acme"}
        assert "-12" in {row["value_text"] for row in table(out, "results")}

    def test_with_parquet_the_tables_are_parquet_and_text_is_as_it_was(self, tmp_path: Path, out: Path) -> None:
        path = tmp_path / "acme.parquet"
        results([("pH", "2026-10-07 08:00", 4.0, "SU")], "=Acme").to_parquet(path)
        run("check", path, "--limits", "ny/little-valley", "--out", out, "--tables", "exceedances")
        found = pd.read_parquet(out / "tables" / "exceedances.parquet")
        assert found["facility"].tolist() == ["=Acme"]
        assert found["sources"].str.endswith("acme.parquet!1").all()

    def test_a_record_that_ends_in_two_returns_counts_once(self, tmp_path: Path) -> None:
        path = tmp_path / "dmr.csv"
        path.write_bytes((HEAD + ROWS).replace("\n", "\r\r\n").encode())
        assert pretreat.read_samples(path).results["source_cell"].tolist() == ["E2", "E3", "E4", "E5"]

    @pytest.mark.parametrize("text", ["0,005", "00,123", "0,500.5"])
    def test_a_comma_after_a_nought_separates_no_thousands(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "comma.csv"
        path.write_text(HEAD + f'Acme,2026-10-07,08:00,Copper,"{text}",mg/L\n')
        samples = pretreat.read_samples(path)
        assert samples.set_aside["reason"].tolist() == ["ambiguous number"]


PARAMETERS = (
    "Arsenic|Barium|Boron|Cadmium|Chromium|Chromium (VI)|Copper|Gold|Lead|Manganese|Mercury|Molybdenum|Nickel|Selenium|"
    "Silver|Zinc|Cyanide|Cyanide (free)|Cyanide (amenable)|Cyanide (complex)|Chlorine (available)|Sulfide|Fluoride|Phenol|"
    "Oil and grease|BOD5|COD|TSS|Ammonia as N|Phosphorus|pH|Temperature|Flashpoint|LEL|Flow|Solids size|"
    "Solidification temperature|TTO"
).split("|")


@pytest.mark.parametrize("name", PARAMETERS)
def test_each_parameter_of_the_interface_has_a_unit(name: str) -> None:
    assert parameters.get(name).name == name
    assert parameters.get(name).unit


@pytest.mark.parametrize(
    "name",
    "ny/little-valley ny/williamsville ny/williamsville-stormwater ny/saratoga-county-village ny/urbana federal/403 "
    "federal/413 federal/433 federal/437 federal/442".split(),
)
def test_each_pack_of_the_interface_is_bundled(name: str) -> None:
    assert [pack.name for pack in pretreat.load_limits(name).packs] == [name]
