"""What a report says to do next."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pretreat import columns
from pretreat.report import advice


def duties(*rows: dict[str, Any]) -> dict[str, pd.DataFrame]:
    plain = {"facility": "Acme", "pack": "federal/403", "cite": "(e)(1)", "subject": "periodic report", "verdict": "late",
             "due": pd.Timestamp("2026-06-30"), "done": pd.NaT, "reason": "0 of 1; not among the events"}  # fmt: skip
    return {
        "schedule": pd.DataFrame([plain | row for row in rows]).astype(
            {"due": "datetime64[s]", "done": "datetime64[s]"}
        )
    }


def test_a_duty_that_no_event_ever_speaks_of_is_said_to_be_untold() -> None:
    [said] = advice.next_steps(duties({}, {"facility": "Beta", "due": pd.Timestamp("2025-12-31")}))
    assert said.startswith("2 duties were due, and no event says that any was done")
    assert "the oldest is Beta: periodic report, due Dec 31, 2025" in said


@pytest.mark.parametrize(
    "told",
    [
        {"facility": "Beta", "verdict": "met", "done": pd.Timestamp("2026-05-01"), "reason": ""},
        {"facility": "Beta", "reason": "1 of 2; not among the events"},
    ],
)
def test_a_duty_that_others_did_by_the_events_is_late(told: dict[str, Any]) -> None:
    said = advice.next_steps(duties({}, told))
    assert said[0].startswith(("1 duty is late", "2 duties are late"))
    assert not any("no event" in step for step in said)


def test_duties_done_late_go_first_and_the_untold_follow() -> None:
    late = {"cite": "(F)", "done": pd.Timestamp("2026-07-12"), "reason": "12 days late"}
    first, second = advice.next_steps(duties({}, late))
    assert first.startswith("1 duty is late")
    assert second.startswith("1 duty was due, and no event says that it was done")


def test_what_reading_asks_comes_first():
    codes = ["no limit for this result", "rejected?", "date order", "date order"]
    [first, second] = advice.next_steps({"findings": columns.complete(pd.DataFrame({"code": codes}), "findings")})
    assert "whether days or months stand first in dates, whether results are rejected (sheet Findings)" in first
    assert "no limit in force" in second
