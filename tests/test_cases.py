"""The worked cases of tests/cases, one file each, that people who write no programs can read and add to."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from bench import both, comparisons, limit, samples

from pretreat.limits.provisions import Limit

CASES = sorted((Path(__file__).parent / "cases").glob("*.toml"))
RELATIONS = {"above": ">", "at_or_above": ">=", "below": "<", "at_or_below": "<="}


def rows(case: dict[str, Any]) -> list[Limit]:
    found = []
    for row in case["limit"]:
        (word,) = set(row) & set(RELATIONS)
        found.append(limit(row["parameter"], RELATIONS[word], str(row[word]), row.get("statistic", "instantaneous")))
    return found


def results(case: dict[str, Any]) -> pd.DataFrame:
    given = dict(case["samples"])
    kind, hours = given.pop("type", "grab"), given.pop("hours", None)
    parts = []
    for parameter, text in given.items():
        lines = [line.rsplit(maxsplit=1) for line in text.strip().splitlines()]
        part = samples([(when, value) for when, value in lines], parameter, sample_type=kind)
        parts.append(part if hours is None else part.assign(end=part["start"] + pd.Timedelta(hours=hours)))
    return both(*parts)


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_case(path: Path) -> None:
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    assert case["source"], "a case names who published its answer"
    frame = comparisons(results(case), *rows(case), **case.get("settings", {}))
    for answer in case["answer"]:
        on = frame["period_start"].dt.normalize() == pd.Timestamp(answer["day"])
        row = frame[on & (frame["statistic"].astype(str) == answer["statistic"])]
        assert len(row) == 1, f"{path.stem}: {len(row)} comparisons for {answer}"
        low, high = float(row["low"].iloc[0]), float(row["high"].iloc[0])
        assert low == pytest.approx(answer.get("value", answer.get("from")), rel=1e-12)
        assert high == pytest.approx(answer.get("value", answer.get("to")), rel=1e-12)
        assert str(row["verdict"].iloc[0]) == answer["verdict"], case["title"]
        assert low != pytest.approx(answer.get("never", -1.0))


def test_there_are_cases() -> None:
    assert len(CASES) >= 14
