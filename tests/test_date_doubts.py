"""Orders of dates that other columns, sheets or true dates speak against; samples that end before they start."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pandas as pd
import pytest

from pretreat import tidy
from pretreat.tidy.results import Tidied


def done(*, dates: str | None = None, **columns: Any) -> Tidied:
    count = max(len(value) for value in columns.values() if isinstance(value, list))
    given = {"facility": "Acme Plating", "parameter": "Copper", "value": 1.9, "unit": "mg/L", "source_file": "a.xlsx"}
    given |= {"source_sheet": "S", "source_cell": [f"F{row}" for row in range(2, count + 2)]} | columns
    frame = pd.DataFrame({name: value if isinstance(value, list) else [value] * count for name, value in given.items()})
    return tidy.tidy(frame, dates=dates)


def days(tidied: Tidied, name: str = "start") -> list[str]:
    return [f"{day:%Y-%m-%d}" for day in tidied.results[name]]


def said(tidied: Tidied, code: str = "date order") -> list[tuple[str, str]]:
    found = tidied.notes[tidied.notes["code"] == code]
    return list(zip(found["message"], found["sources"], strict=True))


STARTS, ENDS = ["03/09/2026", "12/09/2026"], ["04/09/2026", "13/09/2026"]


@pytest.mark.parametrize("decided", ["end", "analyzed", "received"])
def test_a_decided_column_decides_those_beside_it(decided: str) -> None:
    tidied = done(start=STARTS, **{decided: ENDS})
    assert days(tidied) == ["2026-09-03", "2026-09-12"]
    assert days(tidied, decided) == ["2026-09-04", "2026-09-13"]
    assert tidied.date_orders["date_order"].tolist() == [f"dmy, as in {decided}"]
    [(message, where)] = said(tidied)
    assert "day first" in message
    assert "--dates mdy" in message
    assert where == "a.xlsx!S"


def test_a_decided_start_decides_the_end() -> None:
    tidied = done(start=["13/09/2026", "03/09/2026"], end=["03/10/2026", "04/09/2026"])
    assert days(tidied, "end") == ["2026-10-03", "2026-09-04"]
    assert len(tidied.results) == 2


def test_month_first_by_a_sister_is_no_finding() -> None:
    tidied = done(start=["09/03/2026"], end=["09/13/2026"])
    assert tidied.date_orders["date_order"].tolist() == ["mdy, as in end"]
    assert said(tidied) == []


def test_columns_decided_in_two_orders_speak_for_no_third() -> None:
    tidied = done(start=["03/09/2026"], analyzed=["20/09/2026"], received=["09/20/2026"])
    assert tidied.date_orders["date_order"].tolist() == ["mdy, assumed"]
    assert len(said(tidied)) == 1


def test_another_sheet_is_a_finding_and_changes_nothing() -> None:
    """Month first where the column does not decide it (interface, "Dates and numbers"): the rule stays, loudly."""
    tidied = done(start=["17/09/2026", "05/10/2026", "12/10/2026"], source_sheet=["Sept", "Oct", "Oct"])
    assert days(tidied) == ["2026-09-17", "2026-05-10", "2026-12-10"]
    [(message, where)] = said(tidied)
    assert where == "a.xlsx!Oct"
    assert "2026-10-05 to 2026-10-12" in message
    assert "'Sept'" in message
    assert "--dates dmy" in message
    assert said(done(start=["17/09/2026", "05/10/2026"], source_sheet=["Sept", "Oct"], dates="dmy")) == []


def test_another_file_says_nothing() -> None:
    assert said(done(start=["17/09/2026", "05/10/2026"], source_file=["a.xlsx", "b.xlsx"])) == []


def test_days_far_from_the_others_of_the_file_are_a_finding() -> None:
    received = ["2026-10-06", "2026-10-13"]
    assert len(said(done(start=["05/10/2026", "12/10/2026"], received=received))) == 1
    assert said(done(start=["10/05/2026", "10/12/2026"], received=received)) == []
    assert said(done(start=["05/10/2026", "12/10/2026"])) == []


def test_true_dates_among_day_first_texts_are_named() -> None:
    """A spreadsheet set to month first reads 03/09 as March 9, and leaves 17/09 as text."""
    typed: list[Any] = [dt.datetime(2026, 3, 9), dt.datetime(2026, 9, 9), "17/09/2026", "24/09/2026"]
    [(message, where)] = said(done(start=typed))
    assert where == "a.xlsx!S!F2"
    assert message.startswith("1 value has")
    assert said(done(start=[dt.datetime(2026, 9, 13), *typed])) == []  # one is no such mistake: they were typed so
    assert said(done(start=[dt.datetime(2026, 3, 9), "09/17/2026"])) == []


def test_true_dates_tell_that_an_assumed_order_is_far_off() -> None:
    assert len(said(done(start=[dt.datetime(2026, 10, 20), "05/10/2026", "06/10/2026"]))) == 1
    assert said(done(start=[dt.datetime(2026, 10, 20), "10/05/2026", "10/06/2026"])) == []


def test_a_sample_that_ends_on_a_day_before_it_starts_has_no_day() -> None:
    tidied = done(start=["2026-09-12", "2026-09-12"], end=["2026-09-01", "2026-09-13"])
    assert days(tidied, "end") == ["2026-09-13"]
    assert tidied.set_aside[["source_cell", "reason"]].to_numpy().tolist() == [["F2", "end before start"]]


def test_hours_that_run_backwards_on_one_day_are_not_used_and_said() -> None:
    tidied = done(start=["2026-09-12 08:00", "2026-09-13 08:00"], end=["2026-09-12 07:45", "2026-09-14 08:00"])
    assert tidied.results["end"].isna().tolist() == [True, False]
    assert said(tidied, "end before start")[0][1] == "a.xlsx!S!F2"
    assert len(tidied.set_aside) == 0
