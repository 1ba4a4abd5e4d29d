"""Dates after today, or of another century."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pretreat
from pretreat.findings.odd_dates import unlikely

TODAY = pd.Timestamp("2026-10-01")


def found(*days: str) -> list[str]:
    frame = pd.DataFrame({"facility": "Acme", "start": np.array(days, dtype="datetime64[s]")})
    return [str(text) for text in unlikely(frame, TODAY)["message"]]


def test_dates_after_today_and_before_1980_are_named_user_by_user() -> None:
    [message] = found("2062-09-01", "2026-09-01", "1926-09-01")
    assert message.startswith("2 results of samples taken on 1926-09-01, 2062-09-01: before 1980 and after")
    [message] = found("1979-12-31 23:00")
    assert message.startswith("1 result of a sample taken on 1979-12-31: before 1980.")


def test_today_to_its_last_second_and_1980_are_no_finding() -> None:
    assert found("2026-10-01 23:59:59", "1980-01-01", "NaT") == []
    assert found("NaT") == []
    assert len(found("2026-10-02")) == 1


def test_a_check_says_so_and_counts_the_result() -> None:
    frame = pd.DataFrame(
        {"facility": "Acme", "parameter": "Copper", "value": [1.9], "unit": "mg/L", "start": "9/1/2062"}
    )
    review = pretreat.check(
        frame, "ny/little-valley", federal=False, as_of="2026-10-01", tables=["findings", "results"]
    )
    assert "unlikely date" in set(review.findings["code"])
    assert len(review.results) == 1
    review = pretreat.check(frame, "ny/little-valley", federal=False, as_of="2062-10-01", tables=["findings"])
    assert "unlikely date" not in set(review.findings["code"])


def logged(times: list[object], kind: str, tmp_path) -> pretreat.Samples:
    frame = pd.DataFrame({"Facility": "Acme", "Timestamp": times, "Flow (gpm)": 20.0})
    path = tmp_path / f"log.{kind}"
    frame.to_excel(path, index=False, engine="openpyxl") if kind == "xlsx" else frame.to_csv(path, index=False)
    return pretreat.read_samples([path])


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("unit", [1, 1000])
def test_seconds_since_1970_are_read_alike_and_said_to_be_utc(tmp_path, kind, unit) -> None:
    since = [(1_790_812_800 + 300 * n) * unit for n in range(30)]
    samples = logged(since, kind, tmp_path)
    assert samples.set_aside.empty
    assert str(samples.results["start"].iloc[0]) == "2026-10-01 00:00:00"
    review = pretreat.check(samples, "ny/little-valley", federal=False, as_of="2026-11-01")
    [message] = review.findings.loc[review.findings["code"] == "times in UTC", "message"]
    assert message.startswith("30 results have their times in UTC")


def test_stamps_with_a_z_are_said_to_be_utc_and_local_offsets_are_not(tmp_path) -> None:
    for zone, count in (("Z", 1), ("-04:00", 0), ("", 0)):
        samples = logged([f"2026-10-01T{hour:02}:00:00{zone}" for hour in range(24)], "csv", tmp_path)
        assert samples.set_aside.empty
        review = pretreat.check(samples, "ny/little-valley", federal=False, as_of="2026-11-01")
        assert (review.findings["code"] == "times in UTC").sum() == count
