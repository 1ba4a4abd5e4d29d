"""Limits for one kind of sample: what they judge, and what stays of the limit that they stand in place of."""

import pandas as pd
import pytest
from packs_made import HEAD, codes, faults, pack, write

import pretreat

TABLE = (
    '[[table]]\nname = "local"\nunit = "mg/L"\ncolumns = ["id", "Pollutant", "Daily Maximum", "Monthly Average"]\n'
    'rows = [["Zn", "Zinc", 2.0, 1.8], ["Cu", "Copper", 1.0, ""]]\n'
)
FACTOR = '[[limit]]\nid = "grab"\nof = "local: Daily Maximum"\ntimes = 1.5\nsample = "grab"\n'


def results(*rows, parameter="Zinc"):
    frame = pd.DataFrame(rows, columns=["start", "sample_type", "value"])
    frame["start"] = pd.to_datetime(frame["start"])
    return frame.assign(facility="Acme", parameter=parameter, unit="mg/L")


def review(folder, text, frame, **more):
    return pretreat.check(frame, str(write(folder, text, head=HEAD)), federal=False, as_of="2026-12-01", **more)


def judged(found, statistic="daily maximum"):
    rows = found.comparisons[found.comparisons.statistic == statistic].sort_values(["period_start", "limit_id"])
    ends = zip(rows.limit_id, rows.low, rows.limit_low, rows.verdict, strict=True)
    return [(name, round(low, 6), limit, verdict) for name, low, limit, verdict in ends]


def test_a_limit_for_grabs_averages_the_days_grabs_beside_a_composite(tmp_path):
    """40 CFR 136.3, Table II, note 2 averages the grabs of a day."""
    text = '[[limit]]\nid = "g"\nparameter = "Zinc"\nabove = 2\nunit = "mg/L"\nstatistic = "daily maximum"\nsample = '
    day = results(
        ("2026-10-05 07:00", "composite", 0.5), ("2026-10-05 09:00", "grab", 2.5), ("2026-10-05 12:00", "grab", 1.7)
    )
    assert judged(review(tmp_path, text + '"grab"\n', day)) == [("g", 2.1, 2.0, "exceeds")]
    assert judged(review(tmp_path, text + '"composite"\n', day)) == [("g", 0.5, 2.0, "complies")]
    assert judged(review(tmp_path, text + '"continuous"\n', day)) == []


def test_longer_averages_are_of_the_right_days(tmp_path):
    text = (
        '[[limit]]\nid = "c"\nparameter = "Zinc"\nabove = 2\nunit = "mg/L"\nstatistic = "monthly average"\n'
        'sample = "composite"\n'
    )
    days = [("2026-10-05", "composite", 1.0), ("2026-10-06", "composite", 2.0), ("2026-10-07", "grab", 90.0)]
    assert judged(review(tmp_path, text, results(*days)), "monthly average") == [("c", 1.5, 2.0, "complies")]
    untyped = review(tmp_path, text, results(*days, ("2026-10-08", "", 1.0))).comparisons.iloc[0]
    assert (untyped.verdict, untyped.reason) == (
        "not evaluated",
        "the limit is for a composite, and the sample type is not given",
    )


def test_for_a_grab_the_daily_maximum_is_multiplied(tmp_path):
    """One row says it; composites keep the number, and a result without a type is tried under both."""
    text = TABLE + FACTOR + 'instead_of = "of"\n'
    assert codes(tmp_path, text) == []
    found = review(
        tmp_path,
        text,
        results(
            ("2026-10-05", "grab", 2.9),
            ("2026-10-06", "composite", 2.9),
            ("2026-10-07", "", 2.9),
            ("2026-10-08", "", 3.1),
            ("2026-10-09", "grab", 3.1),
        ),
    )
    assert [row[-1] for row in judged(found)] == ["complies", "exceeds", "undetermined", "exceeds", "exceeds"]
    assert [row[0] for row in judged(found)] == ["grab Zn", "Zn", "Zn", "Zn", "grab Zn"]
    unsure = found.comparisons[found.comparisons.verdict == "undetermined"].iloc[0]
    assert (unsure.limit_low, unsure.limit_high) == (2.0, 3.0)
    assert "the sample type, which is not given" in unsure.reason
    assert judged(found, "monthly average")[0][2] == 1.8, "the other statistic is not multiplied"


def test_a_single_result_without_a_type_is_tried_under_both_at_once(tmp_path):
    text = TABLE.replace("Daily Maximum", "Instantaneous") + FACTOR.replace("Daily Maximum", "Instantaneous")
    days = [("2026-10-05 08:00", "grab", 2.9), ("2026-10-06 08:00", "", 2.9), ("2026-10-07 08:00", "", 1.9)]
    found = review(tmp_path, text + 'instead_of = "of"\n', results(*days))
    assert judged(found, "instantaneous") == [
        ("grab Zn", 2.9, 3.0, "complies"),
        ("Zn", 2.9, 2.0, "undetermined"),
        ("Zn", 1.9, 2.0, "complies"),
    ]


def test_a_months_average_is_multiplied_for_grabs_and_stands_for_composites(tmp_path):
    text = TABLE + FACTOR.replace("Daily Maximum", "Monthly Average") + 'instead_of = "of"\n'
    grabs = [("2026-10-05", "grab", 2.0), ("2026-10-06", "grab", 2.4)]
    found = review(tmp_path, text, results(*grabs, ("2026-11-05", "composite", 2.0), ("2026-11-06", "composite", 2.4)))
    assert judged(found, "monthly average") == [("grab Zn", 2.2, 2.7, "complies"), ("Zn", 2.2, 1.8, "exceeds")]


def test_a_days_composite_and_its_grabs_each_have_their_binding_limit(tmp_path):
    day = results(("2026-10-05", "composite", 0.1), ("2026-10-05", "grab", 4.0))
    found = review(tmp_path, TABLE + FACTOR + 'instead_of = "of"\n', day)
    assert found.exceedances.limit_id.tolist() == ["grab Zn"]
    daily = found.comparisons[found.comparisons.statistic == "daily maximum"]
    assert daily.binding.tolist() == ["yes", "yes"]
    assert daily.comparison_id.is_unique


def test_a_grab_limit_with_another_statistic_leaves_composites_their_own(tmp_path):
    text = TABLE + FACTOR + 'statistic = "instantaneous"\ninstead_of = "of"\n'
    day = results(("2026-10-05", "composite", 2.5), ("2026-10-06", "grab", 2.5))
    found = review(tmp_path, text, day)
    assert judged(found) == [("Zn", 2.5, 2.0, "exceeds")]
    assert judged(found, "instantaneous") == [("grab Zn", 2.5, 3.0, "complies")]


@pytest.mark.parametrize(("old", "grab", "composite"), [("no", 1.5, 1.0), ("yes", 3.0, 2.0)])
def test_an_alternative_by_a_mark_is_multiplied_too(tmp_path, old, grab, composite):
    text = (
        '[facts]\nold = "Is the permit old?"\n[notes."(1)"]\nabove = 2.0\nwhen = { old = "yes" }\n'
        + TABLE.replace('"Copper", 1.0', '"Copper", "1.0(1)"')
        + FACTOR
        + 'instead_of = "of"\n'
    )
    assert codes(tmp_path, text) == []
    day = results(("2026-10-05", "grab", 0.1), ("2026-10-06", "composite", 0.1), parameter="Copper")
    found = review(tmp_path, text, day, settings={"old": old})
    assert [row[2] for row in judged(found)] == [pytest.approx(grab), composite]
    assert len({(limit.id, limit.mark) for limit in pack(tmp_path, text).rows if limit.parameter == "Copper"}) == 4


def test_a_row_for_a_meters_readings_stands_for_these_alone_though_its_number_is_the_same(tmp_path):
    row = '[[limit]]\nid = "{}"\nparameter = "Zinc"\nabove = 2\nunit = "mg/L"\nstatistic = "daily maximum"\n'
    text = row.format("a") + row.format("b") + 'sample = "continuous"\ninstead_of = "a"\n'
    days = [("2026-10-05", "grab", 2.5), ("2026-10-06", "", 2.5), ("2026-10-07", "continuous", 2.5)]
    found = review(tmp_path, text, results(*days), settings={"complete_day": "0"})
    assert [row[0] for row in judged(found)] == ["a", "a", "b"]


def test_a_grab_over_is_found_where_the_limit_is_for_any_sample(tmp_path):
    day = results(("2026-10-05", "composite", 0.1), ("2026-10-05", "grab", 4.0))
    found = review(tmp_path, TABLE, day).findings
    assert "grab over the limit" in found.code.tolist()
    own = review(tmp_path, TABLE + FACTOR + 'instead_of = "of"\n', day).findings
    assert "grab over the limit" not in own.code.tolist(), "the grab is judged itself"


def test_a_narrower_row_beside_a_wider_one_is_asked_about(tmp_path):
    (fault,) = faults(tmp_path, TABLE + FACTOR.replace("1.5", "2") + 'except = ["Copper"]\n')
    assert (fault.code, fault.warning) == ("sample-overlap", True)
    assert "instead_of" in fault.message


def test_a_row_in_place_of_another_at_one_point_leaves_it_at_the_others(tmp_path):
    text = (
        '[[limit]]\nid = "a"\nparameter = "Zinc"\nabove = 2\nunit = "mg/L"\nstatistic = "daily maximum"\n'
        'point = "end of pipe; in-plant"\n'
        '[[limit]]\nid = "b"\nparameter = "Zinc"\nabove = 1\nunit = "mg/L"\nstatistic = "daily maximum"\n'
        'point = "in-plant"\ninstead_of = "a"\n'
    )
    found = review(tmp_path, text, results(("2026-10-05", "grab", 1.5)))
    assert ("a", 1.5, 2.0, "complies") in judged(found)
