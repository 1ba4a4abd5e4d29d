"""Pounds a day from the flow of the sampling day; concentrations weighted by flow."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pretreat
from pretreat import loads
from pretreat.loads import flow_weighting

FINITE = st.floats(1e-6, 1e6)


def result(parameter, value, start, *, unit=None, outfall="001", sample_type="grab", end=None, qualifier="", cell="A1"):
    return {
        "facility": "Acme Plating",
        "outfall": outfall,
        "parameter": parameter,
        "fraction": "",
        "sample_type": sample_type,
        "start": pd.Timestamp(start),
        "end": pd.Timestamp(end) if end else pd.NaT,
        "qualifier": qualifier,
        "value": value,
        "unit": unit or ("MGD" if parameter == "Flow" else "mg/L"),
        "detection_limit": np.nan,
        "source_file": "lab.xlsx",
        "source_sheet": "Data",
        "source_cell": cell,
    }


def frame(*rows):
    return pd.DataFrame(list(rows))


def asks(parameter="Zinc", **more):
    return pd.DataFrame(
        {"facility": ["Acme Plating"], "outfall": ["001"], "parameter": [parameter], "unit": ["lb/day"], **more}
    )


def test_the_published_load_of_a_plants_own_report():
    """Cape Elizabeth, May 2017: 2.63 mg/L at 0.278 MGD is 6.0977076 lb/day, 4.2 is 9.737784 (the plant's WIMS export)."""
    assert float(loads.load(2.63, 0.278)) == pytest.approx(6.0977076, abs=1e-9)
    assert float(loads.load(4.2, 0.278)) == pytest.approx(9.737784, abs=1e-9)


def test_unit_sanity():
    """cases.md: 0.2 lb/day at 0.05 MGD is 0.4796 mg/L."""
    assert round(float(loads.concentration(0.2, 0.05)), 4) == 0.4796
    assert np.isnan(loads.concentration(0.2, 0.0))


@given(FINITE, FINITE)
def test_mass_and_concentration_undo_each_other(milligrams, flow):
    assert float(loads.concentration(loads.load(milligrams, flow), flow)) == pytest.approx(milligrams)


def test_the_flow_of_the_sampling_day_and_no_other():
    results = frame(
        result("Zinc", 2.0, "2026-10-05T09:00", cell="D5"),
        result("Zinc", 2.0, "2026-10-06T09:00", cell="D6"),
        result("Zinc", 2.0, "2026-10-07T09:00", cell="D7"),
        result("Flow", 0.05, "2026-10-05", cell="F5"),
        result("Flow", 0.10, "2026-10-06", cell="F6"),
    )
    made, findings = loads.with_loads(results, asks())
    assert made["value"].round(9).tolist() == [0.834, 1.668]
    assert made["unit"].tolist() == ["lb/day"] * 2
    assert made["source_cell"].tolist() == ["D5; lab.xlsx!Data!F5", "D6; lab.xlsx!Data!F6"]
    assert findings[["code", "parameter"]].to_numpy().tolist() == [[loads.NO_FLOW, "Zinc"]]
    assert "2026-10-07" in findings["message"].iloc[0]


def test_the_average_of_loads_is_not_the_load_of_averages():
    results = frame(
        *(result("Zinc", value, day) for value, day in ((1.0, "2026-10-05"), (3.0, "2026-10-06"))),
        *(result("Flow", value, day) for value, day in ((0.3, "2026-10-05"), (0.1, "2026-10-06"))),
    )
    made, _ = loads.with_loads(results, asks())
    assert made["value"].mean() == pytest.approx((1.0 * 0.3 + 3.0 * 0.1) / 2 * 8.34)
    assert made["value"].mean() != pytest.approx(2.0 * 0.2 * 8.34)


def test_non_detects_and_their_limits_are_carried_along():
    results = frame(
        {**result("Zinc", 0.02, "2026-10-05", qualifier="<"), "detection_limit": 0.01},
        result("Flow", 0.1, "2026-10-05"),
    )
    made, _ = loads.with_loads(results, asks())
    assert made["qualifier"].tolist() == ["<"]
    assert made[["value", "detection_limit"]].round(9).to_numpy().tolist() == [[0.01668, 0.00834]]


def test_a_day_without_discharge_is_no_daily_discharge():
    results = frame(result("Zinc", 2.0, "2026-10-05"), result("Flow", 0.0, "2026-10-05"))
    made, findings = loads.with_loads(results, asks())
    assert len(made) == 0
    assert findings["code"].tolist() == [loads.NO_DISCHARGE]


def test_a_reported_load_is_not_computed_again():
    results = frame(
        result("Zinc", 2.0, "2026-10-05"),
        result("Flow", 0.1, "2026-10-05"),
        result("Zinc", 1.7, "2026-10-05", unit="lb/day"),
    )
    made, findings = loads.with_loads(results, asks())
    assert (len(made), len(findings)) == (0, 0)


def test_a_composite_takes_the_flow_of_the_day_with_most_of_its_hours():
    results = frame(
        result("Zinc", 1.0, "2026-10-05T16:00", end="2026-10-06T16:00", sample_type="composite"),
        result("Flow", 0.1, "2026-10-05"),
        result("Flow", 0.2, "2026-10-06"),
    )
    made, _ = loads.with_loads(results, asks())
    assert made["value"].round(9).tolist() == [1.668]


def test_sampling_days_that_begin_in_the_morning():
    results = frame(result("Zinc", 1.0, "2026-10-06T05:00"), result("Flow", 0.1, "2026-10-05T08:00"))
    made, _ = loads.with_loads(results, asks(sampling_day=["07:00"]))
    assert made["value"].round(9).tolist() == [0.834]
    assert len(loads.with_loads(results, asks(sampling_day=["00:00"]))[0]) == 0


def test_a_meters_day_is_weighted_by_time():
    flow = [result("Flow", 0.1, f"2026-10-05T{h:02}:00", sample_type="continuous", cell=f"F{h}") for h in range(12)]
    flow += [
        result("Flow", 0.3, f"2026-10-05T{h:02}:00", sample_type="continuous", cell=f"F{h}") for h in range(12, 24)
    ]
    made, _ = loads.with_loads(frame(result("Zinc", 1.0, "2026-10-05T10:00"), *flow), asks())
    assert made["value"].round(9).tolist() == [round(0.2 * 8.34, 9)]
    assert made["source_cell"].tolist() == ["A1; lab.xlsx!Data!F0; lab.xlsx!Data!F23"]


def test_only_where_a_limit_asks():
    results = frame(result("Zinc", 2.0, "2026-10-05"), result("Flow", 0.05, "2026-10-05"))
    assert len(loads.with_loads(results, asks("Copper"))[0]) == 0
    assert len(loads.with_loads(results, asks().assign(unit="mg/L"))[0]) == 0


def test_another_outfalls_flow_is_not_taken():
    results = frame(result("Zinc", 2.0, "2026-10-05"), result("Flow", 0.05, "2026-10-05", outfall="002"))
    made, findings = loads.with_loads(results, asks())
    assert len(made) == 0
    assert findings["code"].tolist() == [loads.NO_FLOW]


def test_outfalls_combined_by_flow():
    results = frame(
        result("Zinc", 1.0, "2026-10-05"),
        result("Zinc", 4.0, "2026-10-05", outfall="002"),
        result("Flow", 0.3, "2026-10-05"),
        result("Flow", 0.1, "2026-10-05", outfall="002"),
        result("Flow", 0.0, "2026-10-05", outfall="003"),
        result("Zinc", 9.0, "2026-10-06"),
        result("Flow", 0.3, "2026-10-06"),
        result("Flow", 0.1, "2026-10-06", outfall="002"),
    )
    table = flow_weighting.of_outfalls(results)
    assert table["low"].round(9).fillna(-1).tolist() == [1.75, -1]
    assert table["outfalls"].tolist() == [2, 2]
    assert table["reason"].tolist() == ["", "an outfall that discharged was not measured"]


@settings(deadline=None, max_examples=10)
@given(st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 10)), min_size=1, max_size=5))
def test_a_weighted_mean_lies_between_its_terms(pairs):
    rows = []
    for n, (value, flow) in enumerate(pairs):
        rows += [
            result("Zinc", value, "2026-10-05", outfall=str(n)),
            result("Flow", flow, "2026-10-05", outfall=str(n)),
        ]
    table = flow_weighting.of_outfalls(frame(*rows))
    values = [value for value, _ in pairs]
    assert min(values) * (1 - 1e-9) <= table["low"].iloc[0] <= max(values) * (1 + 1e-9)
    assert table["low"].iloc[0] * table["flow"].iloc[0] == pytest.approx(sum(value * flow for value, flow in pairs))


def log(gallons, count=24, day="2026-10-21"):
    """A meter's readings of a day."""
    return [result("Flow", gallons / 1e6, f"{day}T{h % 24:02}:{h // 24:02}", sample_type="continuous", cell=f"L{h}")
            for h in range(count)]  # fmt: skip


def figure(gallons, kind="", cell="F1", day="2026-10-21"):
    return {**result("Flow", gallons / 1e6, day, sample_type=kind, cell=cell), "timed": False}


NICKEL = {**result("Nickel", 3.948, "2026-10-21", sample_type="composite", cell="N1"), "timed": False}
LOW, HIGH = 3.948 * 0.01056 * 8.34, 3.948 * 0.021267 * 8.34
"""What the two flows make of the nickel [lb/day]: 0.3477 and 0.7002."""


@pytest.mark.parametrize(
    "flows",
    [
        [figure(21267), figure(10560, cell="F2")],
        [figure(21267, "composite"), figure(10560, cell="F2")],
        [figure(21267, "composite"), figure(10560, "grab", cell="F2")],
        [figure(21267), *[{**row, "timed": True} for row in log(10560)]],
        [figure(21267, "composite"), figure(15000, cell="F3"), *[{**row, "timed": True} for row in log(10560)]],
    ],
)
def test_two_flows_of_a_day_make_a_load_between_them_and_are_named(flows):
    made, findings = loads.with_loads(frame(NICKEL, *flows), asks("Nickel"))
    assert made["value"].tolist() == pytest.approx([LOW, HIGH])
    assert len(set(made["sample_id"])) == 1  # they are one sample
    assert made["source_cell"].iloc[1] == "N1; lab.xlsx!Data!F1"
    assert findings["code"].tolist() == ["competing flows"]
    assert "10560 gpd" in findings["message"][0]
    assert "21267 gpd" in findings["message"][0]
    assert "lab.xlsx!Data!F1" in findings["sources"][0]


def test_two_flows_that_differ_by_rounding_are_no_finding_and_the_load_holds_both():
    made, findings = loads.with_loads(frame(NICKEL, figure(21267), figure(21300, cell="F2")), asks("Nickel"))
    assert len(made) == 2
    assert findings.empty


@pytest.mark.parametrize("other", [log(10560, 3), [result("Flow", 0.01056, "2026-10-21T08:00", cell="G1")]])
def test_a_few_grabs_of_the_flow_do_not_change_the_figure_of_the_day(other):
    rows = [{**row, "timed": True} for row in other]
    made, findings = loads.with_loads(frame(NICKEL, figure(21267), *rows), asks("Nickel"))
    assert made["value"].tolist() == pytest.approx([HIGH])
    assert findings.empty


def test_grabs_of_the_flow_alone_are_averaged():
    rows = [figure(20000, "grab"), figure(10000, "grab", cell="F2")]
    made, findings = loads.with_loads(frame(NICKEL, *rows), asks("Nickel"))
    assert made["value"].tolist() == pytest.approx([3.948 * 0.015 * 8.34])
    assert findings.empty


def test_a_log_of_dates_alone_is_averaged():
    rows = [figure(gallons, cell=f"F{gallons}") for gallons in range(1000, 1024)]
    made, _ = loads.with_loads(frame(NICKEL, *rows), asks("Nickel"))
    assert made["value"].tolist() == pytest.approx([3.948 * 1011.5e-6 * 8.34])


def test_a_limit_between_two_flows_is_undetermined_and_its_explanation_shows_both(tmp_path):
    pack = tmp_path / "permit.toml"
    pack.write_text(
        '[document]\ntitle = "Permit"\ncite = "Permit 7"\n[settings]\nunstated = "daily maximum"\n'
        '[[limit]]\ncite = "II.A"\nparameter = "Nickel"\nabove = 0.5\nunit = "lb/day"\n'
    )
    given = frame(NICKEL, figure(21267), figure(10560, cell="F2")).drop(columns="timed")
    review = pretreat.check(given, str(pack), federal=False)
    found = review.comparisons.iloc[0]
    assert (found["verdict"], found["n"]) == ("undetermined", 1)
    assert [found["low"], found["high"]] == pytest.approx([LOW, HIGH])
    said = review.explain(found["comparison_id"])
    assert "0.01056 MGD" in said
    assert "0.021267 MGD" in said
    assert "no limit for this result" not in set(review.findings["code"])


# A log that covers a part of a day


def hours(first, count, gallons=10560, day="2026-10-15", outfall="001"):
    """Return a meter's hourly readings from one hour of a day on; the day before is whole, so that it is a log."""
    before = [row | {"outfall": outfall} for row in log(gallons, day="2026-10-14")]
    own = pd.date_range(f"{day} {first:02}:00", periods=count, freq="h")
    return [
        *before,
        *(result("Flow", gallons / 1e6, at, outfall=outfall, sample_type="continuous", cell=f"P{at:%H}") for at in own),
    ]


COPPER = {**result("Copper", 3.0, "2026-10-15", sample_type="composite", cell="C1"), "timed": False}


@pytest.mark.parametrize(("first", "count", "many"), [(0, 24, 1), (1, 22, 1), (0, 21, 0), (9, 15, 0), (0, 1, 0)])
def test_a_flow_log_that_covers_less_than_nine_tenths_of_the_day_gives_no_load(first, count, many):
    """21 hours are 87.5 % of the day. What nobody metered may be anything, as on the first and the last day of a log."""
    made, findings = loads.with_loads(frame(COPPER, *hours(first, count)), asks("Copper"))
    assert len(made) == many
    assert findings["code"].tolist() == ["no flow of the day"] * (1 - many)
    assert findings["message"].str.contains("cover too little of the day").all()


def test_how_much_of_the_day_must_be_covered_is_a_setting():
    made, _ = loads.with_loads(frame(COPPER, *hours(0, 12)), asks("Copper"), complete_day=0.5)
    assert made["value"].tolist() == pytest.approx([3.0 * 0.01056 * 8.34])


def test_a_figure_of_the_day_stands_beside_a_log_that_does_not_cover_it():
    made, findings = loads.with_loads(
        frame(COPPER, {**figure(21267, day="2026-10-15")}, *({**row, "timed": True} for row in hours(0, 2))),
        asks("Copper"),
    )
    assert made["value"].tolist() == pytest.approx([3.0 * 0.021267 * 8.34])
    assert findings.empty


def test_a_few_grabs_of_the_flow_are_samples_and_no_log():
    grabs = [result("Flow", 0.01, f"2026-10-15 {hour}:00") for hour in (8, 9, 10)]
    assert len(loads.with_loads(frame(COPPER, *grabs), asks("Copper"))[0]) == 1


def test_an_outfall_metered_for_a_part_of_the_day_is_not_left_out_of_the_mean_of_outfalls():
    whole = [row for row in hours(0, 24) if row["start"] >= pd.Timestamp("2026-10-15")]
    zinc = [result("Zinc", 1.0, "2026-10-15"), result("Zinc", 4.0, "2026-10-15", outfall="002")]
    table = flow_weighting.of_outfalls(frame(*zinc, *whole, *hours(0, 2, outfall="002")))
    assert table["reason"].tolist() == ["an outfall that discharged was not measured"]


DAILY = """[document]
title = "Permit 7"
cite = "Permit 7"
[[limit]]
cite = "II.B"
parameter = "Flow"
above = 0.05
unit = "MGD"
statistic = "{}"
"""


def flow_verdicts(tmp_path, statistic, *rows, **options):
    (tmp_path / "permit.toml").write_text(DAILY.format(statistic), encoding="utf-8")
    results = frame(*rows).drop(columns=["source_file", "source_sheet", "source_cell"])
    review = pretreat.check(
        results, tmp_path / "permit.toml", federal=False, all_rows=True, tables=["comparisons"], **options
    )
    return review.comparisons.set_index(review.comparisons["period_start"].dt.strftime("%m-%d"))


@pytest.mark.parametrize(("sample_type", "count"), [("continuous", 1), ("", 1), ("continuous", 12)])
def test_ten_minutes_at_a_high_flow_are_no_days_flow(tmp_path, sample_type, count):
    """The meter died: neither does the day exceed, nor would it comply at a low flow."""
    for gallons in (90_000, 10_000):
        rows = [row | {"sample_type": sample_type} for row in hours(0, count, gallons)]
        found = flow_verdicts(tmp_path, "daily maximum", *rows)
        assert found["verdict"].tolist() == ["exceeds" if gallons > 50_000 else "complies", "not evaluated"]
        assert found.loc["10-15", "reason"].startswith("a log that does not cover the day (complete_day)")
        assert f"readings cover {count} h 0 min of the day" in found.loc["10-15", "reason"]
    lower = flow_verdicts(tmp_path, "daily maximum", *rows, settings={"complete_day": "0"})
    assert lower["verdict"].tolist() == ["complies", "complies"]


def test_a_monthly_average_is_of_the_days_that_were_metered(tmp_path):
    """A whole day at 10,000 gpd and one reading of 900,000: the month is the whole day's."""
    rows = [*hours(0, 1, 10_000)[:24], result("Flow", 0.9, "2026-10-15 00:00", sample_type="continuous")]
    row = flow_verdicts(tmp_path, "monthly average", *rows).iloc[0]
    assert (row["verdict"], row["low"], row["n"]) == ("complies", pytest.approx(0.01), 24)


def test_a_days_figure_after_a_log_ended_is_the_days(tmp_path):
    """The meter's log to the 14th, then a figure a day, by date alone: neither needs the other's readings."""
    rows = [{**row, "timed": True} for row in log(10_000, day="2026-10-14")]
    found = flow_verdicts(tmp_path, "daily maximum", *rows, figure(90_000, "continuous", day="2026-10-15"))
    assert found["verdict"].tolist() == ["complies", "exceeds"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([result("Zinc", 2.0, "2026-10-05T09:00")], "only concentrations measured"),
        ([result("Copper", 2.0, "2026-10-05T09:00"), result("Flow", 0.5, "2026-10-05")], "no results"),
    ],
)
def test_a_limit_in_pounds_a_day_without_a_load_says_why(tmp_path, rows, reason):
    permit = tmp_path / "permit.csv"
    permit.write_text("cite,parameter,statistic,above,unit\nPart I,Zinc,24-hour average,1,lb/day\n", encoding="utf-8")
    review = pretreat.check(frame(*rows), permit, federal=False)
    assert review.tables["not_evaluated"]["reason"].tolist() == [reason]
