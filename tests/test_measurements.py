"""Which results are one sample, and what a measurement can be."""

import numpy as np
import pandas as pd
import pytest
from bench import both, comparisons, limit, samples, verdicts

from pretreat.measurements.measure import measure, radix, spread
from pretreat.nondetects import Interval

DAY = limit("Copper", ">", "1.6", "24-hour average")


def lows(results: pd.DataFrame) -> list[tuple[float, float]]:
    frame = measure(results).frame
    return list(zip(frame["low"], frame["high"], strict=True))


def test_a_split_sample_is_the_interval_from_lowest_to_highest() -> None:
    results = samples([("2026-10-07 08:00", 1.5), ("2026-10-07 08:00", 1.7)], sample_type="grab")
    assert lows(results) == [(1.5, 1.7)]
    row = comparisons(results, DAY).iloc[0]
    assert (row["verdict"], row["n"], row["sources"]) == (
        "undetermined",
        1,
        "lab.xlsx!Results!C2; lab.xlsx!Results!C3",
    )


def test_other_times_types_and_places_stay_apart() -> None:
    assert len(lows(samples([("2026-10-07 08:00", 1.5), ("2026-10-07 08:05", 1.7)]))) == 2
    kinds = both(
        samples([("2026-10-07 08:00", 1.5)], sample_type="grab"),
        samples([("2026-10-07 08:00", 1.7)], sample_type="composite"),
    )
    assert len(lows(kinds)) == 2
    places = both(samples([("2026-10-07 08:00", 1.5)]), samples([("2026-10-07 08:00", 1.7)], outfall="002"))
    assert len(lows(places)) == 2


def test_a_date_alone_does_not_make_one_sample() -> None:
    assert lows(samples([("2026-10-07", 1.5), ("2026-10-07", 1.7)])) == [(1.5, 1.5), (1.7, 1.7)]


def test_a_date_with_one_sample_id_does() -> None:
    same = samples([("2026-10-07", 1.5), ("2026-10-07", 1.7)], sample_id="A-1")
    assert lows(same) == [(1.5, 1.7)]
    other = samples([("2026-10-07", 1.5), ("2026-10-07", 1.7)], sample_id=["A-1", "A-2"])
    assert len(lows(other)) == 2
    later = samples([("2026-10-07", 1.5), ("2026-10-08", 1.7)], sample_id="A-1")
    assert len(lows(later)) == 2


@pytest.mark.parametrize("parameter", ["pH", "LEL", "Temperature"])
def test_two_readings_of_an_instrument_stay_two(parameter: str) -> None:
    results = samples([("2026-10-07 08:00", 7.0), ("2026-10-07 08:00", 8.0)], parameter)
    assert len(lows(results)) == 2
    frame = comparisons(results, limit(parameter, ">", "9"))
    assert frame["comparison_id"].is_unique
    assert frame["binding"].tolist() == ["yes", "yes"]


def test_the_repeated_hours_of_a_log_stay_two() -> None:
    hours = [f"2026-11-01 {hour:02d}:{minute:02d}" for hour in (0, 1, 1, 2) for minute in range(0, 60, 5)]
    assert len(lows(samples([(hour, 1.0) for hour in hours], "Flow"))) == 48
    assert len(lows(samples([(hour, 1.0) for hour in hours], "Flow", sample_type="continuous"))) == 48


def test_printed_zones_tell_two_hours_apart() -> None:
    results = samples([("2026-11-01 01:30", 1.0), ("2026-11-01 01:30", 2.0)], utc_offset=[-240.0, -300.0])
    assert len(lows(results)) == 2


@pytest.mark.parametrize(
    ("second", "count"),
    [
        ("2026-10-07 11:00", 1),  # 21 of 24 hours in common
        ("2026-10-07 19:59", 1),  # just over half
        ("2026-10-07 20:00", 2),  # exactly half
        ("2026-10-08 08:00", 2),
    ],
)
def test_composites_that_overlap_by_more_than_half_are_one(second: str, count: int) -> None:
    end = pd.Timestamp(second) + pd.Timedelta(hours=24)
    results = samples(
        [("2026-10-07 08:00", 1.0), (second, 2.0)], sample_type="composite", end=["2026-10-08 08:00", str(end)]
    )
    assert len(measure(results)) == count


def test_the_shorter_composite_decides() -> None:
    results = samples(
        [("2026-10-07 08:00", 1.0), ("2026-10-07 10:00", 2.0)],
        sample_type="composite",
        end=["2026-10-08 08:00", "2026-10-07 12:00"],
    )
    assert len(measure(results)) == 1


def test_a_grab_between_two_composites_does_not_part_them() -> None:
    composites = samples(
        [("2026-10-07 08:00", 1.0), ("2026-10-07 10:00", 2.0)],
        sample_type="composite",
        end=["2026-10-08 08:00", "2026-10-08 10:00"],
    )
    measured = measure(both(composites, samples([("2026-10-07 09:00", 5.0)], sample_type="grab")))
    assert measured.frame["n_results"].tolist() == [2, 1]
    assert measured.of_result.tolist() == [0, 0, 1]


def test_a_duplicate_that_names_its_sample_joins_it() -> None:
    results = samples(
        [("2026-10-07 08:00", 1.0), ("2026-10-07 08:10", 1.4)], sample_id=["A", "A-DUP"], duplicate_of=["", "A"]
    )
    assert lows(results) == [(1.0, 1.4)]


def test_duplicates_are_substituted_before_they_are_joined() -> None:
    results = samples([("2026-10-07 08:00", "<0.5"), ("2026-10-07 08:00", 0.4)])
    measured = measure(results)
    bounds = {
        rule: (measured.interval(rule).low[0], measured.interval(rule).high[0])
        for rule in ("interval", "zero", "half", "limit")
    }
    assert bounds == {"interval": (0.0, 0.5), "zero": (0.0, 0.4), "half": (0.25, 0.4), "limit": (0.4, 0.5)}
    assert not measured.nondetect[0]


def test_a_closed_end_closes_the_hull() -> None:
    measured = measure(samples([("2026-10-07 08:00", "<0.5"), ("2026-10-07 08:00", 0.5)]))
    assert not measured.interval().opened("high")[0]


def test_a_load_is_not_the_concentration_it_is_made_of() -> None:
    results = both(samples([("2026-10-07 08:00", 1.0)]), samples([("2026-10-07 08:00", 9.0)], unit="lb/day"))
    assert len(measure(results).series) == 2
    assert verdicts(results, DAY) == ["complies"]


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    results = both(
        samples(
            [
                (f"2026-10-{day:02d} {hour:02d}:00", round(float(rng.lognormal()), 3))
                for day in range(1, 20)
                for hour in (8, 8, 12)
            ]
        ),
        samples([(f"2026-10-{day:02d}", round(float(rng.lognormal()), 3)) for day in (1, 1, 2, 2, 2)], "Zinc"),
    )
    thirty = limit("Copper", ">", "0.8", "30-day average"), limit("Zinc", ">", "0.8", "24-hour average")
    straight = comparisons(results, DAY, *thirty)
    mixed = comparisons(results.sample(frac=1, random_state=3), DAY, *thirty)
    pd.testing.assert_frame_equal(straight.drop(columns="sources"), mixed.drop(columns="sources"), check_exact=True)
    assert [set(cells.split("; ")) for cells in straight["sources"]] == [
        set(cells.split("; ")) for cells in mixed["sources"]
    ]


def test_results_without_a_date_become_no_measurement() -> None:
    results = samples([("2026-10-07 08:00", 1.0), ("2026-10-08 08:00", 2.0)])
    results.loc[0, "start"] = pd.NaT
    assert measure(results).of_result.tolist() == [-1, 0]


def test_spread_and_radix() -> None:
    assert spread(np.array([3, 0]), np.array([2, 1])).tolist() == [3, 4, 0]
    many = np.array([70_000, 3, 70_000, 1], dtype=np.int32)
    assert radix(many, 80_000).tolist() == [3, 1, 0, 2]


def test_intervals_take() -> None:
    exact = Interval(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
    assert not exact.exact
    same = Interval(exact.low, exact.low)
    assert same.take([0]).exact
