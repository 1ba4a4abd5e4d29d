"""EPA's own percentages of exceedance, reproduced by reading discharge monitoring reports and the limits that they print."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner
from shared import INPUTS, needs_shared

from pretreat.cli import main

DMR = INPUTS / "dmr"


@needs_shared
@pytest.mark.parametrize(
    "name", ["echo_TX0062677_industrial_2018-20", "echo_TX0062677_industrial_2021-24", "echo_TX0119407_all_2021-24"]
)
def test_every_published_percentage_is_reproduced(name: str, tmp_path: Path) -> None:
    """Through the command line: the limits are those that the monitoring reports print themselves."""
    path = DMR / f"{name}.csv"
    published = pd.read_csv(DMR / "published_exceedances.csv", dtype=str)
    published = published[published["file"] == path.name]
    options = ["--no-federal", "--as-of", "2026-11-30", "--tables", "exceedances", "--out", str(tmp_path / "report")]
    ran = CliRunner().invoke(main, ["check", str(path), "--limits", str(path), *options])
    assert ran.exit_code == 0, ran.output
    ours = pd.read_csv(tmp_path / "report" / "tables" / "exceedances.csv")
    # In the order of the file; one of the three ends its lines twice over, so that its records may be counted two ways.
    line = ours["sources"].str.extract(r"!\D+(\d+)$")[0].astype(int)
    ours = ours.assign(line=line).sort_values("line")
    expected = published.assign(at=published["line"].astype(int)).sort_values("at")
    assert ours["percent_over"].astype(int).astype(str).tolist() == expected["exceedence_pct"].tolist()
    ends = pd.to_datetime(expected["monitoring_period_end_date"])
    assert (pd.to_datetime(ours["period_end"]) - pd.Timedelta(days=1)).tolist() == ends.tolist()
    assert ours["outfall"].astype(str).str.zfill(3).tolist() == expected["perm_feature_nmbr"].tolist()
