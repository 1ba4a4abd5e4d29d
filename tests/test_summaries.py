"""Summaries of censored data against published values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pretreat import summaries
from pretreat.errors import UsageError

# Arsenic of Manoa Stream, Oahu [ug/L]: Helsel, Nondetects and Data Analysis (2005), chapter 6.
OAHU = [3.2, 2.8, 2, 2, 2, 2, 2, 2, 2, 2, 1.7, 1.5, 1, 1, 1, 1, 0.9, 0.9, 0.7, 0.7, 0.6, 0.5, 0.5, 0.5]
OAHU_BELOW = [False] * 2 + [True] * 8 + [False] * 2 + [True] * 4 + [False, True] + [False] * 6
OAHU_MODELED = [1.42, 1.14, 0.95, 0.81, 0.68, 0.57, 0.46, 0.35, 0.98, 0.76, 0.58, 0.41, 0.61]

# Helsel and Cohn (1988), appendix B.
COHN = [1.0] * 6 + [10.0] * 3 + [3.0, 7.0, 9.0, 12.0, 15.0, 20.0, 27.0, 33.0, 50.0]
COHN_BELOW = [True] * 9 + [False] * 9
COHN_FULL = [0.47, 0.85, 1.11, 1.27, 1.76, 2.34, 2.50, 3.00, 3.03, 4.80, 7.00, 9.00, 12.0, 15.0, 20.0, 27.0, 33.0, 50.0]

# The data of the R package NADA's example of ROS, and what its `ros` gives (also a test of statsmodels.imputation.ros).
NADA = (
    [(0.09, 1)] * 3 + [(v, 0) for v in (0.101, 0.136, 0.34, 0.457, 0.514, 0.629, 0.638, 0.774, 0.788)] + [(0.9, 1)] * 3
)
NADA += [(1.0, 1)] * 17 + [(1.0, 0)]
NADA += [(v, 0) for v in (1.1, 2, 2, 2.404, 2.86, 3, 3, 3.705, 4, 5, 5.96, 6, 7.214, 16, 17.716, 25, 51)]
NADA_MODELED = [
    0.01907990, 0.03826254, 0.06080717, 0.08745914, 0.25257575, 0.58544205, 0.01711153, 0.03373885, 0.05287083, 0.07506079,
    0.10081573, 0.13070334, 0.16539309, 0.20569039, 0.25257575, 0.30725491, 0.37122555, 0.44636843, 0.53507405, 0.64042242,
    0.76644378, 0.91850581, 1.10390531,
]  # fmt: skip


class TestRegressionOnOrderStatistics:
    def test_helsel_and_cohn_appendix_b(self):
        full = summaries.order_statistics(COHN, COHN_BELOW)
        np.testing.assert_allclose(np.sort(full), COHN_FULL, atol=0.01)

    def test_oahu_arsenic(self):
        full = summaries.order_statistics(OAHU, OAHU_BELOW)
        np.testing.assert_allclose(np.sort(full[np.array(OAHU_BELOW)]), np.sort(OAHU_MODELED), atol=0.006)

    def test_the_nada_package(self):
        values, below = zip(*NADA, strict=True)
        below = np.array(below, dtype=bool)
        full = summaries.order_statistics(values, below)
        np.testing.assert_allclose(np.sort(full[below]), np.sort(NADA_MODELED), atol=5e-4)

    def test_the_order_of_rows_does_not_matter(self):
        mixed = np.random.default_rng(1).permutation(len(OAHU))
        one = summaries.regression(OAHU, OAHU_BELOW)
        two = summaries.regression(np.array(OAHU)[mixed], np.array(OAHU_BELOW)[mixed])
        assert one.mean == pytest.approx(two.mean)

    @pytest.mark.parametrize(
        ("values", "below", "why"),
        [([0.0, 1, 2, 3], [True, False, False, False], "logarithm"), ([1.0, 2, 3], [True, True, False], "non-detects"),
         ([9.0, 1, 2, 3], [True, False, False, False], "above every detection")],
    )  # fmt: skip
    def test_what_it_cannot_estimate_it_refuses(self, values, below, why):
        with pytest.raises(UsageError, match=why):
            summaries.order_statistics(values, below)


class TestKaplanMeier:
    def test_oahu_arsenic(self):
        # Helsel (2005), chapter 6: Kaplan-Meier mean 0.949, standard deviation 0.807, median 0.70.
        found = summaries.kaplan_meier(OAHU, OAHU_BELOW)
        assert found.n == 24
        assert found.n_censored == 13
        assert found.mean == pytest.approx(0.949, abs=5e-4)
        assert found.median == pytest.approx(0.70)

    def test_by_hand(self):
        # <1, 2, <3, 4: S(4) = 3/4; at 2 two are at risk (2 and <1): 3/4 × 1/2. Mean 4/4 + 2 × 3/8 + 1 × 3/8 = 2.125.
        assert summaries.kaplan_meier([1.0, 2, 3, 4], [True, False, True, False]).mean == pytest.approx(2.125)

    def test_without_non_detects_it_is_the_plain_mean(self):
        x = np.array([1.0, 5.0, 2.5, 2.5, 7.0])
        found = summaries.kaplan_meier(x, [False] * 5)
        assert (found.mean, found.sd, found.median) == pytest.approx((x.mean(), x.std(ddof=1), np.median(x)))

    def test_nothing_but_non_detects_is_their_least_limit(self):
        found = summaries.kaplan_meier([2.0, 5.0], [True, True])
        assert found.mean == 2.0

    def test_empty_and_wrong(self):
        assert np.isnan(summaries.kaplan_meier([], []).mean)
        with pytest.raises(UsageError):
            summaries.kaplan_meier([1.0], [True, False])
        with pytest.raises(UsageError):
            summaries.kaplan_meier([np.nan], [True])

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.integers(1, 40), st.booleans()), min_size=1, max_size=15))
    def test_law_the_mean_lies_between_zero_and_limit_substituted(self, pairs):
        x, below = np.array([float(v) for v, _ in pairs]), np.array([b for _, b in pairs])
        mean = summaries.kaplan_meier(x, below).mean
        assert np.where(below, 0, x).mean() - 1e-9 <= mean <= x.mean() + 1e-9


def test_each_users_parameter_is_summarised():
    frame = pd.DataFrame(
        {
            "facility": ["Acme Plating"] * 24 + ["Lake Dairy"] * 2,
            "parameter": ["Arsenic"] * 24 + ["TSS"] * 2,
            "value": [*OAHU, 10.0, 200.0],
            "qualifier": [*("<" if b else "" for b in OAHU_BELOW), "<", ">"],
            "unit": "ug/L",
        }
    )
    found = summaries.summarise(frame).set_index("facility")
    assert found.loc["Acme Plating", "mean_km"] == pytest.approx(0.949, abs=5e-4)
    assert found.loc["Acme Plating", "mean_ros"] == pytest.approx(0.97, abs=0.01)
    assert found.loc["Lake Dairy", "n_left_out"] == 1
    assert np.isnan(found.loc["Lake Dairy", "mean_ros"])


def test_verdicts_under_every_rule_side_by_side():
    from pretreat import packs, pipeline

    results = pd.DataFrame(
        {
            "facility": "Acme Plating",
            "parameter": "Cadmium",
            "fraction": "total",
            "unit": "mg/L",
            "qualifier": ["", "<"],
            "value": [0.6, 1.2],
            "sample_type": "grab",
            "start": pd.to_datetime(["2026-10-05 08:00", "2026-10-05 12:00"]),
        }
    )
    known = packs.load(["ny/little-valley"])
    table = summaries.sensitivity(
        lambda rule: pipeline.check(results, known, nondetects=rule, tables=["comparisons"]).tables["comparisons"]
    )
    daily = table[table.statistic == "24-hour average"].iloc[0]
    # Limit 0.8: zero gives 0.3, half 0.6, the limit 0.9.
    assert daily[["interval", "zero", "half", "limit"]].tolist() == ["undetermined", "complies", "complies", "exceeds"]
    assert daily.changes == "yes"
    with pytest.raises(UsageError, match="third"):
        summaries.sensitivity(lambda rule: table, ["third"])
