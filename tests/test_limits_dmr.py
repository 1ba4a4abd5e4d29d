"""EPA's own exceedances, with its own percentages, come out of its own files (ECHO effluent chart downloads)."""

import pandas as pd
import pytest
from shared import INPUTS, needs_shared

import pretreat
from pretreat import packs
from pretreat.errors import UsageError

FILES = [
    "echo_TX0062677_industrial_2018-20.csv",
    "echo_TX0062677_industrial_2021-24.csv",
    "echo_TX0119407_all_2021-24.csv",
]


@needs_shared
@pytest.mark.parametrize("name", FILES)
def test_epas_exceedances_and_percentages(name):
    path = INPUTS / "dmr" / name
    review = pretreat.check(
        pretreat.read_samples(str(path)),
        pretreat.load_limits(str(path)),
        period="2016-01-01:2024-12-31",
        as_of="2025-01-01",
        federal=False,
    )
    published = pd.read_csv(INPUTS / "dmr" / "published_exceedances.csv", dtype=str, keep_default_na=False)
    published = published[published["file"] == name]
    day = pd.to_datetime(published["monitoring_period_end_date"], format="%m/%d/%Y").dt.strftime("%Y-%m-%d")
    theirs = sorted(
        zip(day, published["perm_feature_nmbr"], published["exceedence_pct"].map(float_or_none), strict=True), key=str
    )
    found = review.comparisons[review.comparisons["verdict"] == "exceeds"]
    ours = sorted(
        zip(
            pd.to_datetime(found["period_start"]).dt.strftime("%Y-%m-%d"),
            found["outfall"].astype(str),
            [None if pd.isna(percent) else float(percent) for percent in found["percent_over"]],
            strict=True,
        ),
        key=str,
    )
    assert ours == theirs


def float_or_none(text):
    return float(text) if text else None


@needs_shared
def test_limits_of_a_download_bind_their_own_outfall_and_days():
    limits = packs.load(INPUTS / "dmr" / FILES[0])
    assert all({"facility", "outfall"} <= set(row.when) for row in limits.rows)
    before, after = (row for row in limits.rows if row.id == "00011 001 DAILY MX Concentration3")
    assert before.until <= after.start
    assert before.bounds[0].low == 108


@needs_shared
def test_a_download_is_not_exported(tmp_path):
    with pytest.raises(UsageError, match="exported by nobody"):
        packs.export(str(INPUTS / "dmr" / FILES[0]), tmp_path / "x.xlsx")
