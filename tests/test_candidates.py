"""Candidates for a person's look: dilution, sudden changes, significant users by flow."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from metering import law

from pretreat.findings import candidates
from pretreat.limits.provisions import Bound, Limit
from pretreat.limits.selection import Limits
from pretreat.measurements.measure import measure

FEDERAL, LOCAL = ">=", ">"


def daily(parameter, value, *, outfall="001", unit=None, start="2026-06-01"):
    value = np.asarray(value, dtype=float)
    return pd.DataFrame(
        {
            "facility": "Acme Plating",
            "outfall": outfall,
            "parameter": parameter,
            "unit": unit or ("MGD" if parameter == "Flow" else "mg/L"),
            "start": pd.date_range(start, periods=len(value)) + pd.Timedelta(hours=8),
            "value": value,
            "sample_type": "composite",
        }
    )


def users(**more):
    return pd.DataFrame({"facility": ["Acme Plating"], **{name: [value] for name, value in more.items()}})


def flow_test(operator, level=0.025):
    bound = Bound(side="upper", operator=operator, number=Decimal(25000), decimals=0, low=level, high=level)
    return Limit(
        pack="test/law", id=f"flow {operator}", key=f"flow {operator}", cite=f"§ {operator}", parameter="Flow",
        statistic="instantaneous", unit="MGD", bounds=(bound,), kind="class test",
    )  # fmt: skip


def found(*frames, code, limits=None, who=None):
    results = pd.concat(frames, ignore_index=True)
    table = candidates.check(measure(results), users() if who is None else who, limits or Limits(()))
    return table[table["code"] == code]


def noise(n, seed=1, spread=0.05):
    return np.random.default_rng(seed).lognormal(0, spread, n)


def test_flow_up_concentration_down_load_the_same():
    up = np.where(np.arange(24) < 12, 0.010, 0.015)
    flow, zinc = up * noise(24), 0.03 / up * noise(24, 2)
    table = found(daily("Flow", flow), daily("Zinc", zinc), code="candidate dilution")
    assert table["parameter"].tolist() == ["Zinc"]
    assert "From 2026-06-13 on" in table["message"].iloc[0]
    assert "403.6(d)" in table["message"].iloc[0]


@pytest.mark.parametrize(
    ("flow", "zinc"),
    [
        (np.full(24, 0.01), np.where(np.arange(24) < 12, 3.0, 2.0)),  # treatment improved
        (np.where(np.arange(24) < 12, 0.010, 0.015), np.full(24, 3.0)),  # production grew
        (np.where(np.arange(24) < 12, 0.015, 0.010), np.where(np.arange(24) < 12, 2.0, 3.0)),  # water was saved
        (np.where(np.arange(8) < 4, 0.010, 0.015), np.where(np.arange(8) < 4, 3.0, 2.0)),  # too few days
    ],
)
def test_what_is_no_dilution(flow, zinc):
    n = len(flow)
    assert len(found(daily("Flow", flow * noise(n)), daily("Zinc", zinc * noise(n, 2)), code="candidate dilution")) == 0


def test_several_parameters_at_once():
    frames = []
    for seed, name in enumerate(("Zinc", "Copper", "COD")):
        value = noise(40, seed, 0.2)
        if name != "COD":
            value[25] = 12.0
        frames.append(daily(name, value))
    table = found(*frames, code="candidate slug")
    assert len(table) == 1
    assert "2026-06-26 (Copper " in table["message"].iloc[0]
    assert "403.8(f)(2)(vi)" in table["message"].iloc[0]


def test_one_parameter_alone_is_no_candidate():
    zinc = noise(40, 1, 0.2)
    zinc[25] = 12.0
    assert len(found(daily("Zinc", zinc), daily("Copper", noise(40, 2, 0.2)), code="candidate slug")) == 0


def test_a_short_history_tells_nothing():
    value = np.array([1.0] * 8 + [50.0])
    assert len(found(daily("Zinc", value), daily("Copper", value), code="candidate slug")) == 0


@pytest.mark.parametrize(("gpd", "met"), [(24_999, ""), (25_000, FEDERAL), (25_001, FEDERAL + LOCAL)])
def test_more_than_and_or_more(gpd, met):
    """25,000 gpd: "more than" in Little Valley's S1-05, "or more" in 40 CFR 403.3(v)(1)(ii)."""
    limits = law(flow_test(FEDERAL), flow_test(LOCAL))
    table = found(daily("Flow", np.full(5, gpd / 1e6)), code="candidate significant user", limits=limits)
    said = "".join(table["message"])
    assert [f"§ {sign}." in said or f"§ {sign};" in said for sign in (FEDERAL, LOCAL)] == [
        FEDERAL in met,
        met in (LOCAL, FEDERAL + LOCAL),
    ]


def test_outfalls_count_together_and_days_without_discharge_apart():
    flows = daily("Flow", [0.02, 0.0, 0.02, 0.0]), daily("Flow", [0.006] * 4, outfall="002")
    table = found(*flows, code="candidate significant user", limits=law(flow_test(LOCAL)))
    assert "16000 gpd over 4 day(s), 26000 gpd over those with discharge" in table["message"].iloc[0]


def test_who_is_significant_already_is_no_candidate():
    flow = daily("Flow", np.full(5, 0.05))
    for named in ("SIU", "CIU", "SIU; CIU"):
        who = users(**{"class": named})
        assert len(found(flow, code="candidate significant user", limits=law(flow_test(LOCAL)), who=who)) == 0


def test_five_percent_of_the_plant():
    flow = daily("Flow", np.full(5, 0.02))
    assert len(found(flow, code="candidate significant user", who=users(plant_capacity_mgd="0.4"))) == 1
    assert len(found(flow, code="candidate significant user", who=users(plant_capacity_mgd="0.41"))) == 0
