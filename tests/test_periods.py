"""The periods that a check can be asked for."""

import numpy as np
import pytest

from pretreat.errors import UsageError
from pretreat.periods import day, months, parse, quarters


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-10", "2026-10-01:2026-10-31"),
        ("2026-01", "2026-01-01:2026-01-31"),
        ("2024-02", "2024-02-01:2024-02-29"),
        ("2026-12", "2026-12-01:2026-12-31"),
        ("2026-Q1", "2026-01-01:2026-03-31"),
        ("2026-Q4", "2026-10-01:2026-12-31"),
        ("2026-H1", "2026-01-01:2026-06-30"),
        ("2026-H2", "2026-07-01:2026-12-31"),
        ("2026", "2026-01-01:2026-12-31"),
        ("2026-10-05:2026-10-05", "2026-10-05:2026-10-05"),
    ],
)
def test_periods(text: str, days: str) -> None:
    assert str(parse(text)) == days
    assert parse(text).by_days == (":" in text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "october",
        "2026-13",
        "2026-Q5",
        "2026-H3",
        "2026-10-01",
        "2026-02-30:2026-03-01",
        "2026-10-05:2026-10-04",
        "2026-1",
        "1:2",
    ],
)
def test_what_is_no_period_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="2026-Q4"):
        parse(text)


def test_a_period_is_half_open_in_seconds() -> None:
    start, end = parse("2026-10").seconds
    assert end - start == 31 * 86_400


def test_whole_months_and_quarters() -> None:
    first, last = np.datetime64("2025-11-30T23:59"), np.datetime64("2026-01-01T00:00")
    assert str(months(first, last)) == "2025-11-01:2026-01-31"
    assert str(quarters(first, last)) == "2025-10-01:2026-03-31"


@pytest.mark.parametrize(
    ("text", "why"), [("10/07/2026", "is no day"), ("2026-02-30", "does not exist"), ("", "is no day")]
)
def test_a_day_is_written_in_one_way_and_exists(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as found:
        day(text, "--as-of")
    assert found.value.where == "--as-of"
    assert day(" 2026-02-28 ", "--as-of") == np.datetime64("2026-02-28")


@pytest.mark.parametrize("text", ["2026-10:2026-12", "2026-10-01:end", "yesterday:2026-10-31", ":2026-10-31"])
def test_a_span_is_of_two_days(text):
    with pytest.raises(UsageError, match="is no day"):
        parse(text)
