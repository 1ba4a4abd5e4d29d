"""Significance from results and packs to the table, by derived cases of 40 CFR 403.8(f)(2)(viii)."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from bench import known, limit

from pretreat import packs, pipeline
from pretreat.limits.provisions import Limits

PACK = """
[document]
title = "Permit of a test"
cite  = "Part 1"

[settings]
unstated = "instantaneous"

[[table]]
cite    = "A"
unit    = "mg/L"
columns = ["parameter", "Daily Maximum"]
rows = [["COD", 1000], ["BOD5", 250], ["Copper", 1.20]]

[[limit]]
id        = "pH"
cite      = "B"
parameter = "pH"
below     = 5.5
above     = 9.5
"""


@pytest.fixture(scope="module")
def permit(tmp_path_factory):
    path = tmp_path_factory.mktemp("pack") / "permit.toml"
    path.write_text(PACK, encoding="utf-8")
    return packs.load([str(path), "federal/403"])


def samples(parameter, values, days, unit="mg/L", sample_type="composite", fraction=""):
    start = pd.to_datetime(days)
    hours = 24 if sample_type == "composite" else 0
    return pd.DataFrame(
        {
            "facility": "Acme Plating",
            "parameter": parameter,
            "fraction": fraction,
            "value": [float(str(v).lstrip("<")) for v in values],
            "qualifier": ["<" if str(v).startswith("<") else "" for v in values],
            "unit": unit,
            "sample_type": sample_type,
            "start": start,
            "end": start + pd.Timedelta(hours=hours),
        }
    )


def snc_of(results, known, period="2026-H1", user_class="SIU", **more):
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": [user_class], **more})
    found = pipeline.check(results, known, facilities=users, period=period, tables=["snc"]).tables["snc"]
    return found[found["window_end"] == "2026-07-01"]


DAYS = ["2026-01-12", "2026-03-09", "2026-05-11"]


@pytest.mark.parametrize(("value", "trc"), [(1200, "yes"), (1199.9, "no")])
def test_d11_cod(permit, value, trc):
    row = snc_of(samples("COD", [value, 900, 900], DAYS), permit).iloc[0]
    assert (row.n, row.trc_factor, row.trc) == (3, 1.2, trc)


@pytest.mark.parametrize(("value", "trc"), [(349.9, "no"), (350, "yes")])
def test_d12_bod(permit, value, trc):
    row = snc_of(samples("BOD5", [value, 100, 100], DAYS), permit).iloc[0]
    assert (row.trc_factor, row.trc) == (1.4, trc)


def test_d2_and_d4_and_d7_copper(permit):
    assert snc_of(samples("Copper", [1.2, 1.2, 1.2], DAYS, fraction="total"), permit).snc.tolist() == ["no"]
    row = snc_of(samples("Copper", [1.3, 1.3, 1.0], DAYS, fraction="total"), permit).iloc[0]
    assert (row.chronic, row.trc) == ("yes", "no")
    row = snc_of(samples("Copper", [1.5], DAYS[:1], fraction="total"), permit).iloc[0]
    assert (row.chronic, row.trc, row.snc) == ("yes", "yes", "yes")


@pytest.mark.parametrize(
    ("user_class", "told", "snc"), [("SIU", "yes", "yes"), ("unpermitted", "no", "no"), ("", "unknown", "yes")]
)
def test_d13_whose_criteria_they_are(permit, user_class, told, snc):
    row = snc_of(samples("Copper", [1.5], DAYS[:1], fraction="total"), permit, user_class=user_class).iloc[0]
    assert (row.significant_user, row.snc) == (told, snc)


def test_d9_ph_both_ends_of_one_range_are_one_series(permit):
    days = pd.date_range("2026-01-12", periods=6, freq="3W")
    found = snc_of(samples("pH", [4.2, 10.2, 7, 7, 7, 7], days, unit="SU", sample_type="grab"), permit)
    own = found[found.limit_id == "pH"]
    assert own[["n", "n_over_low", "chronic", "trc"]].to_numpy().tolist() == [[6, 2, "no", "no"]]
    assert own.trc_factor.isna().all()
    federal = found[found.limit_pack == "federal/403"].iloc[0]
    assert (federal.n, federal.n_over_low) == (6, 1)


def test_d15_daily_and_monthly_are_two_series():
    known = packs.load(["federal/433", "federal/403"])
    days = pd.date_range("2026-01-01", periods=6, freq="MS") + pd.Timedelta(days=9)
    cadmium = samples("Cadmium", [0.30, 0.30, 0.30, 0.30, 0.20, 0.20], days, fraction="total")
    found = snc_of(cadmium, known, category="433 PSES", point="end of process", user_class="CIU")
    rows = found[found.parameter == "Cadmium"].set_index("statistic")
    assert rows.loc["daily maximum", ["n", "n_over_low", "snc"]].tolist() == [6, 0, "no"]
    assert rows.loc["monthly average", ["n", "n_over_low", "chronic", "n_trc_low", "snc"]].tolist() == [
        6,
        4,
        "yes",
        0,
        "yes",
    ]


def test_d16_non_detects_never_leave_the_denominator():
    known = packs.load(["federal/433", "federal/403"])
    days = ["2026-01-05", "2026-01-12", "2026-01-19", "2026-01-26"]
    cadmium = samples("Cadmium", [0.10, 0.50, "<0.02", "<0.02"], days, fraction="total")
    found = snc_of(cadmium, known, category="433 PSES", point="end of process")
    month = found[(found.parameter == "Cadmium") & (found.statistic == "monthly average")].iloc[0]
    assert (month.n, month.n_over_high) == (1, 0)  # 0.15 to 0.16, not 0.30


def test_a_results_before_the_period_counts_in_the_half_year(permit):
    results = samples("Copper", [1.5, 1.0, 1.0], ["2026-01-12", "2026-04-13", "2026-05-11"], fraction="total")
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    found = pipeline.check(results, permit, facilities=users, period="2026-Q2", tables=["snc"]).tables["snc"]
    assert found.window_end.dt.strftime("%Y-%m-%d").tolist() == ["2026-07-01"]
    assert found[["n", "n_over_low", "trc"]].to_numpy().tolist() == [[3, 1, "yes"]]


def test_without_the_federal_part_there_is_no_rule(permit, tmp_path):
    (tmp_path / "permit.toml").write_text(PACK, encoding="utf-8")
    alone = packs.load([str(tmp_path / "permit.toml")])
    assert snc_of(samples("Copper", [1.5], DAYS[:1], fraction="total"), alone).empty


def test_claremores_wording_where_it_is_in_force(tmp_path):
    (tmp_path / "permit.toml").write_text(PACK, encoding="utf-8")
    known = packs.load([str(tmp_path / "permit.toml"), "examples/claremore", "federal/403"])
    row = snc_of(samples("Copper", [1.2, 1.2, 1.2], DAYS, fraction="total"), known).iloc[0]
    assert (row.rule_cite, row.chronic) == ("§ 52.051", "yes")


def test_two_users_together_give_what_they_give_apart(permit):
    rng = np.random.default_rng(3)
    days = pd.date_range("2026-01-05", periods=12, freq="2W")
    one = samples("Copper", rng.gamma(2, 0.6, 12).round(2), days, fraction="total")
    two = samples("Copper", rng.gamma(2, 0.6, 12).round(2), days, fraction="total").assign(facility="Lake Dairy")
    users = pd.DataFrame({"facility": ["Acme Plating", "Lake Dairy"], "class": ["SIU", "SIU"]})

    def judged(results):
        return pipeline.check(results, permit, facilities=users, period="2026-H1", tables=["snc"]).tables["snc"]

    both = judged(pd.concat([two, one], ignore_index=True))
    apart = pd.concat([judged(one), judged(two)], ignore_index=True)
    pd.testing.assert_frame_equal(both, apart, check_dtype=False, check_categorical=False)


def test_the_days_measured_for_a_longer_average_are_those_while_its_limit_is_in_force():
    # Four days over, of which the limit had not begun on the first and had ended on the last.
    weekly = limit("Copper", ">", "1.0", "weekly average", start=dt.date(2026, 3, 1), until=dt.date(2026, 5, 1))
    both = Limits((*known(weekly).packs, *packs.load("federal/403").packs))
    days = ["2026-02-10", "2026-03-10", "2026-04-10", "2026-05-10"]
    found = snc_of(samples("Copper", [1.5, 1.5, 0.5, 1.5], days, fraction="total"), both)
    assert found[["statistic", "n", "n_over_low"]].to_numpy().tolist() == [["weekly average", 2, 1]]
