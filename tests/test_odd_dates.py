"""Dates after today, or of another century."""

from __future__ import annotations

import numpy as np
import pandas as pd

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
