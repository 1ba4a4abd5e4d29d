"""The engine on long tables: what is listed and counted, and that stretches and threads change nothing."""

from datetime import date

import numpy as np
import pandas as pd
import pytest
from bench import limit, samples, work

import pretreat
from pretreat import columns, engine, stretches
from pretreat.compare import answers
from pretreat.measurements.measure import PLACE

ROWS = (
    limit("Copper", ">", "1.6", "24-hour average"),
    limit("Copper", ">", "0.8", "30-day average"),
    limit("Zinc", ">", "1.6", "24-hour average"),
    limit("pH", "<", "5.5"),
)
WANTED = frozenset({"comparisons", "exceedances", "undetermined", "counts", "averages", "not_evaluated"})


def long_table() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    parts = []
    for number in range(12):
        for parameter in ("Copper", "Zinc", "pH"):
            days = np.sort(rng.choice(200, rng.integers(20, 200), replace=False))
            values = rng.lognormal(0, 0.7, len(days)).round(4) + (5 if parameter == "pH" else 0)
            when = [str(np.datetime64("2026-01-10", "D") + np.timedelta64(int(day), "D")) + " 08:00" for day in days]
            below = rng.random(len(days)) < 0.2
            texts = [f"<{value}" if low else value for value, low in zip(values, below, strict=True)]
            parts.append(samples(list(zip(when, texts, strict=True)), parameter, facility=f"User {number:02d}"))
    whole = pd.concat(parts, ignore_index=True).sample(frac=1, random_state=1).reset_index(drop=True)
    return whole.assign(source_cell=[f"C{row}" for row in range(2, len(whole) + 2)])


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return long_table()


def tables(
    results: pd.DataFrame, *, all_rows: bool = False, period: str | None = None, **settings: str
) -> dict[str, pd.DataFrame]:
    done = work(results, *ROWS, period=period, **settings)
    return done.tables(WANTED, columns.empty("not_evaluated"), ["permit"], all_rows=all_rows)


@pytest.mark.parametrize("period", [None, "2026-03"])
def test_above_a_million_what_complies_is_counted_and_not_listed(
    table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, period: str | None
) -> None:
    whole = tables(table, period=period)
    monkeypatch.setattr(engine, "MILLION", 100)
    short, every = tables(table, period=period), tables(table, period=period, all_rows=True)
    listed = whole["comparisons"]
    left = listed[listed["verdict"] != "complies"].reset_index(drop=True)
    pd.testing.assert_frame_equal(short["comparisons"], left, check_exact=True)
    for name in ("exceedances", "undetermined", "counts"):
        pd.testing.assert_frame_equal(short[name], whole[name], check_exact=True)
    assert len(every["comparisons"]) == len(listed)
    verdicts = listed["verdict"].astype(str).value_counts().to_dict()
    assert whole["counts"].astype({"verdict": str}).groupby("verdict")["n"].sum().to_dict() == verdicts
    assert work(table, *ROWS, period=period).unlisted == verdicts["complies"]


def test_cells_are_named_where_something_does_not_comply(table: pd.DataFrame) -> None:
    listed = tables(table)["comparisons"]
    complies = listed["verdict"] == "complies"
    assert (listed.loc[complies, "sources"] == "").all()
    assert (listed.loc[~complies, "sources"] != "").all()
    assert (tables(table, all_rows=True)["comparisons"]["sources"] != "").all()


def test_the_cells_lead_back_to_the_values(table: pd.DataFrame) -> None:
    over = tables(table, nondetects="half")["exceedances"]
    cells = table.set_index("source_cell")
    days = over[over["statistic"] != "30-day average"].astype({"parameter": str, "sources": str})
    assert len(days) > 500
    each = days.assign(cell=days["sources"].str.split("; ")).explode("cell")
    results = cells.loc[each["cell"].str.split("!").str[-1]]
    value = results["value"].to_numpy() * np.where(results["qualifier"] == "<", 0.5, 1.0)
    means = pd.Series(value, index=each.index).groupby(level=0).mean()
    assert days["low"].to_numpy() == pytest.approx(means.reindex(days.index).to_numpy())
    assert (results["parameter"].to_numpy() == each["parameter"].to_numpy()).all()


@pytest.mark.parametrize("settings", [{}, {"nondetects": "half", "thirty_day": "consecutive"}])
def test_stretches_and_threads_change_nothing(
    table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]
) -> None:
    whole = tables(table, **settings)
    monkeypatch.setattr(stretches, "LONG", 10)
    monkeypatch.setattr(stretches, "WORKERS", 2)
    original = stretches.each
    monkeypatch.setattr(stretches, "each", lambda size, task, stretch=64: original(size, task, min(stretch, 64)))
    pieces = tables(table, **settings)
    for name in WANTED:
        pd.testing.assert_frame_equal(pieces[name], whole[name], check_exact=True)


def test_averages_are_those_that_limits_ask_for(table: pd.DataFrame) -> None:
    averages = tables(table)["averages"]
    assert set(averages["statistic"]) == {"24-hour average", "30-day average"}
    assert "pH" not in set(averages["parameter"])


def test_an_exceedance_names_the_other_limits_that_are_exceeded() -> None:
    """Interface, "Columns": exceedances take the binding limits and name the others."""
    frame = pd.DataFrame(
        {"facility": ["Acme"], "parameter": ["pH"], "value": [4.2], "unit": ["SU"], "start": ["2026-10-07 08:00"]}
    )
    review = pretreat.check(frame, "ny/little-valley", period="2026-10")
    [row] = review.exceedances.to_dict("records")
    assert row["binding"] == "yes"
    assert "also exceeds federal/403 40 CFR 403.5(b)(2)" in row["reason"]
    own = review.comparisons.set_index("comparison_id").loc[row["comparison_id"], "reason"]
    assert "also exceeds" not in own


@pytest.mark.parametrize("seed", range(20))
def test_averages_stand_in_the_order_of_their_names_each_once(seed: int) -> None:
    rng, n = np.random.default_rng(seed), 300
    places = [(f"User {i}", "", name, "total", unit) for i in range(2) for name in ("Copper", "Zinc") for unit in "ab"]
    series = pd.DataFrame(places, columns=list(PLACE), dtype="category")
    low = rng.integers(0, 3, n).astype(float)
    frame = {
        "series": rng.integers(0, len(series), n),
        "period_start": rng.integers(0, 4, n) * 86_400,
        "period_end": rng.integers(4, 6, n) * 86_400,
        "n": rng.integers(1, 3, n),
        "n_nondetect": np.zeros(n, dtype=np.int64),
        "low": np.where(low == 0, np.nan, low),
        "high": low + rng.integers(0, 2, n),
    }
    kind = rng.integers(0, 2, n)
    order = answers._once_in_order(frame, kind, series)
    whole = pd.DataFrame(frame).assign(kind=kind).join(series.astype(str), on="series").drop(columns="series")
    keys = ["facility", "outfall", "parameter", "fraction", "kind", "period_start", "period_end", "low", "high"]
    expected = whole.drop_duplicates(ignore_index=True).sort_values(keys, ignore_index=True)
    pd.testing.assert_frame_equal(whole.iloc[order].reset_index(drop=True), expected)
    assert len(order) < n


@pytest.mark.parametrize("seed", range(3))
def test_the_comparisons_with_some_limits_are_those_whose_limit_is_one_of_them(table: pd.DataFrame, seed: int) -> None:
    done = work(table, *ROWS, limit("Copper", ">", "1.2", "24-hour average", start=date(2026, 5, 1)))
    assert any(layer.at is not None for layer in done.layers)
    limits = np.random.default_rng(seed).random(len(done.tally)) < 0.5
    for layer in done.layers:
        block = done.blocks[layer.block]
        _, of = layer.rows(block, np.arange(len(layer.verdict)))
        for some in (limits, limits | True, limits & False):
            assert layer.against(block, some).tolist() == np.flatnonzero(some[of]).tolist()
