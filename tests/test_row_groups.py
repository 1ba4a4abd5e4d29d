"""Parquet read row group by row group gives what pandas reads, whatever the types, the gaps and the groups."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pretreat
from pretreat import row_groups
from pretreat.errors import FileError
from pretreat.reading import parquet
from pretreat.tidy import from_frame

TEXTS = st.lists(st.none() | st.sampled_from(["Acme", "Bolt", "", "Größe", "a" * 70]), min_size=1, max_size=40)
TYPES = [
    pa.string(),
    pa.large_string(),
    *(pa.dictionary(kind, pa.string()) for kind in (pa.int8(), pa.uint8(), pa.int32())),
]


def written(folder: Path, table: pa.Table, rows: int, **options: object) -> Path:
    path = folder / "table.parquet"
    pq.write_table(table, path, row_group_size=rows, **options)
    return path


@given(TEXTS, st.sampled_from(TYPES), st.integers(1, 50), st.booleans(), st.booleans())
def test_text_is_that_of_the_file(tmp_path_factory, texts, kind, rows, statistics, dictionary):
    plain = pa.array(texts, type=pa.string())
    column = plain.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else plain.cast(kind)
    folder = tmp_path_factory.mktemp("text")
    path = written(folder, pa.table({"facility": column}), rows, write_statistics=statistics, use_dictionary=dictionary)
    read = parquet.read(path, "table.parquet")["facility"]
    assert isinstance(read.dtype, pd.CategoricalDtype)
    assert [None if pd.isna(each) else each for each in read.tolist()] == texts
    assert read.cat.categories.is_unique


@given(st.lists(st.none() | st.floats(allow_infinity=True), min_size=1, max_size=40), st.integers(1, 50))
def test_numbers_are_those_of_the_file(tmp_path_factory, numbers, rows):
    folder = tmp_path_factory.mktemp("numbers")
    table = pa.table({"value": pa.array(numbers, type=pa.float64()), "whole": pa.array(range(len(numbers)))})
    read = parquet.read(written(folder, table, rows), "table.parquet")
    assert read["value"].dtype == np.float64
    np.testing.assert_array_equal(read["value"], np.array([np.nan if n is None else n for n in numbers]))
    assert read["whole"].tolist() == list(range(len(numbers)))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@given(
    st.lists(st.none() | st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)), min_size=1, max_size=20),
    st.integers(1, 30),
)
def test_times_are_those_of_the_file_to_the_second(tmp_path_factory, unit, times, rows):
    folder = tmp_path_factory.mktemp("times")
    column = pa.array(np.array(times, dtype="datetime64[us]").astype(f"datetime64[{unit}]"))
    read = parquet.read(written(folder, pa.table({"start": column}), rows), "table.parquet")["start"]
    expected = np.array(times, dtype="datetime64[us]").astype("datetime64[s]")
    np.testing.assert_array_equal(read.to_numpy().astype("datetime64[s]"), expected)


def test_what_is_neither_text_nor_float_nor_plain_time_is_as_pandas_reads_it(tmp_path):
    frame = pd.DataFrame(
        {
            "start": pd.to_datetime(["2026-10-05 08:00", "2026-10-06 08:00"]).tz_localize("America/New_York"),
            "value": np.array([1.5, 2.5], dtype=np.float32),
            "timed": [True, False],
            "day": [dt.date(2026, 10, 5), None],
            "facility": ["Acme", "Bolt"],
        }
    )
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=1)
    read = parquet.read(tmp_path / "table.parquet", "table.parquet")
    pd.testing.assert_frame_equal(read.astype({"facility": object}), frame.astype({"facility": object}))


def test_an_index_with_a_name_is_a_column(tmp_path):
    frame = pd.DataFrame({"value": [1.0]}, index=pd.Index(["Acme"], name="facility"))
    frame.to_parquet(tmp_path / "table.parquet")
    assert parquet.read(tmp_path / "table.parquet", "t").set_index("facility")["value"].to_dict() == {"Acme": 1.0}


def test_text_that_is_one_in_all_rows_is_not_mixed_up_with_what_is_missing(tmp_path):
    table = pa.table({"unit": ["mg/L", None, "mg/L"], "outfall": ["001"] * 3})
    read = parquet.read(written(tmp_path, table, 2), "table.parquet")
    assert read["unit"].isna().tolist() == [False, True, False]
    assert read["outfall"].tolist() == ["001"] * 3


def test_some_row_groups_are_those(tmp_path):
    table = pa.table({"facility": list("abcdef"), "value": np.arange(6.0)})
    read = parquet.read(written(tmp_path, table, 2), "table.parquet", [2, 0])
    assert read.astype({"facility": str}).to_numpy().tolist() == [["e", 4.0], ["f", 5.0], ["a", 0.0], ["b", 1.0]]


def test_no_row_at_all(tmp_path):
    table = pa.table({"facility": pa.array([], pa.string()), "value": pa.array([], pa.float64())})
    assert parquet.read(written(tmp_path, table, 2), "table.parquet").shape == (0, 2)


def test_a_file_cut_off_is_damaged(tmp_path):
    path = written(tmp_path, pa.table({"value": np.arange(1000.0)}), 100)
    data = path.read_bytes()
    path.write_bytes(data[:200] + bytes(len(data) - 600) + data[-400:])
    with pytest.raises(FileError, match="damaged"):
        parquet.read(path, "table.parquet")


COPPER = {"facility": "Elk Creek Plating", "parameter": "Copper", "unit": "mg/L", "sample_type": "composite"}


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64(), pa.decimal128(9, 3), pa.string()])
def test_a_number_is_the_one_that_was_printed_however_few_bits_hold_it(tmp_path, kind):
    printed = ["1.6", "0.8", "1.61"]
    values = pa.array(printed).cast(pa.float64())
    column = pa.array([np.float16(v) for v in printed]) if kind == pa.float16() else values.cast(kind, safe=False)
    frame = pd.DataFrame({"start": pd.date_range("2026-10-05", periods=3)}).assign(**COPPER)
    table = pa.Table.from_pandas(frame).append_column("value", column)
    path = written(tmp_path, table, 2)
    results = pretreat.read_samples([path]).results
    assert results["value"].tolist() == [1.6, 0.8, 1.61]
    daily = pretreat.check(pretreat.read_samples([path]), "ny/little-valley", federal=False).exceedances
    assert daily[daily["statistic"] == "24-hour average"]["low"].tolist() == [1.61]


def test_decimals_and_narrow_floats_of_a_frame():
    frame = pd.DataFrame({"start": pd.date_range("2026-10-05", periods=2)}).assign(**COPPER)
    for values in ([Decimal("1.6"), Decimal("0.35")], np.array([1.6, 0.35], dtype=np.float32)):
        assert from_frame(frame.assign(value=values))["value"].tolist() == [1.6, 0.35]


def test_a_frame_that_was_filtered_and_saved_is_read(tmp_path):
    frame = pd.DataFrame({"start": pd.date_range("2026-10-05", periods=4), "value": 2.0}).assign(**COPPER)
    frame[frame["start"] > "2026-10-06"].sample(frac=1, random_state=1).to_parquet(tmp_path / "table.parquet")
    assert len(pretreat.read_samples([tmp_path / "table.parquet"]).results) == 2


def test_two_columns_of_one_name_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["value", "value"])
    with pytest.raises(FileError, match="two columns are named 'value'"):
        parquet.read(written(tmp_path, table, 1), "table.parquet")


def test_a_frame_may_have_columns_that_are_named_by_numbers():
    frame = pd.DataFrame({"start": pd.date_range("2026-10-05", periods=1), "value": [1.6], 7: [0.5]}).assign(**COPPER)
    assert from_frame(frame)["value"].tolist() == [1.6]


def test_reading_does_not_wait_for_pandas(tmp_path):
    table = pa.table(
        {
            "facility": ["Acme", None, "Bolt"],
            "start": pa.array([0, None, 2], pa.timestamp("ns")),
            "value": [1.0, None, 3.0],
            "unit": "mg/L mg/L mg/L".split(),
        }
    )
    path = written(tmp_path, table, 2)
    code = (
        "import sys; from pathlib import Path; from pretreat import row_groups\n"
        f"row_groups.begin([{str(path)!r}]); read = row_groups.of(Path({str(path)!r}))\n"
        "assert 'pandas' not in sys.modules; print(read.arrays['value'].tolist(), read.same)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "[1.0, nan, 3.0] {'unit': 'mg/L'}\n"


@given(TEXTS, st.integers(1, 50))
def test_what_was_begun_is_what_is_read(tmp_path_factory, texts, rows):
    table = pa.table({"facility": texts, "value": np.arange(float(len(texts)))})
    path = written(tmp_path_factory.mktemp("begun"), table, rows)
    plain = parquet.read(path, "table.parquet")
    row_groups.begin([str(path), str(path)])
    assert path in row_groups._begun
    pd.testing.assert_frame_equal(parquet.read(path, "table.parquet"), plain)
    assert path not in row_groups._begun


def test_of_what_was_begun_some_row_groups_are_read_by_themselves(tmp_path):
    path = written(tmp_path, pa.table({"value": np.arange(6.0)}), 2)
    row_groups.begin([str(path)])
    assert parquet.read(path, "table.parquet", [1])["value"].tolist() == [2.0, 3.0]


def test_what_cannot_be_begun_is_reported_where_it_is_wanted(tmp_path, monkeypatch):
    good = written(tmp_path, pa.table({"value": np.arange(6.0)}), 2)
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing PAR1")
    for others in ("bad.parquet", "absent.parquet"):
        row_groups.begin([str(good), str(tmp_path / others)])
        assert not row_groups._begun
    with pytest.raises(FileError, match="damaged"):
        pretreat.read_samples([tmp_path / "bad.parquet"])
    monkeypatch.setattr(row_groups, "MOST", 5)
    row_groups.begin([str(good)])
    assert not row_groups._begun


def test_a_file_cut_off_that_was_begun_is_damaged(tmp_path):
    path = written(tmp_path, pa.table({"value": np.arange(1000.0)}), 100)
    data = path.read_bytes()
    path.write_bytes(data[:200] + bytes(len(data) - 600) + data[-400:])
    row_groups.begin([str(path)])
    with pytest.raises(FileError, match="damaged"):
        parquet.read(path, "table.parquet")
