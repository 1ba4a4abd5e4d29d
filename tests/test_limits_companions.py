"""Limits that a companion measurement or the method of the result decides."""

import numpy as np
import pandas as pd
import pytest
from packs_made import pack

from pretreat import parameters
from pretreat.limits.companions import refine
from pretreat.limits.selection import Limits, in_force

ALKALINITY = """
[facts]
alkalinity = { measured = "Alkalinity as CaCO3", unit = "mg/L"%s }
[[table]]
parameter = "pH"
columns = ["id", "below", "above", "when.alkalinity"]
rows = [["low", 5.0, "", ""], ["usual", "", 10.0, "above 300"], ["lenient", "", 10.5, "at or below 300"]]
"""
START, END = pd.Timestamp(2026, 10, 1), pd.Timestamp(2026, 11, 1)


def results(*rows):
    frame = pd.DataFrame(rows, columns=["facility", "parameter", "start", "value", "qualifier", "unit", "method"])
    frame["parameter"] = [parameters.identify(name).parameter for name in frame["parameter"]]
    frame["outfall"] = ""
    frame["start"] = pd.to_datetime(frame["start"])
    return frame


def refined(limits, frame, users=None):
    users = pd.DataFrame({"facility": ["Acme", "Other"], "outfall": ["", ""]}) if users is None else users
    found, _ = in_force(limits, users, START, END)
    return refine(limits, users, frame, found, START, END)


def upper_on(found, day, facility="Acme", parameter="pH"):
    day = pd.Timestamp(day)
    mine = found[(found.facility == facility) & (found.bound == "upper") & (found.parameter == parameter)]
    there = mine[(mine["from"].isna() | (mine["from"] <= day)) & (mine["until"].isna() | (mine["until"] > day))]
    assert len(there) == 1
    return there.limit_low.item(), there.limit_high.item()


@pytest.mark.parametrize(
    ("value", "qualifier", "limit"),
    [
        (301, "", (10.0, 10.0)),
        (300, "", (10.5, 10.5)),
        (250, "<", (10.5, 10.5)),
        (400, "<", (10.0, 10.5)),
        (400, ">", (10.0, 10.0)),
    ],
)
def test_ph_by_the_alkalinity_of_the_day(tmp_path, value, qualifier, limit):
    limits = Limits((pack(tmp_path, ALKALINITY % ""),))
    found = refined(limits, results(("Acme", "Alkalinity as CaCO3", "2026-10-07 09:00", value, qualifier, "mg/L", "")))
    assert upper_on(found, "2026-10-07 15:00") == limit
    assert upper_on(found, "2026-10-08") == (10.0, 10.5)
    assert upper_on(found, "2026-10-06 23:59") == (10.0, 10.5)
    assert upper_on(found, "2026-10-07", "Other") == (10.0, 10.5)


def test_without_a_companion_the_assumption_holds(tmp_path):
    limits = Limits((pack(tmp_path, ALKALINITY % ', assume = "above 300"'),))
    frame = results(("Acme", "Alkalinity as CaCO3", "2026-10-07", 250, "", "mg/L", ""))
    found = refined(limits, frame)
    assert upper_on(found, "2026-10-06") == (10.0, 10.0)
    assert upper_on(found, "2026-10-07") == (10.5, 10.5)


def test_two_values_that_disagree_decide_nothing(tmp_path):
    limits = Limits((pack(tmp_path, ALKALINITY % ""),))
    rows = [("Acme", "Alkalinity as CaCO3", "2026-10-07", value, "", "mg/L", "") for value in (250, 350)]
    assert upper_on(refined(limits, results(*rows)), "2026-10-07") == (10.0, 10.5)


def test_other_limits_are_not_cut(tmp_path):
    more = '[[limit]]\nid="Zn"\nparameter="Zinc"\nabove=1\nunit="mg/L"\nstatistic="monthly average"\n'
    limits = Limits((pack(tmp_path, ALKALINITY % "" + more),))
    found = refined(limits, results(("Acme", "Alkalinity as CaCO3", "2026-10-07", 250, "", "mg/L", "")))
    assert len(found[(found.parameter == "Zinc") & (found.facility == "Acme")]) == 1
    lower = found[(found.bound == "lower") & (found.facility == "Acme")]
    assert (lower.limit_low == 5.0).all()


def test_the_method_of_the_result_decides(tmp_path):
    """Flint MI 46-146(c): mercury by 245.1 is held against its quantification level, by 1631 against the limit."""
    text = (
        '[notes."(1)"]\nat_or_above = "0.2 ug/L"\nwhen.method = "245.1 or 245.2"\n'
        '[[table]]\nunit="ug/L"\ncolumns=["parameter","Instantaneous"]\nrows=[["Mercury","0.012(1)"]]\n'
    )
    limits = Limits((pack(tmp_path, text),))
    found = refined(
        limits,
        results(
            ("Acme", "Mercury", "2026-10-07", 0.0001, "", "mg/L", "245.1"),
            ("Acme", "Mercury", "2026-10-08", 0.0001, "", "mg/L", "1631"),
        ),
    )
    assert upper_on(found, "2026-10-07", parameter="Mercury") == (0.0002, 0.0002)
    assert upper_on(found, "2026-10-08", parameter="Mercury") == (0.000012, 0.000012)
    assert upper_on(found, "2026-10-09", parameter="Mercury") == (0.000012, 0.0002)


def test_law_refining_only_narrows(tmp_path):
    limits = Limits((pack(tmp_path, ALKALINITY % ""),))
    rng = np.random.default_rng(7)
    rows = [
        ("Acme", "Alkalinity as CaCO3", f"2026-10-{day:02d}", value, "", "mg/L", "")
        for day, value in enumerate(rng.uniform(100, 500, 31), start=1)
    ]
    found = refined(limits, results(*rows))
    upper = found[found.bound == "upper"]
    assert (upper.limit_low >= 10.0).all()
    assert (upper.limit_high <= 10.5).all()
    days = upper[upper.facility == "Acme"].sort_values("from")
    assert (days["until"].iloc[:-1].to_numpy() <= days["from"].iloc[1:].to_numpy()).all()
