"""EPA's own percentages of exceedance, reproduced by reading discharge monitoring reports and the limits that they print."""

from __future__ import annotations

import pandas as pd
import pytest
from shared import INPUTS, needs_shared

import pretreat

DMR = INPUTS / "dmr"


@needs_shared
@pytest.mark.parametrize(
    "name", ["echo_TX0062677_industrial_2018-20", "echo_TX0062677_industrial_2021-24", "echo_TX0119407_all_2021-24"]
)
def test_every_published_percentage_is_reproduced(name: str) -> None:
    path = DMR / f"{name}.csv"
    published = pd.read_csv(DMR / "published_exceedances.csv", dtype=str)
    published = published[published["file"] == path.name]
    review = pretreat.check(
        pretreat.read_samples(path),
        pretreat.load_limits(str(path)),
        federal=False,
        tables=("exceedances", "comparisons"),
    )
    ours = review.exceedances
    # In the order of the file; one of the three ends its lines twice over, so that its records may be counted two ways.
    line = ours["sources"].str.extract(r"!\D+(\d+)$")[0].astype(int)
    found = ours.assign(line=line).sort_values("line")["percent_over"].astype(int).astype(str).tolist()
    expected = published.assign(at=published["line"].astype(int)).sort_values("at")["exceedence_pct"].tolist()
    assert found == expected
