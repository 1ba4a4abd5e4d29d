"""How numbers and times are worded for people."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pretreat.explain import snc
from pretreat.report import rules_sheet, user_sheets, wording


def held(low: float, high: float, limit: float) -> SimpleNamespace:
    return SimpleNamespace(
        statistic="daily maximum", level="", low=low, high=high, limit_low=limit, limit_high=limit, unit="mg/L"
    )


@pytest.mark.parametrize(
    ("low", "high", "limit", "said"),
    [
        (1.6000001, 1.6000001, 1.6, "1.6000001 mg/L"),
        (1.5999999, 1.5999999, 1.6, "1.5999999 mg/L"),
        (25000.02, 25000.02, 25000.0, "25,000.02 mg/L"),
        (0.1, 1.60000003, 1.6, "0.1 to 1.60000003 mg/L"),
        (1.75, 1.75, 1.6, "1.75 mg/L"),
        (1.6 * (1 + 1e-12), 1.6 * (1 + 1e-12), 1.6, "1.6 mg/L"),
        (0.35000000000000003, 0.35000000000000003, np.nan, "0.35 mg/L"),
    ],
)
def test_a_value_is_told_apart_from_its_limit(low: float, high: float, limit: float, said: str) -> None:
    assert wording.found(held(low, high, limit)) == said


@given(st.floats(1e-4, 1e6), st.floats(-1e-3, 1e-3))
def test_what_is_not_equal_does_not_look_equal(limit: float, share: float) -> None:
    value = limit * (1 + share)
    equal = bool(np.isclose(value, limit, rtol=1e-9, atol=0))
    digits = wording.told_apart(value, limit)
    assert equal or f"{value:.{digits}g}" != f"{limit:.{digits}g}"


def test_a_grab_without_a_time_has_none_in_significant_noncompliance() -> None:
    at = [pd.Timestamp(text).value // 10**9 for text in ("2026-10-07", "2026-10-07 08:30")]
    counted = SimpleNamespace(start=np.array(at), end=np.array(at))
    assert [snc._when(counted, i) for i in range(2)] == ["2026-10-07", "2026-10-07 08:30"]


def test_a_months_column_holds_its_longest_number() -> None:
    glance = pd.DataFrame({"low": [0.000123457, 1.0], "high": [0.0744118, np.inf]})
    assert user_sheets._width(glance) >= len("▲ ≤0.000123457") + 1
    assert user_sheets._width(glance.iloc[:0]) == 10


def test_no_sentence_about_rules_has_marks_of_markup() -> None:
    for changes in ([], ["yes", "no"]):
        assert "`" not in rules_sheet.said(pd.DataFrame({"changes": changes}))
