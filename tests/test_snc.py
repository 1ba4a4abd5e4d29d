"""Significant noncompliance: 40 CFR 403.8(f)(2)(viii), by published and derived cases, and by its laws."""

from decimal import Decimal
from types import SimpleNamespace as Of

import numpy as np
import pandas as pd
import pytest
from bench import COPPER
from hypothesis import given, settings
from hypothesis import strategies as st

from pretreat import columns, snc
from pretreat.errors import PretreatError
from pretreat.limits.provisions import Limits, Pack
from pretreat.snc import rule as snc_rule

FEDERAL = Of(name="federal/403", snc={"cite": "40 CFR 403.8(f)(2)(viii)"})
HALF = ("2026-04-01", "2026-07-01")


def limits(*packs):
    return Of(packs=(Of(name="permit", snc=None), FEDERAL, *packs))


def row(**more):
    if "limit" in more:
        more["limit_low"] = more["limit_high"] = more.pop("limit")
    return {**COPPER, "limit_id": "Cu", "point": "end of pipe", **more}


def verdict_of(low, high, low_open, high_open, limit):
    """The interface's own words for a verdict, written again and plainly, one pair at a time."""
    a, b, op = limit["limit_low"], limit["limit_high"], limit["operator"]
    if op in ("<", "<="):
        low, high, low_open, high_open, a, b = -high, -low, high_open, low_open, -b, -a
        op = op.replace("<", ">")
    if op == ">":
        exceeds, complies = low > b or (low == b and low_open), high <= a
    else:
        exceeds, complies = low >= b, high < a or (high == a and high_open)
    return 0 if exceeds else 3 if complies else 1


def judged_frames(samples, rows, days=None):
    """Hold every sample against every row: numbers, `(low, high)` pairs, or texts `<0.5` and `>200`."""
    lows, highs, low_open, high_open = [], [], [], []
    for s in samples:
        below, over = isinstance(s, str) and s.startswith("<"), isinstance(s, str) and s.startswith(">")
        low, high = (
            s
            if isinstance(s, tuple)
            else (0.0, float(s[1:]))
            if below
            else (float(str(s).lstrip(">")), float(str(s).lstrip(">")))
        )
        lows.append(low)
        highs.append(np.inf if over else high)
        low_open.append(over)
        high_open.append(below)
    days = pd.date_range("2026-01-01 08:00", periods=len(samples), freq="1h") if days is None else pd.to_datetime(days)
    values = pd.DataFrame(
        {
            "series": 0,
            "statistic": rows[0]["statistic"],
            "period_start": days,
            "period_end": days,
            "low": lows,
            "high": highs,
            "low_open": low_open,
            "high_open": high_open,
            "sample_type": "",
            "rules": 0,
        }
    )
    pairs = [
        (i, j, verdict_of(lows[j], highs[j], low_open[j], high_open[j], r))
        for i, r in enumerate(rows)
        for j in range(len(samples))
    ]
    judged = pd.DataFrame(pairs, columns=["limit", "value", "verdict"])
    series = pd.DataFrame([{k: rows[0][k] for k in ("facility", "outfall", "parameter", "fraction")}])
    return values, judged, pd.DataFrame(rows), series


def judge(samples, *rows, user_class="SIU", period=HALF, packs=(), days=None):
    rows = rows or (row(),)
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": [user_class]})
    return snc.judge(*judged_frames(samples, rows, days), users, limits(*packs), period)


def one(*args, **more):
    """The row of the half year that ends in June (the window that ends in March is not asked for)."""
    found = judge(*args, **more)
    assert len(found) == 1
    return found.iloc[0]


class TestCases:
    """Cases of the papers, by their names."""

    def test_p1_narragansett_bay_chronic(self):
        # Narragansett Bay Commission, "Significant non-compliance": 7 of 10 copper samples over 1.20 ppm, 70 %, SNC by (A).
        got = one([1.21] * 7 + [1.20] * 3)
        assert (got.n, got.n_over_low, got.chronic, got.snc) == (10, 7, "yes", "yes")

    def test_n2_the_factor_is_not_1_4_for_copper(self):
        got = one([1.44, 1.0, 1.0])
        assert (got.trc_factor, got.n_trc_low, got.trc) == (1.2, 1, "yes")
        assert one([1.4399, 1.0, 1.0]).trc == "no"

    def test_d2_equal_to_the_limit_is_not_over(self):
        got = one([1.20, 1.20, 1.20])
        assert (got.n_over_low, got.n_over_high, got.chronic, got.snc) == (0, 0, "no", "no")

    def test_d4_two_of_three_chronic_not_technical(self):
        got = one([1.3, 1.3, 1.0])
        assert (got.chronic, got.trc, got.snc) == ("yes", "no", "yes")

    def test_d6_the_shares_themselves_count(self):
        got = one([1.5] * 33 + [1.3] * 33 + [1.0] * 34)
        assert (got.n_over_low, got.n_trc_low, got.chronic, got.trc) == (66, 33, "yes", "yes")
        assert one([1.5] * 32 + [1.3] * 33 + [1.0] * 35).snc == "no"

    def test_d7_one_bad_sample_is_enough(self):
        got = one([1.5])
        assert (got.n, got.chronic, got.trc, got.snc) == (1, "yes", "yes", "yes")

    def test_d9_ph_has_no_technical_review(self):
        low_ph = row(
            parameter="pH", fraction="", statistic="instantaneous", bound="lower", operator="<", limit=5.0, unit="SU"
        )
        got = one([4.2, 4.2, 7, 7, 7, 7], low_ph)
        assert (got.n_over_low, got.n_trc_low, got.trc, got.snc) == (2, 0, "no", "no")
        assert np.isnan(got.trc_factor)

    def test_d11_cod_is_any_other_pollutant(self):
        # The NPDES list (40 CFR 123.45, appendix A) has 1.4 for COD and would miss it.
        assert one([1200, 900, 900], row(parameter="COD", fraction="", limit=1000)).trc == "yes"

    @pytest.mark.parametrize(("value", "answer"), [(349.9, "no"), (350, "yes")])
    def test_d12_bod(self, value, answer):
        got = one([value, 100, 100], row(parameter="BOD5", fraction="", limit=250))
        assert (got.trc_factor, got.trc) == (1.4, answer)

    def test_d13_no_significant_user_is_in_snc_by_a_or_b(self):
        got = one([1.5], user_class="unpermitted")
        assert (got.significant_user, got.snc) == ("no", "no")
        assert got.n_over_low == 1

    def test_d15_each_limit_is_its_own_series(self):
        cadmium = [0.30, 0.30, 0.30, 0.30, 0.20, 0.20]
        days = pd.date_range("2026-01-10", periods=6, freq="MS")
        daily = one(cadmium, row(parameter="Cadmium", limit=0.69), days=days)
        months = one(cadmium, row(parameter="Cadmium", limit=0.26, statistic="monthly average"), days=days[:6])
        assert (daily.n, daily.n_over_low, daily.snc) == (5 if days[-1].month > 6 else 6, 0, "no")
        assert months.n_over_low == 4
        assert months.n_trc_low == 0


@pytest.mark.parametrize(
    ("limit", "factor_of", "value"),
    [(0.17, "Copper", 0.204), (0.34, "Copper", 0.408), (0.68, "Copper", 0.816), (1.36, "Copper", 1.632),
     (4.23, "Copper", 5.076), (10.3, "Copper", 12.36), (0.69, "Copper", 0.828), (8.3, "BOD5", 11.62),
     (16.6, "TSS", 23.24), (4.11, "Oil and grease", 5.754)],
)  # fmt: skip
def test_binary_rounding_does_not_miss_the_product(limit, factor_of, value):
    got = one([value, 0.0, 0.0], row(parameter=factor_of, limit=limit))
    assert (got.n_trc_low, got.trc) == (1, "yes")
    assert one([value * (1 - 1e-6), 0.0, 0.0], row(parameter=factor_of, limit=limit)).n_trc_high == 0


def test_no_share_is_rounded():
    assert one([1.3] * 29 + [1.0] * 15).chronic == "no"  # 65.909 % is below 66
    assert one([1.5] + [1.0] * 2).trc == "yes"  # 33.33 %
    assert one([1.5] * 329 + [1.0] * 671).trc == "no"  # 32.9 %


def test_no_measurement_is_no_share():
    share = snc_rule.Share(Decimal(66), inclusive=True)
    assert share.reached(np.array([0, 66]), np.array([0, 100])).tolist() == [False, True]


def test_intervals_leave_it_undetermined_and_open_ends_decide():
    got = one(["<2.0", "<2.0", "<2.0"])
    assert (got.n_over_low, got.n_over_high, got.chronic, got.trc, got.snc) == (
        0,
        3,
        "undetermined",
        "undetermined",
        "undetermined",
    )
    # Below 1.44 is not at 1.44: no technical review, though the limit itself may be exceeded.
    got = one(["<1.44"])
    assert (got.n_trc_high, got.trc, got.chronic) == (0, "no", "undetermined")
    got = one([">1.2"])
    assert (got.n_over_low, got.chronic) == (1, "yes")
    assert one([(1.0, 1.3), 1.0, 1.0]).chronic == "no"


def test_a_limit_that_may_not_apply_proves_nothing():
    got = one([9.0], row(limit_low=1.2, limit_high=np.nan))
    assert (got.n_over_low, got.n_over_high, got.snc) == (0, 1, "undetermined")


def test_a_range_is_one_series_and_counts_a_measurement_once():
    ph = {"parameter": "pH", "fraction": "", "statistic": "instantaneous", "unit": "SU", "limit_id": "pH"}
    got = one(
        [4.0, 12.0, 7.0],
        row(**ph, bound="lower", operator="<", limit=5.5),
        row(**ph, bound="upper", operator=">", limit=9.5),
    )
    assert (got.n, got.n_over_low, got.chronic, got.trc) == (3, 2, "yes", "no")


def test_an_equal_value_that_violates_at_or_above_is_not_over_by_the_federal_words():
    assert one([1.2], row(operator=">=")).n_over_high == 0


def test_an_equal_value_that_violates_at_or_below_is_not_under_by_the_federal_words():
    got = one([4.9, 5.0, 6.0], row(parameter="pH", fraction="", unit="SU", bound="lower", operator="<=", limit=5.0))
    assert (got.n, got.n_over_low, got.n_over_high, got.chronic) == (3, 1, 1, "no")


def test_the_technical_review_is_for_concentration_mass_and_flow():
    factors = {
        ("Flow", "MGD"): 1.2,
        ("Zinc", "lb/day"): 1.2,
        ("TSS", "lb/day"): 1.4,
        ("Temperature", "degF"): np.nan,
        ("Flashpoint", "degF"): np.nan,
        ("LEL", "%"): np.nan,
        ("Solids size", "in"): np.nan,
    }
    for (parameter, unit), factor in factors.items():
        got = one([9.0], row(parameter=parameter, unit=unit))
        assert got.trc_factor == pytest.approx(factor, nan_ok=True), parameter


@pytest.mark.parametrize("statistic", ["reading count", "duration", "slug"])
def test_counts_and_durations_are_no_measurements(statistic):
    assert judge([9.0], row(statistic=statistic)).empty


def test_what_is_no_violation_and_no_user_is_not_counted():
    assert judge([9.0], row(kind="surcharge")).empty
    assert judge([9.0], row(point="plant influent")).empty
    frames = judged_frames([9.0], [row()])
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": [""], "point": ["plant influent; plant effluent"]})
    assert snc.judge(*frames, users, limits(), HALF).empty


def test_without_the_federal_rule_there_is_none():
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    assert snc.judge(*judged_frames([9.0], [row()]), users, Of(packs=(Of(name="permit", snc=None),)), HALF).empty


def test_windows_end_with_quarters_whose_last_day_lies_in_the_period():
    days = ["2026-01-15", "2026-05-15", "2026-08-15"]
    got = judge([1.5, 1.0, 1.5], days=days, period=("2026-01-01", "2027-01-01"))
    ends = [(str(r.window_start)[:10], str(r.window_end)[:10], r.n, r.n_over_low) for r in got.itertuples()]
    assert ends == [
        ("2025-10-01", "2026-04-01", 1, 1),
        ("2026-01-01", "2026-07-01", 2, 1),
        ("2026-04-01", "2026-10-01", 2, 1),
        ("2026-07-01", "2027-01-01", 1, 1),
    ]
    assert judge([1.5], days=["2026-10-05"], period=("2026-10-01", "2026-11-01")).empty
    assert len(judge([1.5], days=["2026-10-05"], period=("2026-12-31", "2027-01-01"))) == 1


def test_a_month_belongs_to_the_quarter_that_it_ends_in():
    frames = list(judged_frames([1.5], [row(statistic="monthly average")], days=["2026-03-01"]))
    frames[0]["period_end"] = pd.Timestamp("2026-04-01")
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    got = snc.judge(*frames, users, limits(), ("2026-01-01", "2026-04-01"))
    assert got.n.tolist() == [1]


def test_limits_on_longer_averages_count_daily_values():
    weekly = row(statistic="weekly average", limit=1.0)
    days = pd.to_datetime(["2026-05-04", "2026-05-05", "2026-05-06", "2026-05-04"])
    values = pd.DataFrame(
        {
            "series": 0,
            "statistic": ["daily maximum"] * 3 + ["weekly average"],
            "period_start": days,
            "period_end": days + pd.to_timedelta([1, 1, 1, 7], unit="D"),
            "low": [3.0, 0.5, 0.5, 1.33],
            "high": [3.0, 0.5, 0.5, 1.33],
            "sample_type": "",
            "rules": 0,
        }
    )
    judged = pd.DataFrame({"limit": [0], "value": [3], "verdict": [0]})
    series = pd.DataFrame([{"facility": "Acme Plating", "outfall": "001", "parameter": "Copper", "fraction": "total"}])
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    got = snc.judge(values, judged, pd.DataFrame([weekly]), series, users, limits(), HALF)
    assert got[["n", "n_over_low", "n_trc_low"]].iloc[0].tolist() == [3, 1, 1]
    # A limit from the 4th to the end of the 5th counts the days that it was in force.
    dated = {"from": pd.Timestamp("2026-05-04"), "until": pd.Timestamp("2026-05-06")}
    got = snc.judge(values, judged, pd.DataFrame([weekly | dated]), series, users, limits(), HALF)
    assert got[["n", "n_over_low", "n_trc_low"]].iloc[0].tolist() == [2, 1, 1]


def test_a_part_that_proves_the_whole_over_is_no_measurement():
    values, judged, in_force, series = judged_frames([9.0], [row(parameter="Chromium")])
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    assert not snc.judge(values, judged, in_force, series, users, limits(), HALF).empty
    for part in ({"parameter": "Chromium (VI)"}, {"fraction": "dissolved"}):
        assert snc.judge(values, judged, in_force, series.assign(**part), users, limits(), HALF).empty


def test_a_composite_under_an_instantaneous_limit_leaves_both_open():
    grease = row(parameter="Oil and grease", fraction="", statistic="instantaneous", limit=100.0)
    values, judged, in_force, series = judged_frames([50.0, 120.0], [grease])
    values["sample_type"], judged["verdict"] = "composite", [1, 0]
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    got = snc.judge(values, judged, in_force, series, users, limits(), HALF).iloc[0]
    assert (got.n_over_low, got.n_over_high, got.n_trc_low, got.n_trc_high) == (1, 2, 0, 2)


@pytest.mark.parametrize(
    ("statistic", "kind", "possible"),
    [("instantaneous", "composite", 2), ("instantaneous", "grab", 1), ("daily maximum", "composite", 1)],
)
def test_only_a_composite_under_an_instantaneous_limit_may_have_been_higher(statistic, kind, possible):
    """50 and 150 of a limit of 100 for oil and grease: 150 is over 140, and a composite of 50 may hide a grab that was."""
    frames = judged_frames([50.0, 150.0], [row(parameter="Oil and grease", statistic=statistic, limit=100.0)])
    frames[0]["sample_type"] = kind
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    got = snc.judge(*frames, users, limits(), HALF).iloc[0]
    assert (got.n_trc_low, got.n_trc_high) == (1, possible)


def test_what_lies_inside_a_forbidden_band_is_over():
    """Solid between 32 and 150 °F is forbidden: 90 is a violation, 160 is none."""
    band = row(parameter="Solidification temperature", fraction="", statistic="instantaneous", unit="degF")
    band |= {"bound": "inside", "operator": ">=", "limit_low": 32.0, "limit_high": 150.0}
    values, judged, in_force, series = judged_frames([90.0, 160.0], [band])
    judged["verdict"] = [0, 3]
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    got = snc.judge(values, judged, in_force, series, users, limits(), HALF).iloc[0]
    assert (got.n, got.n_over_low, got.n_over_high, got.trc) == (2, 1, 1, "no")


def test_results_that_cannot_be_judged_are_no_measurements():
    values, judged, in_force, series = judged_frames([9.0, 1.0], [row()])
    judged.loc[0, "verdict"] = columns.VERDICTS.index("not evaluated")
    users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
    assert snc.judge(values, judged, in_force, series, users, limits(), HALF).n.tolist() == [1]


class TestWording:
    def test_claremore_equal_is_chronic(self):
        # Claremore OK § 52.051 prints "equal or exceed".
        own = Of(
            name="permit",
            snc={"cite": "§ 52.051", "chronic": {"share": "at or above 66 %", "over": "at or above the limit"}},
        )
        users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
        got = snc.judge(*judged_frames([1.2], [row()]), users, Of(packs=(own, FEDERAL)), HALF).iloc[0]
        assert (got.n_over_low, got.chronic, got.rule_cite) == (1, "yes", "§ 52.051")

    def test_a_local_wording_holds_for_the_permits_under_it_and_not_for_the_federal_limits(self):
        town = Of(name="town", snc={"cite": "§ 52.051", "chronic": {"over": "at or above the limit"}})
        packs = Of(packs=(Of(name="permit", snc=None), town, FEDERAL))
        users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
        rows = [row(), row(pack="federal/403", limit_id="federal")]
        got = snc.judge(*judged_frames([1.2], rows), users, packs, HALF).set_index("limit_pack")
        assert got.loc["permit", ["rule_cite", "chronic"]].tolist() == ["§ 52.051", "yes"]
        assert got.loc["federal/403", ["rule_cite", "chronic"]].tolist() == ["40 CFR 403.8(f)(2)(viii)", "no"]

    def test_two_local_wordings_leave_the_federal_one(self):
        towns = [Of(name=name, snc={"cite": name}) for name in ("one", "two")]
        users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
        got = snc.judge(*judged_frames([1.2], [row()]), users, limits(*towns), HALF)
        assert got.rule_cite.tolist() == ["40 CFR 403.8(f)(2)(viii)"]

    def test_each_user_is_under_the_wording_of_the_town_that_it_names(self):
        """Two towns with wordings of their own: who names both, or neither, is left the federal one."""
        words = {"permit": None, "town": {"cite": "town"}, "village": {"cite": "village"}, "federal/403": FEDERAL.snc}
        nothing = {"file": "", "sha256": "", "document": {}, "settings": {}, "facts": {}, "rows": ()}
        packs = Limits(tuple(Pack(name=name, snc=block, **nothing) for name, block in words.items()))
        named = {"A": "permit; town", "B": "permit; village", "C": "permit; town; village", "D": "permit"}
        users = pd.DataFrame({"facility": list(named), "class": "SIU", "packs": list(named.values())})
        values, judged, in_force, series = judged_frames([1.3], [row(facility=name) for name in named])
        judged["value"], values = range(4), pd.concat([values.assign(series=n) for n in range(4)], ignore_index=True)
        series = pd.concat([series.assign(facility=name) for name in named], ignore_index=True)
        got = snc.judge(values, judged, in_force, series, users, packs, HALF).set_index("facility")["rule_cite"]
        federal = FEDERAL.snc["cite"]
        assert got.to_dict() == {"A": "town", "B": "village", "C": federal, "D": federal}
        # Without a column that says so, all packs bind everybody.
        got = snc.judge(values, judged, in_force, series, users.drop(columns="packs"), packs, HALF)
        assert set(got["rule_cite"]) == {federal}

    def test_pinole_technical_review(self):
        # Pinole CA § 13.05.380: by more than the product; 1.4 for oil and grease alone.
        block = {
            "technical": {"share": "at or above 33 %", "over": "above the limit times the factor"},
            "factors": {"Oil and grease": 1.4, "pH": "none", "others": 1.2, "BOD5": 1.2, "TSS": 1.2},
        }
        rule = snc_rule.parse(block, pack="examples/pinole")
        assert (rule.technical_inclusive, rule.factor("TSS"), rule.factor("Oil and grease")) == (False, 1.2, 1.4)

    def test_another_window(self):
        # Narragansett Bay: January 1 to June 30, so a half year that ends with a half year.
        rule = snc_rule.parse({"every": "half year"}, pack="examples/narragansett-bay")
        own = Of(name="permit", snc={"every": "half year"})
        users = pd.DataFrame({"facility": ["Acme Plating"], "class": ["SIU"]})
        frames = judged_frames([1.5], [row()], days=["2026-02-01"])
        got = snc.judge(*frames, users, Of(packs=(own,)), ("2026-01-01", "2027-01-01"))
        assert (rule.months, rule.every) == (6, 6)
        assert got.window_end.dt.strftime("%Y-%m-%d").tolist() == ["2026-07-01"]

    @pytest.mark.parametrize(
        "block",
        [{"chronic": {"share": "most"}}, {"technical": {"over": "over"}}, {"factors": {"TSS": "some"}}, {"window": "a while"}, {"window": "5 months"}],
    )  # fmt: skip
    def test_other_words_are_refused_and_named(self, block):
        with pytest.raises(PretreatError, match=r"examples/x, \[snc\]"):
            snc_rule.parse(block, pack="examples/x")

    def test_factor_groups(self):
        rule = snc_rule.parse({}, pack="federal/403")
        for name in ("CBOD5", "BOD5", "TSS", "Oil and grease", "Oil and grease (nonpolar)"):
            assert rule.factor(name) == 1.4, name
        for name in ("Ammonia as N", "Phosphorus", "COD", "Zinc", "TDS", "TTO"):
            assert rule.factor(name) == 1.2, name


class TestUsers:
    @pytest.mark.parametrize(
        ("user_class", "category", "answer"),
        [("SIU", "", "yes"), ("ciu", "", "yes"), ("unpermitted", "", "no"), ("", "", "unknown"), ("", "433 PSES", "yes"),
         ("permitted", "", "unknown"), ("permitted; SIU", "", "yes"), ("NSCIU", "433 PSES", "no")],
    )  # fmt: skip
    def test_significant(self, user_class, category, answer):
        assert snc_rule.significant(user_class, category) == answer

    def test_unknown_users_are_computed_and_never_published(self):
        got = judge([9.0], user_class="")
        assert got[["significant_user", "snc"]].iloc[0].tolist() == ["unknown", "yes"]
        assert snc.publication(got, 2026).empty

    def test_a_class_holds_in_its_span(self):
        users = pd.DataFrame(
            {
                "facility": ["Acme Plating"] * 2,
                "class": ["SIU", "unpermitted"],
                "from": pd.to_datetime([None, "2026-05-01"]),
                "until": pd.to_datetime(["2026-05-01", None]),
            }
        )
        frames = judged_frames([9.0, 9.0], [row()], days=["2026-02-01", "2026-11-01"])
        got = snc.judge(*frames, users, limits(), ("2026-04-01", "2027-01-01"))
        # January to June, with the SIU of April; July to December, after it.
        assert got.significant_user.tolist() == ["yes", "no"]


def test_publication_lists_a_year_once():
    got = judge([9.0] * 3, days=["2026-02-01", "2026-05-01", "2026-08-01"], period=("2026-01-01", "2027-01-01"))
    listed = snc.publication(got, 2026)
    assert len(listed) == 1
    assert listed.criteria[0] == "chronic; technical review"
    assert listed.windows[0].count(";") == 3
    assert snc.publication(got, 2025).empty


def test_one_more_sample():
    got = judge([1.3, 1.0])
    more = snc.one_more(got, limits()).iloc[0]
    assert (more.chronic_if_over, more.chronic_if_under) == ("yes", "no")
    assert (more.trc_if_over, more.trc_if_under) == ("yes", "no")
    assert (more.snc_if_over, more.snc_if_under) == ("yes", "no")
    # The same samples of a user who is not significant.
    exempt = snc.one_more(judge([1.3, 1.0], user_class="unpermitted"), limits()).iloc[0]
    assert (exempt.chronic_if_over, exempt.snc_if_over, exempt.snc_if_under) == ("yes", "no", "no")


def test_one_more_sample_beside_one_that_may_be_over():
    """1.3, less than 5 and 1.0 of a limit of 1.2: one is over, or two; of four, two are 50 % and three 75 %.

    At 1.44 or more (1.2 times 1.2) lies none of them, or one; of four, one is 25 % and two are 50 %.
    """
    table = judge([1.3, "<5", 1.0])
    more = snc.one_more(table, limits()).iloc[0]
    assert (table.iloc[0].n_over_low, table.iloc[0].n_over_high, table.iloc[0].chronic) == (1, 2, "undetermined")
    assert (more.chronic_if_over, more.chronic_if_under) == ("undetermined", "no")
    assert (more.trc_if_over, more.trc_if_under) == ("undetermined", "no")


def test_the_judgments_of_a_person_are_listed():
    assert snc.judgments()["cite"].iloc[0] == "40 CFR 403.8(f)(2)(viii)(C)"


concentration = st.integers(0, 400).map(lambda n: n / 100)
sample = st.one_of(concentration, concentration.map("<{}".format), concentration.map(">{}".format))


@settings(max_examples=20, deadline=None)
@given(st.lists(sample, min_size=1, max_size=12), st.randoms())
def test_law_the_order_of_rows_does_not_matter(samples, random):
    mixed = samples.copy()
    random.shuffle(mixed)
    pd.testing.assert_frame_equal(judge(samples), judge(mixed))


@settings(max_examples=20, deadline=None)
@given(st.lists(sample, min_size=1, max_size=12))
def test_law_possible_holds_proven_and_over_holds_the_review(samples):
    got = one(samples)
    assert 0 <= got.n_over_low <= got.n_over_high <= got.n == len(samples)
    assert got.n_trc_low <= got.n_trc_high
    assert got.n_trc_low <= got.n_over_low
    assert got.n_trc_high <= got.n_over_high


@settings(max_examples=20, deadline=None)
@given(st.lists(concentration, min_size=1, max_size=12), st.sampled_from([0.001, 1000.0, 8.34]))
def test_law_scaling_values_and_limit_together_changes_nothing(samples, factor):
    plain, scaled = one(samples), one([s * factor for s in samples], row(limit=1.2 * factor))
    for name in ("n", "n_over_low", "n_over_high", "n_trc_low", "n_trc_high", "snc"):
        assert plain[name] == scaled[name]


@settings(max_examples=20, deadline=None)
@given(st.lists(concentration, min_size=1, max_size=8), st.integers(0, 7), concentration)
def test_law_raising_a_value_never_clears_an_upper_limit(samples, at, more):
    order = ("no", "undetermined", "yes")
    raised = [s + more if i == at else s for i, s in enumerate(samples)]
    assert order.index(one(raised).snc) >= order.index(one(samples).snc)


def test_many_measurements_take_little_time():
    # 1,000 users with 200 measurements each.
    import time

    rng = np.random.default_rng(1)
    users, each = 1_000, 200
    names = [f"User {i}" for i in range(users)]
    in_force = pd.DataFrame([row(facility=name) for name in names])
    start = np.datetime64("2026-01-01", "s") + rng.integers(0, 31_000_000, users * each).astype("timedelta64[s]")
    low = rng.gamma(2, 0.5, users * each)
    code = np.repeat(np.arange(users), each)
    values = pd.DataFrame({"series": code, "statistic": "daily maximum", "period_start": start, "period_end": start,
                           "low": low, "high": low, "sample_type": "", "rules": 0})  # fmt: skip
    judged = pd.DataFrame({"limit": code, "value": np.arange(len(code)), "verdict": np.where(low > 1.2, 0, 3)})
    frame = pd.DataFrame({"facility": names, "class": "SIU"})
    series = pd.DataFrame({"facility": names, "parameter": "Copper"})
    began = time.process_time()
    got = snc.judge(values, judged, in_force, series, frame, limits(), ("2026-01-01", "2027-01-01"))
    assert time.process_time() - began < 3
    assert len(got) == users * 4
    assert got[got.window_start == "2026-01-01"].n.sum() + got[got.window_start == "2026-07-01"].n.sum() == users * each


def test_publication_says_which_criterion_it_was():
    many = judge([1.3] * 3, days=["2026-04-05", "2026-05-05", "2026-06-05"])
    assert snc.publication(many, 2026)["criteria"].tolist() == ["chronic"]
    high = judge([9.0, 0.1, 0.1], days=["2026-04-05", "2026-05-05", "2026-06-05"])
    assert snc.publication(high, 2026)["criteria"].tolist() == ["technical review"]


@pytest.mark.parametrize(("user_class", "listed"), [("SIU", ["report received late"]), ("unpermitted", [])])
def test_a_late_report_of_a_significant_user_without_results_is_published(user_class, listed):
    late = pd.DataFrame(
        {"facility": ["Quiet"], "pack": ["federal/403"], "cite": [FEDERAL.snc["cite"] + "(F)"], "subject": ["report received"],
         "due": pd.to_datetime(["2026-03-01"]), "verdict": ["late"], "reason": ["9 days late"]}
    )  # fmt: skip
    users = pd.DataFrame({"facility": ["Quiet"], "class": [user_class]})
    found = snc.publication(judge([0.1]), 2026, late, users)
    assert found["criteria"].tolist() == listed
    assert snc.publication(judge([0.1]), 2025, late, users).empty
    # Who has measurements is known by them, without the users' table.
    mine = snc.publication(judge([0.1], user_class=user_class), 2026, late.assign(facility="Acme Plating"))
    assert mine["criteria"].tolist() == listed
