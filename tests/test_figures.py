"""Figures: what they draw is what the tables say; shape says what colour says; long logs stay light and keep their peaks."""

from types import SimpleNamespace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_review import DAIRY, PLATER, WASH, empty_review, made_review

import pretreat
from pretreat import figures
from pretreat.errors import UsageError
from pretreat.report import series

mpl.use("Agg")


@pytest.fixture(scope="module")
def review():
    return made_review()


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def labels(ax):
    return ax.get_legend_handles_labels()[1]


def marked(ax, label):
    """The values that carry a mark of this name."""
    return [y for each in ax.collections if each.get_label() == label for _, y in each.get_offsets()]


def lines(ax):
    return sorted({float(line.get_ydata()[0]) for line in ax.lines if len(set(line.get_ydata())) == 1})


def test_a_parameter_against_its_limits(review):
    ax = figures.plot(review, "Zinc", PLATER)
    assert sorted(marked(ax, "exceeds")) == [2.55, 2.6, 2.7]
    assert marked(ax, "30-day average exceeds") == pytest.approx([2.2625])
    assert lines(ax) == [1.2, 2.4]
    assert "24-hour average: at most 2.4, § 194-6C(8)" in labels(ax)
    assert ax.get_ylabel() == "mg/L"
    assert PLATER in ax.get_title()


def test_nondetects_are_open_dots_with_bars_from_zero(review):
    ax = figures.plot(review, "Selenium", PLATER)
    assert len(marked(ax, "interval, such as a non-detect")) == 17
    assert marked(ax, "undetermined") == [0.6]
    bars = [
        s for each in ax.collections if hasattr(each, "get_segments") for s in each.get_segments() if s[0][0] == s[1][0]
    ]
    assert {float(bar[0][1]) for bar in bars} == {0.0}
    assert max(float(bar[1][1]) for bar in bars) == 0.6


def test_a_lower_limit_is_violated_downwards(review):
    ax = figures.plot(review, "pH", WASH)
    assert marked(ax, "under the lower limit") == [5.7]
    assert marked(ax, "exceeds") == [9.9]
    assert lines(ax) == [6.0, 9.5]
    assert ax.get_ylim()[0] > 0


def test_a_limit_printed_unclearly_is_a_band(review):
    ax = figures.plot(review, "Temperature", DAIRY)
    assert lines(ax) == [147.2, 150.0]
    assert len(ax.patches) == 1


def test_the_axes_given_are_used_and_returned(review):
    _, ax = plt.subplots()
    assert figures.plot(review, "Copper", PLATER, ax=ax) is ax
    _, ax = plt.subplots()
    assert figures.heatmap(review, ax=ax) is ax
    _, ax = plt.subplots()
    assert figures.timeline(review, PLATER, ax=ax) is ax
    _, ax = plt.subplots()
    assert figures.hydrograph(review, DAIRY, ax=ax) is ax


def test_one_user_need_not_be_named(review):
    assert PLATER in figures.plot(review, "Lead").get_title()


@pytest.mark.parametrize(
    ("parameter", "facility", "says"),
    [
        ("Unobtainium", PLATER, "there is no parameter 'Unobtainium'"),
        ("pH", None, "several users have pH"),
        ("Zinc", DAIRY, f"'{DAIRY}' has no Zinc"),
        ("pH", "Acme", "'Acme' has no pH"),
    ],
)
def test_what_cannot_be_drawn_is_said(review, parameter, facility, says):
    with pytest.raises(UsageError, match=says):
        figures.plot(review, parameter, facility)


def test_several_outfalls_must_be_told_apart(review):
    copy = review.tables["comparisons"].assign(outfall=lambda f: f["outfall"].replace("001", "002"))
    both = made_review(comparisons=pd.concat([review.tables["comparisons"], copy]))
    with pytest.raises(UsageError, match="at several outfalls"):
        figures.plot(both, "Zinc", PLATER)
    assert "002" in figures.plot(both, "Zinc", PLATER, outfall="002").get_title()


def test_the_heat_map_has_a_sign_in_each_cell(review):
    ax = figures.heatmap(review)
    signs = [text.get_text() for text in ax.texts]
    assert set(signs) == {"▲", "?", "–", "✓", "○"}
    assert len(signs) == len(ax.patches)


def test_the_time_line_has_a_line_for_each_parameter_and_duty(review):
    ax = figures.timeline(review, PLATER)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert {"Zinc", "Lead", "pH"} <= set(names)
    assert any(name.startswith("Repeat the sampling") for name in names)
    assert {"exceeds", "undetermined", "met", "late"} <= set(labels(ax))
    with pytest.raises(UsageError, match="no user 'Acme'"):
        figures.timeline(review, "Acme")


def test_the_hydrograph_has_baseline_level_and_runs(review):
    ax = figures.hydrograph(review, DAIRY)
    assert {"readings", "baseline 0.03", "5 × baseline 0.15", "run: exceeds"} <= set(labels(ax))
    assert max(ax.lines[0].get_ydata()) == 0.21
    part = figures.hydrograph(review, DAIRY, start="2026-10-06T00:00", end="2026-10-06T06:00")
    assert len(part.lines[0].get_xdata()) == 73
    with pytest.raises(UsageError, match="no timed readings"):
        figures.hydrograph(review, DAIRY, "TSS")


def test_a_review_of_nothing_draws_an_empty_heat_map():
    assert not figures.heatmap(empty_review()).patches


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=400), st.integers(1, 60))
def test_thinning_keeps_the_ends_of_each_pixel_and_the_order(values, pixels):
    x, y = np.arange(len(values), dtype=np.float64), np.array(values)
    thin_x, thin_y = series.thin(x, y, pixels)
    assert len(thin_x) <= max(2 * pixels, min(len(x), 2 * pixels))
    assert (np.diff(thin_x) > 0).all()
    assert (thin_y.min(), thin_y.max()) == (y.min(), y.max())
    assert set(zip(thin_x, thin_y, strict=True)) <= set(zip(x, y, strict=True))


def test_a_year_of_one_minute_readings_is_light_and_keeps_its_peak(review):
    times = pd.date_range("2025-01-01", periods=525_600, freq="min")
    flow = np.full(len(times), 0.03)
    flow[123_456] = 9.0
    results = pd.DataFrame({"facility": "A", "parameter": "Flow", "start": times, "value": flow, "unit": "MGD"})
    ax = figures.hydrograph(made_review(results=results), "A")
    drawn = ax.lines[0].get_ydata()
    assert len(drawn) <= 4000
    assert max(drawn) == 9.0


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Copper under a limit in mg/L and one in lb/day."""
    pack = tmp_path_factory.mktemp("permit") / "permit.toml"
    pack.write_text(
        '[document]\ntitle = "Permit"\ncite = "Permit 7"\n[settings]\nunstated = "daily maximum"\n'
        '[[limit]]\ncite = "A"\nparameter = "Copper"\nabove = 1.6\nunit = "mg/L"\n'
        '[[limit]]\ncite = "B"\nparameter = "Copper"\nabove = 0.2\nunit = "lb/day"\n'
    )
    rows = [("Copper", 5.0, "mg/L"), ("Flow", 0.02, "MGD")]
    days = pd.date_range("2026-10-05", periods=3)
    frame = pd.DataFrame([("Acme", *row, day) for row in rows for day in days],
                         columns=["facility", "parameter", "value", "unit", "start"])  # fmt: skip
    return pretreat.check(frame, str(pack), federal=False)


@pytest.mark.parametrize(("unit", "limit", "value"), [(None, 1.6, 5.0), ("lb/day", 0.2, 5 * 0.02 * 8.34)])
def test_a_picture_is_of_one_unit(both, unit, limit, value):
    ax = both.plot("Copper", unit=unit)
    assert marked(ax, "exceeds") == pytest.approx([value] * 3)
    assert lines(ax) == [limit]
    assert ax.get_ylabel() == (unit or "mg/L")
    with pytest.raises(UsageError, match="mg/L"):
        both.plot("Copper", unit="ppm")


def test_charts_of_the_page_and_workbook_are_of_one_unit(both):
    found = series.charts(both.tables, series.exceeded(both.tables))
    assert [each.unit for each in found] == ["mg/L", "lb/day"]
    for each in found:
        assert set(each.points["unit"]) == set(each.limits["unit"]) == {each.unit}


def test_a_unit_in_which_all_complies_has_no_figure_beside_one_that_exceeds(both):
    over, fine = series.charts(both.tables, series.exceeded(both.tables))
    fine = series.Chart(fine.key, fine.unit, fine.points.assign(verdict="complies"), fine.limits)
    assert series.notable([over, fine]) == [over]
    assert series.notable([fine]) == [fine]


def test_the_heat_map_leaves_out_parameters_without_results(both):
    few = both.heatmap()
    assert [each.get_text() for each in few.get_xticklabels()] == ["Copper"]
    assert figures.heatmap(empty_review()) is not None


def test_a_hydrograph_draws_no_line_over_a_gap() -> None:
    day = pd.date_range("2026-10-01", periods=48, freq="30min")
    times = day.append(pd.DatetimeIndex(["2026-10-05 08:00"])).append(day + pd.Timedelta(days=9))
    results = pd.DataFrame({"facility": "Acme", "parameter": "Flow", "start": times, "value": 0.02, "unit": "MGD"})
    review = SimpleNamespace(tables={"results": results}, provenance={})
    ax = figures.hydrograph(review, "Acme")
    line, dots = ax.lines[:2]
    assert (
        np.isnan(np.asarray(line.get_ydata(), dtype=float)).sum() == 2
    )  # after the first day, and after the one reading
    assert len(dots.get_xdata()) == 1
    assert pd.Timestamp(dots.get_xdata()[0]) == pd.Timestamp("2026-10-05 08:00")
    wide = SimpleNamespace(tables={"results": results}, provenance={"options": {"max_gap": "30 d"}})
    assert not np.isnan(np.asarray(figures.hydrograph(wide, "Acme").lines[0].get_ydata(), dtype=float)).any()
