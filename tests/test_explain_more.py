"""What an explanation says of a slug's baseline, and of the shares of a local wording of significant noncompliance."""

import re

import numpy as np
import pandas as pd
import pytest
from packs_made import write

import pretreat
from pretreat.explain import baseline, steps
from pretreat.explain import snc as explain_snc
from pretreat.explain.recomputed import Places


def meter() -> pd.DataFrame:
    times = pd.date_range("2026-10-01", "2026-10-12 23:45", freq="15min")
    value = 0.02 + 0.001 * (times.day % 3)
    frame = pd.DataFrame({"facility": "Acme", "parameter": "Flow", "value": value, "unit": "MGD", "start": times})
    frame.loc[(times >= "2026-10-08 10:00") & (times < "2026-10-08 10:45"), "value"] = 0.3
    return frame


def test_the_daily_averages_behind_a_baseline_give_it_again() -> None:
    review = pretreat.check(meter(), "ny/little-valley", federal=False)
    slug = review.slugs.iloc[0]
    said = review.explain(slug["slug_id"])
    days = re.findall(r"2026-10-(\d\d) ([0-9.]+)(?:,|$)", said, re.MULTILINE)
    assert [int(day) for day, _ in days] == [day for day in range(1, 13) if day != 8]
    average = sum(float(number) for _, number in days) / len(days)
    assert average == pytest.approx(slug["baseline"], rel=1e-6)
    assert f"the average of {len(days)} daily averages" in said


def test_a_baseline_that_does_not_come_out_again_names_no_days() -> None:
    assert baseline.lines(meter(), 0.5, 5.0) == []


@pytest.mark.parametrize(
    ("cite", "said"),
    [
        ("40 CFR 403.8(f)(2)(viii)", "66 % or more is enough in 40 CFR 403.8(f)(2)(viii): chronic no"),
        ("§ 52.051", "held against the share of § 52.051: chronic no"),
    ],
)
def test_shares_are_said_only_where_they_are_known(cite: str, said: str) -> None:
    row = {"n": 3, "n_over_low": 1, "n_over_high": 1, "chronic": "no", "trc_factor": float("nan"), "rule_cite": cite}
    [line] = explain_snc._shares(row)
    assert said in line


@pytest.mark.parametrize("hours", [48, 600])
def test_an_average_that_rests_on_no_daily_value_is_explained_without_one(hours: int) -> None:
    """A composite of more than 26 hours gives no daily value, and its average is not evaluated."""
    start = pd.Timestamp("2026-09-01 08:00")
    frame = pd.DataFrame({"facility": ["Acme"], "parameter": "Copper", "value": 1.9, "unit": "mg/L", "start": start,
                          "end": start + pd.Timedelta(hours=hours), "sample_type": "composite"})  # fmt: skip
    review = pretreat.check(frame, "ny/little-valley", federal=False)
    found = review.comparisons
    assert set(found["verdict"]) == {"not evaluated"}
    assert all("verdict: not evaluated" in review.explain(name) for name in found["comparison_id"])


PERMIT = """row,cite,parameter,statistic,above,unit
settings,complete_day,0.4
settings,max_gap,30 min
,Part I,{}
"""


def half_a_day(hours: float = 12.0) -> pd.DataFrame:
    """A log of flow and of zinc: readings of one day, every 15 minutes from midnight on."""
    times = pd.date_range("2026-10-05", periods=int(hours * 4), freq="15min")
    flow = pd.DataFrame({"parameter": "Flow", "value": 0.5, "unit": "MGD", "start": times})
    zinc = pd.DataFrame(
        {"parameter": ["Zinc"], "value": 2.0, "unit": "mg/L", "start": pd.Timestamp("2026-10-05 09:00")}
    )
    return pd.concat([flow, zinc]).assign(facility="Acme", outfall="001")


@pytest.fixture
def permit(tmp_path):
    def write(limit: str):
        path = tmp_path / "permit.csv"
        path.write_text(PERMIT.format(limit), encoding="utf-8")
        return path

    return write


def test_a_day_that_a_pack_takes_for_whole_is_explained_by_its_readings(permit, tmp_path) -> None:
    whole = half_a_day(24).assign(value=1.0, start=lambda day: day["start"] + pd.Timedelta(days=1))
    both = pd.concat([half_a_day(), whole])
    review = pretreat.check(both, permit("Flow,monthly average,0.1,MGD"), federal=False)
    [over] = review.exceedances.to_dict("records")
    assert over["low"] == pytest.approx(0.75)
    said = review.explain(over["comparison_id"])
    assert "(0.5 + 1) / 2 = 0.75 MGD" in said
    assert "(0.5 + 1) / 2" not in steps.explain(review.tables, over["comparison_id"])  # as if nine tenths were needed
    review.save(tmp_path / "report")
    again = steps.explain(
        steps.read_tables(tmp_path / "report"), over["comparison_id"], steps.read_settings(tmp_path / "report")
    )
    assert again == said
    assert said.splitlines()[4].strip() in (tmp_path / "report" / "report.html").read_text(encoding="utf-8")


def test_a_load_of_a_day_that_a_pack_takes_for_whole_is_made_and_explained(permit) -> None:
    review = pretreat.check(half_a_day(), permit("Zinc,24-hour average,1,lb/day"), federal=False)
    [over] = review.exceedances.to_dict("records")
    assert over["low"] == pytest.approx(8.34 * 2.0 * 0.5)
    assert "8.34" in review.explain(over["comparison_id"])
    usual = pretreat.check(
        half_a_day(), permit("Zinc,24-hour average,1,lb/day"), federal=False, settings={"complete_day": "0.9"}
    )
    assert usual.exceedances.empty


def test_settings_of_a_folder_that_does_not_say_them_are_the_usual_ones(tmp_path) -> None:
    assert steps.read_settings(tmp_path) == {}
    (tmp_path / "provenance.json").write_text("[]", encoding="utf-8")
    assert steps.read_settings(tmp_path) == {}


LIMITS = """row,id,cite,parameter,statistic,above,unit,sample
,a,I,Zinc,24-hour average,1,mg/L,
,b,I,Zinc,24-hour average,1,lb/day,
,c,I,Copper,monthly average,1,mg/L,
,d,I,Copper,instantaneous,1,mg/L,
,e,I,Lead,daily maximum,1,mg/L,grab
,f,I,pH,daily maximum,9,SU,
,g,I,Lead,monthly average,1,mg/L,composite
"""


def test_every_value_of_one_place_is_made_again_from_its_own_results(tmp_path) -> None:
    (tmp_path / "permit.csv").write_text(LIMITS, encoding="utf-8")
    start = pd.date_range("2026-10-05 06:00", periods=4, freq="8h")
    grabs = pd.DataFrame({"start": start, "unit": "mg/L", "sample_type": "grab"})
    kinds = [(who, name) for who in ("Acme", "Bolt") for name in ("Copper", "Lead", "Zinc")]
    frames = [
        grabs.assign(facility=who, parameter=name, value=[1.0, 2.0, 3.0, 7.0 + at])
        for at, (who, name) in enumerate(kinds)
    ]
    one = frames[1].iloc[:1].assign(value=9.0)
    more = one.assign(sample_type="composite"), one.assign(parameter="Zinc", unit="lb/day", value=1.0)
    ph = frames[1].assign(parameter="pH", unit="SU")
    review = pretreat.check(
        pd.concat([*frames, *more, ph]),
        tmp_path / "permit.csv",
        federal=False,
        all_rows=True,
        settings={"sampling_day": "07:00"},
    )
    places = Places(review.tables["results"])
    rows = review.comparisons.to_dict("records")
    assert {row["limit_id"] for row in rows} == set("abcdefg")
    for row in rows:
        made = places.made(row)
        assert made.block.value.low[made.at] == pytest.approx(row["low"])
        results = [made.results[at] for at in made.measured.results_of(made.measurements)[0].tolist()]
        assert len(results) == row["n"]
        for name in ("facility", "parameter", "unit"):
            assert {result[name] for result in results} == {row[name]}


@pytest.mark.parametrize(
    ("kind", "rounding"),
    [("grab", "none"), ("composite", "none"), ("continuous", "none"), ("no grab", "none"), ("grab", "limit")],
)
def test_an_average_for_one_type_of_sample_is_made_again(tmp_path, kind, rounding) -> None:
    """A month with a day of grabs, one of a composite and one of a meter; copper stands before it."""
    row = '[[limit]]\nid = "{}"\nparameter = "Zinc"\nabove = 2\nunit = "mg/L"\nstatistic = "monthly average"\n'
    text = row.format("a") + (f'sample = "{kind}"\n' if kind != "no grab" else "")
    if kind == "no grab":
        text += row.format("b") + 'sample = "grab"\ninstead_of = "a"\n'
    hours = pd.date_range("2026-10-07", periods=48, freq="h")
    zinc = pd.DataFrame({"start": hours, "value": 0.1 * np.arange(48), "sample_type": "continuous"})
    one = zinc.iloc[:1].assign(value=3.33, sample_type="composite", start=pd.Timestamp("2026-10-06"))
    two = zinc.iloc[:2].assign(value=[5.11, 5.21], sample_type="grab", start=pd.Timestamp("2026-10-05 09:00"))
    both = pd.concat([two, one, zinc]).assign(parameter="Zinc")
    results = pd.concat([two.assign(parameter="Copper"), both]).assign(facility="Acme", unit="mg/L")
    review = pretreat.check(
        results, write(tmp_path, text), federal=False, all_rows=True, settings={"rounding": rounding}
    )
    places = Places(review.tables["results"])
    for found in review.comparisons.to_dict("records"):
        made = places.made(found)
        assert made.block.value.low[made.at] == pytest.approx(found["low"], abs=0.5 if rounding == "limit" else 0)
        assert len(made.measurements) == found["n"]
