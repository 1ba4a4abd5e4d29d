"""Dates: one order for a column, times of day, time zones, serial numbers."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pretreat import tidy
from pretreat.tidy import dates, moments, times_of_day
from pretreat.tidy.times_of_day import UNKNOWN, clocks


def at(text: str, order: str = "mdy") -> str:
    seconds = dates.Texts.of([text]).read(order)[0][0]
    return "" if seconds == UNKNOWN else str(np.datetime64(int(seconds), "s"))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2017-05-07", "2017-05-07T00:00:00"), ("5/7/2017", "2017-05-07T00:00:00"), ("05/07/17", "2017-05-07T00:00:00"),
        ("2 Nov 2025 01:55:00 AM", "2025-11-02T01:55:00"), ("5/7/17 12:30:00 AM", "2017-05-07T00:30:00"),
        ("5/7/17 12:30 PM", "2017-05-07T12:30:00"), ("05/07/2017 930", "2017-05-07T09:30:00"),
        ("05/07/2017 0930", "2017-05-07T09:30:00"), ("2017-05-07T09:30:00.250", "2017-05-07T09:30:00"),
        ("20170507", "2017-05-07T00:00:00"), ("May 7, 2017", "2017-05-07T00:00:00"), ("7-May-17", "2017-05-07T00:00:00"),
        ("Sunday, May 7, 2017", "2017-05-07T00:00:00"), ("2017-May-07", "2017-05-07T00:00:00"), ("1.5.2026", "2026-01-05T00:00:00"),
        ("7 May 2017 09:30", "2017-05-07T09:30:00"), ("D-1/3/90", "1990-01-03T00:00:00"), ("2020/1/5", "2020-01-05T00:00:00"),
        # arrow 703, pydsstools 7: 24:00 ends its day, and belongs to it
        ("29JAN2019 24:00", "2019-01-29T23:59:59"), ("01/29/2019 24:00", "2019-01-29T23:59:59"),
        ("01/29/2019 2400", "2019-01-29T23:59:59"),
        ("2/30/2024", ""), ("2024-13-01", ""), ("garbage", ""), ("", ""), ("1/2", ""), ("5/7/2017 25:00", ""), ("2017", ""),
        ("29FOO2019", ""), ("5/7/2017 13:00 PM", ""), ("24:01", ""),
    ],
)  # fmt: skip
def test_texts(text: str, moment: str) -> None:
    assert at(text) == moment


def test_two_digit_years_as_posix_reads_them() -> None:
    assert at("1/5/68")[:4] == "2068"
    assert at("1/5/69")[:4] == "1969"


def test_day_first() -> None:
    assert at("D-1/3/90", "dmy") == "1990-03-01T00:00:00"
    assert at("13/02/2024", "dmy") == "2024-02-13T00:00:00"
    assert at("13/02/2024", "mdy") == ""


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["13/02/2024", "01/02/2024"], "dmy"), (["02/13/2024", "01/02/2024"], "mdy"), (["01/02/2024"], "mdy, assumed"),
        (["13/02/2024", "02/13/2024"], "mixed"), (["2024-02-13"], "ymd"), (["13 Feb 2024"], "by name"), (["90-13-02"], ""), (["13/02/2024", "31/31/2024", "2/30/2024", "lost"], "dmy"),
        (["90-02-28", "91-03-31"], "ymd"),
    ],
)  # fmt: skip
def test_the_column_decides_the_order(texts: list[str], order: str) -> None:
    read = moments.column(pd.DataFrame({"start": texts}), "start")
    assert read is not None
    assert read.orders["date_order"].tolist() == [order]


def test_a_column_of_two_orders_keeps_what_is_clear_and_asks_about_the_rest() -> None:
    read = moments.column(pd.DataFrame({"start": ["13/02/2024", "02/14/2024", "01/02/2024"]}), "start")
    assert read is not None
    assert moments.stamps(read.seconds).astype(str).tolist() == ["2024-02-13T00:00:00", "2024-02-14T00:00:00", "NaT"]
    assert read.unread.tolist() == [0, 0, 2]


def test_each_sheet_has_its_own_order_and_a_person_may_decide() -> None:
    frame = pd.DataFrame(
        {"start": ["13/02/2024", "01/02/2024"], "source_file": "a.xlsx", "source_sheet": ["One", "Two"]}
    )
    read = moments.column(frame, "start")
    assert read is not None
    assert read.orders["date_order"].tolist() == ["dmy", "mdy, assumed"]
    assert read.orders["other_first"].isna().tolist() == [True, False]
    assert read.orders["other_first"][1] == pd.Timestamp("2024-02-01")
    decided = moments.column(frame, "start", "dmy")
    assert decided is not None
    assert moments.stamps(decided.seconds).astype(str).tolist()[1] == "2024-02-01T00:00:00"


@pytest.mark.parametrize(
    ("cell", "moment"),
    [
        (42022.0, "2015-01-18T00:00:00"), (42022, "2015-01-18T00:00:00"), (42022.5, "2015-01-18T12:00:00"), (20150118, "2015-01-18T00:00:00"),
        (1421539200, "2015-01-18T00:00:00"), (1421539200000, "2015-01-18T00:00:00"), (dt.date(2015, 1, 18), "2015-01-18T00:00:00"),
        (dt.datetime(2015, 1, 18, 9, 30), "2015-01-18T09:30:00"), (pd.Timestamp("2015-01-18 09:30"), "2015-01-18T09:30:00"), (3.0, "NaT"),
        (True, "NaT"), (float("nan"), "NaT"),
    ],
)  # fmt: skip
def test_cells_that_are_no_text(cell: object, moment: str) -> None:
    assert str(moments.stamps(np.array([dates.cell(cell)[0]]))[0]) == moment


def test_excel_minutes_are_whole_minutes() -> None:
    """An Excel serial cannot hold 8:10 exactly."""
    assert str(moments.stamps(np.array([dates.cell(42022 + (8 * 60 + 10) / 1440)[0]]))[0]) == "2015-01-18T08:10:00"


def test_time_zones_keep_the_wall_clock() -> None:
    """dataretrieval-python 266: 08:50 CDT is 13:50 UTC."""
    frame = pd.DataFrame({"start": ["2023-08-22"] * 4, "start_time": ["08:50 CDT", "08:50", "08:50:00", "8:50 AM EST"],
                          "time_zone": ["", "CST", "GMT-04:00", ""]})  # fmt: skip
    read = moments.column(frame, "start")
    assert read is not None
    assert set(moments.stamps(read.seconds).astype(str)) == {"2023-08-22T08:50:00"}
    assert read.offset.tolist() == [-300, -360, -240, -300]


def test_offsets_in_digits_differ_from_text_to_text() -> None:
    texts = [
        "2023-08-22T08:50:00-05:00",
        "2023-08-22T08:50:00-04:00",
        "2023-08-22T08:50:00+05:30",
        "2023-08-22T08:50:00Z",
    ]
    assert dates.Texts.of(texts).read("mdy")[2].tolist() == [-300, -240, 330, 0]


def test_an_aware_column_keeps_its_wall_clock_across_the_end_of_summer_time() -> None:
    utc = pd.DatetimeIndex(["2025-11-02 05:30", "2025-11-02 06:30", "2025-11-02 07:30"], tz="UTC")
    read = moments.column(pd.DataFrame({"start": utc.tz_convert("America/New_York")}), "start")
    assert read is not None
    assert [t[11:16] for t in moments.stamps(read.seconds).astype(str)] == ["01:30", "01:30", "02:30"]
    assert read.offset.tolist() == [-240, -300, -300]


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [("930", 34_200), ("0930", 34_200), (930, 34_200), (930.0, 34_200), ("9:30", 34_200), ("9:30 PM", 77_400), ("9 PM", 75_600),
     ("24:00", 86_399), (2400, 86_399), ("2400", 86_399), (0.5, 43_200), (dt.time(9, 30), 34_200), ("12:00 AM", 0), ("12:00 PM", 43_200),
     ("9", UNKNOWN), ("25:00", UNKNOWN), ("9:75", UNKNOWN), ("noonish", UNKNOWN), ("", UNKNOWN), (None, UNKNOWN), (True, UNKNOWN)],
)  # fmt: skip
def test_times_of_day(cell: object, seconds: int) -> None:
    assert times_of_day.clock_cell(cell)[0] == seconds


def test_composites() -> None:
    frame = pd.DataFrame({
        "start": ["10/5/2026 08:00", "10/6/2025-10/7/2025", "6 Oct 2025 - 11 Oct 2025", "10/5/2026"],
        "end": ["", "", "", "10/6/2026"], "end_time": ["08:00", "", "", ""],
    })  # fmt: skip
    start, end = moments.column(frame, "start"), moments.column(frame, "end")
    assert start is not None
    assert moments.stamps(moments.end_of(start, end, frame)).astype(str).tolist() == [
        "2026-10-06T08:00:00", "2025-10-07T00:00:00", "2025-10-11T00:00:00", "2026-10-06T00:00:00",
    ]  # fmt: skip


def test_midnight_among_times_of_day_is_a_time_of_day() -> None:
    logged = [dt.datetime(2026, 1, 5, h) for h in (0, 1, 2, 3)]
    read = moments.column(pd.DataFrame({"start": pd.Series(logged, dtype=object)}), "start")
    assert read is not None
    assert read.timed.all()
    alone = moments.column(pd.DataFrame({"start": pd.Series([dt.datetime(2026, 1, 5)] * 3, dtype=object)}), "start")
    assert alone is not None
    assert not alone.timed.any()


FORMS = [("%Y-%m-%d %H:%M:%S", "mdy"), ("%m/%d/%Y %H:%M:%S", "mdy"), ("%d/%m/%Y %H:%M:%S", "dmy"), ("%d %b %Y %I:%M:%S %p", "mdy"),
         ("%Y%m%d", "mdy"), ("%d%b%Y %H:%M", "mdy"), ("%B %d, %Y", "mdy"), ("%m/%d/%y %H:%M", "mdy")]  # fmt: skip


@settings(deadline=None, max_examples=100)
@given(st.datetimes(dt.datetime(1970, 1, 1), dt.datetime(2067, 12, 31)), st.sampled_from(FORMS))
def test_a_printed_date_is_read_back_as_itself(moment: dt.datetime, form: tuple[str, str]) -> None:
    text = moment.strftime(form[0])
    assert at(text, form[1]) == dt.datetime.strptime(text, form[0]).isoformat()


@settings(deadline=None, max_examples=100)
@given(st.integers(-10_000, 40_000))
def test_days_count_as_the_calendar_does(number: int) -> None:
    day = dt.date(1970, 1, 1) + dt.timedelta(days=number)
    got, exists = dates.days(*(np.array([part]) for part in (day.year, day.month, day.day)))
    assert got[0] == number
    assert exists[0]


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=25))
def test_any_text_is_a_date_or_none(text: str) -> None:
    read = moments.column(pd.DataFrame({"start": [text]}), "start")
    assert read is not None
    assert (read.seconds[0] == UNKNOWN) == bool(read.unread[0] or not text.strip())


def test_a_time_of_day_that_cannot_be_read_is_said() -> None:
    frame = pd.DataFrame(
        {"facility": "A", "parameter": "Zn", "value": 1.0, "unit": "mg/L", "start": "2026-10-05"}, index=range(3)
    )
    tidied = tidy.tidy(frame.assign(start_time=["8:30", "25:00", "noon"]))
    assert tidied.results["start"].astype(str).tolist() == [
        "2026-10-05 08:30:00", "2026-10-05 00:00:00", "2026-10-05 12:00:00",
    ]  # fmt: skip
    assert tidied.results["timed"].tolist() == [True, False, True]
    assert tidied.notes["code"].tolist() == ["unreadable time"]
    assert "'25:00'" in tidied.notes["message"].iloc[0]
    assert tidy.tidy(frame.assign(start_time=["8:30", "", None])).notes.empty


@pytest.mark.parametrize(
    ("cells", "seconds"),
    [
        ([8, 9], [UNKNOWN, UNKNOWN]),  # hours, or minutes after midnight?
        ([15, 830], [15 * 60, 8 * 3600 + 30 * 60]),
        ([30, 45], [1800, 2700]),
        ([0.25, 8], [6 * 3600, UNKNOWN]),
        ([930.0, 1415.0], [9 * 3600 + 1800, 14 * 3600 + 900]),
    ],
)
def test_whole_numbers_as_times(cells: list[float], seconds: list[int]) -> None:
    assert [one for one, _ in clocks(cells)] == seconds


def test_serial_dates_as_text() -> None:
    """A spreadsheet saved as CSV may hold the numbers of its dates; a column is one of them or it is none."""
    read = moments.column(pd.DataFrame({"start": ["45935", "45936.5", ""]}), "start")
    assert read is not None
    assert moments.stamps(read.seconds).astype(str).tolist() == ["2025-10-05T00:00:00", "2025-10-06T12:00:00", "NaT"]
    assert read.orders["date_order"].tolist() == ["serial"]
    assert not read.unread.any()
    mixed = moments.column(pd.DataFrame({"start": ["45935", "10/06/2025"]}), "start")
    assert mixed is not None
    assert mixed.unread.tolist() == [1, 0]
