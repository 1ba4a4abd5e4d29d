"""The tables as files: the same bytes, ISO times, nothing that a spreadsheet takes for a formula, nothing lost."""

import csv
import math
import re

import hypothesis.extra.numpy as hnp
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pretreat import columns
from pretreat.errors import UsageError
from pretreat.report.tables import _guarded, guard, tidy_table, write_tables

ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+|inf)([eE][+-]?\d+)?")

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12) | st.sampled_from(
    [
        "=1+1",
        "-5",
        "+x",
        "@sum",
        "\tx",
        "\r",
        "-",
        '"',
        "a,b",
        "a\nb",
        "'=x",
        "-inf",
        "1e5",
        "µg/L § 194-6C",
        "nan",
        "NA",
    ]
)


def a_table(table: str, rows: int) -> pd.DataFrame:
    """A frame of the table with each column of its own type and distinct values."""
    data = {}
    for name in columns.TABLES[table]:
        numbers = np.arange(rows)
        if name in columns.TIMES:
            data[name] = np.datetime64("2026-10-01T08:00", "s") + numbers
        elif name in columns.NUMBERS:
            data[name] = numbers / 8
        elif name in columns.COUNTS:
            data[name] = numbers
        else:
            data[name] = pd.Categorical([f"{name} {i}" for i in numbers])
    return pd.DataFrame(data)


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_one(frame, table, folder, **how):
    folder.mkdir(exist_ok=True)
    [path] = write_tables({table: frame}, folder, names=[table], **how)
    return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.mark.parametrize("table", columns.TABLES)
def test_every_table_has_its_columns_in_order_with_and_without_rows(table, tmp_path):
    for rows in (0, 3):
        path = write_one(a_table(table, rows), table, tmp_path)
        header = path.read_text(encoding="utf-8").splitlines()[0]
        assert header == ",".join(columns.TABLES[table])
        assert len(read(path)) == rows
        back = pd.read_parquet(write_one(a_table(table, rows), table, tmp_path, parquet=True))
        assert tuple(back.columns) == columns.TABLES[table]
        assert len(back) == rows


def test_all_tables_are_written_even_if_empty(tmp_path):
    paths = write_tables({}, tmp_path)
    assert sorted(path.stem for path in paths) == sorted(columns.TABLES)


def test_a_subset_is_written_alone_and_an_unknown_name_is_refused(tmp_path):
    write_tables({}, tmp_path, names=["exceedances", "counts"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["counts.csv", "exceedances.csv"]
    with pytest.raises(UsageError, match="no table 'exceedence'"):
        write_tables({}, tmp_path, names=["exceedence"])


def test_times_are_iso_and_what_is_missing_is_empty(tmp_path):
    frame = pd.DataFrame(
        {
            "facility": ["Acme", None],
            "start": pd.to_datetime(["2026-10-02", None]),
            "end": pd.to_datetime(["2026-10-02T23:59:59", "2026-10-03T00:00:00"]),
            "value": [np.inf, np.nan],
            "reporting_limit": [0.005, 1e-7],
        }
    )
    second, first = read(write_one(frame, "results", tmp_path))
    assert (first["start"], first["end"]) == ("2026-10-02T00:00:00", "2026-10-02T23:59:59") or (
        second["start"],
        second["end"],
    ) == ("2026-10-02T00:00:00", "2026-10-02T23:59:59")
    by_name = {row["facility"]: row for row in (first, second)}
    assert by_name["Acme"]["value"] == "inf"
    assert (by_name[""]["start"], by_name[""]["value"], by_name[""]["unit"]) == ("", "", "")
    assert float(by_name[""]["reporting_limit"]) == 1e-7


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1 555 0100", "'+1 555 0100"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("- see note", "'- see note"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("-0.5", "-0.5"),
        ("+.5", "+.5"),
        ("-1e-5", "-1e-5"),
        ("-inf", "-inf"),
        ("-", "'-"),
        ("'=1", "'=1"),
        ("", ""),
    ],
)
def test_text_is_no_formula_in_csv_and_untouched_in_parquet(text, written, tmp_path):
    assert guard(text) == written
    frame = pd.DataFrame({"code": ["x"], "message": [text]})
    assert read(write_one(frame, "findings", tmp_path))[0]["message"] == written
    assert pd.read_parquet(write_one(frame, "findings", tmp_path, parquet=True))["message"][0] == text


@settings(max_examples=300, deadline=None)
@given(texts)
def test_one_text_is_guarded_as_a_whole_column_is(text):
    assert guard(text) == str(_guarded(pa.array([text], pa.string()))[0])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=20), st.booleans())
def test_any_text_comes_back_as_it_was(place, pairs, categorical):
    frame = pd.DataFrame({"code": [f"{i:03}" for i in range(len(pairs))], "facility": [p[0] for p in pairs]})
    frame["message"] = [p[1] for p in pairs]
    if categorical:
        frame = frame.astype({"facility": "category", "message": "category"})
    rows = read(write_one(frame, "findings", place))
    for row, pair in zip(rows, pairs, strict=True):
        for got, text in zip((row["facility"], row["message"]), pair, strict=True):
            assert got in (text, "'" + text)
            assert got[:1] not in tuple("=+-@\t\r") or NUMBER.fullmatch(got)
    back = pd.read_parquet(write_one(frame, "findings", place, parquet=True))
    assert back["message"].tolist() == [p[1] for p in pairs]


@settings(max_examples=30, deadline=None)
@given(hnp.arrays(np.float64, st.integers(1, 30), elements=st.floats(allow_nan=True, width=64)))
def test_every_number_comes_back_exactly(place, numbers):
    # Only for numbers a cell can hold; -0.0 equals 0.
    frame = pd.DataFrame({"code": "", "value": numbers, "source_cell": [f"A{i:03}" for i in range(len(numbers))]})
    for how in (False, True):
        path = write_one(frame, "results", place, parquet=how)
        got = pd.read_parquet(path)["value"].tolist() if how else [float(r["value"] or "nan") for r in read(path)]
        for number, back in zip(numbers, got, strict=True):
            assert number == back or (math.isnan(number) and math.isnan(back))


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(6)), st.booleans())
def test_the_order_of_the_input_rows_does_not_show(place, order, categorical):
    frame = pd.DataFrame(
        {
            "facility": ["B", "A", "A", "a", "", "B"],
            "parameter": ["Zinc", "Zinc", "Lead", "Lead", "pH", "Lead"],
            "start": pd.to_datetime(["2026-01-02", None, "2026-01-01", "2026-01-01", "2026-01-01", "2026-01-01"]),
            "value": range(6),
        }
    )
    if categorical:  # categories in an order of their own
        frame["facility"] = pd.Categorical(frame["facility"], ["a", "B", "A", ""])
    rows = read(write_one(frame.iloc[list(order)], "results", place))
    assert [row["value"] for row in rows] == ["4", "2", "1", "5", "0", "3"]


def test_rows_in_order_are_not_moved():
    frame = a_table("results", 9)
    assert tidy_table(frame, "results").equals(columns.complete(frame, "results"))


def test_the_same_frames_give_the_same_bytes(tmp_path):
    for table in columns.TABLES:
        for how in (False, True):
            paths = [write_one(a_table(table, 50), table, tmp_path / part, parquet=how) for part in "ab"]
            assert paths[0].read_bytes() == paths[1].read_bytes()


def test_more_rows_than_one_part_holds(tmp_path, monkeypatch):
    frame = a_table("results", 25)
    whole = write_one(frame, "results", tmp_path / "a").read_bytes()
    monkeypatch.setattr("pretreat.report.tables._CHUNK", 7)
    assert write_one(frame, "results", tmp_path / "b").read_bytes() == whole


def test_every_time_in_a_written_table_is_iso(tmp_path):
    for table in columns.TABLES:
        for row in read(write_one(a_table(table, 3), table, tmp_path)):
            assert all(ISO.fullmatch(row[name]) for name in set(row) & columns.TIMES)
