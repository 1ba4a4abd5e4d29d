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


def test_counts_name_the_parameter_that_was_metered() -> None:
    review = check(OCTOBER, OCTOBER.assign(parameter="Copper", unit="mg/L", value=0.2))
    key = ["facility", "outfall", "parameter", "pack", "limit_id", "statistic", "verdict"]
    listed = review.comparisons.astype(dict.fromkeys(key, str)).groupby(key).size()
    counted = review.counts.astype(dict.fromkeys(key, str)).set_index(key)["n"]
    assert listed.to_dict() == counted.to_dict()
    assert set(review.counts.loc[review.counts["statistic"] == "slug", "parameter"]) == {"Flow", "Copper"}
