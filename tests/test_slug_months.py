"""The months of a meter: what is counted, where nothing can be said, and under which parameter it is counted."""

import pandas as pd

import pretreat


def flow(days, every: str, value: float = 0.02) -> pd.DataFrame:
    times = pd.DatetimeIndex([]).append(
        [pd.date_range(day, periods=int(pd.Timedelta("1D") / pd.Timedelta(every)), freq=every) for day in days]
    )
    return pd.DataFrame({"facility": "Acme", "parameter": "Flow", "value": value, "unit": "MGD", "start": times})


def check(*frames: pd.DataFrame, **options):
    return pretreat.check(
        pd.concat(frames, ignore_index=True),
        "ny/little-valley",
        federal=False,
        all_rows=True,
        tables=("comparisons", "slugs", "counts", "not_evaluated"),
        **options,
    )


OCTOBER = flow(pd.date_range("2026-10-01", "2026-10-10"), "15min")


def slugs(review) -> pd.DataFrame:
    return review.comparisons[review.comparisons["statistic"] == "slug"].set_index(
        review.comparisons.loc[review.comparisons["statistic"] == "slug", "period_start"].dt.strftime("%Y-%m")
    )


def test_a_month_without_a_metered_day_is_not_evaluated() -> None:
    """Five flows a month are no timed readings (interface: at least 24 a day): that none is over proves nothing."""
    found = slugs(check(OCTOBER, flow(["2026-09-02", "2026-09-09"], "1D")))
    assert found["verdict"].to_dict() == {"2026-09": "not evaluated", "2026-10": "complies"}
    assert found.loc["2026-09", "reason"].startswith("no day with 24 readings; readings on 2 of 30 days")


def test_a_month_with_one_metered_day_is_compared_and_says_how_many_days_it_had() -> None:
    found = slugs(check(OCTOBER, flow(["2026-09-02"], "15min"), flow(["2026-09-09"], "1D")))
    assert found["verdict"].to_dict() == {"2026-09": "complies", "2026-10": "complies"}
    assert "readings on 2 of 30 days" in found.loc["2026-09", "reason"]


def test_a_reading_over_in_such_a_month_stays_in_doubt() -> None:
    """One flow far above the multiple, with nothing within the gap: its minutes are not known."""
    found = slugs(check(OCTOBER, flow(["2026-09-02"], "1D", value=5.0)))
    assert found.loc["2026-09", "verdict"] == "undetermined"


def minutes_over(*runs: tuple[str, int]) -> pd.DataFrame:
    """Return ten days of minutes, over for so many from each time on."""
    frame = flow(pd.date_range("2026-10-01", "2026-10-10"), "1min")
    for start, many in runs:
        at = frame["start"].searchsorted(pd.Timestamp(start))
        frame.loc[at : at + many - 1, "value"] = 0.5
    return frame


def test_the_cells_of_a_month_with_slugs_are_those_of_its_longest_proven_one() -> None:
    """Not of the run at the record's end, which may have lasted for ever and is not proven."""
    frame = minutes_over(("2026-10-04 10:00", 17), ("2026-10-06 10:00", 25), ("2026-10-10 23:46", 14))
    found = slugs(check(frame)).loc["2026-10"]
    assert (found["verdict"], found["low"], found["high"]) == ("exceeds", 2, 3)
    first = int(frame["start"].searchsorted(pd.Timestamp("2026-10-06 10:00")))
    cells = found["sources"].split("; ")
    assert cells == [str(row) for row in range(first + 1, first + 26)]


def test_the_cells_of_a_month_with_none_proven_are_those_of_the_longest_possible_run() -> None:
    frame = minutes_over(("2026-10-04 10:00", 15), ("2026-10-06 10:00", 16))
    found = slugs(check(frame)).loc["2026-10"]
    assert (found["verdict"], len(found["sources"].split("; "))) == ("undetermined", 16)


def test_a_mean_that_ends_with_the_month_is_listed_in_it() -> None:
    """Over from 23:40 to midnight: a slug of October, in the count and in the table."""
    frame = minutes_over(("2026-10-10 23:40", 20))
    shift = pd.Timestamp("2026-11-01") - pd.Timestamp("2026-10-11")
    frame = frame.assign(start=frame["start"] + shift)
    for period, many in (("2026-10", 1), ("2026-11", 0)):
        review = check(frame, flow(["2026-11-01"], "15min"), period=period, settings={"reading": "mean"})
        assert len(review.slugs) == many
        assert slugs(review)["low"].sum() == many


def test_counts_name_the_parameter_that_was_metered() -> None:
    review = check(OCTOBER, OCTOBER.assign(parameter="Copper", unit="mg/L", value=0.2))
    key = ["facility", "outfall", "parameter", "pack", "limit_id", "statistic", "verdict"]
    listed = review.comparisons.astype(dict.fromkeys(key, str)).groupby(key).size()
    counted = review.counts.astype(dict.fromkeys(key, str)).set_index(key)["n"]
    assert listed.to_dict() == counted.to_dict()
    assert set(review.counts.loc[review.counts["statistic"] == "slug", "parameter"]) == {"Flow", "Copper"}
