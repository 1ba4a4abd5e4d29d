"""What a column says of detection is the same in a sheet, in Parquet, in pieces of it and in a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pretreat
from pretreat import pieces
from pretreat.reading import frame_marks, frames
from pretreat.reading.frame_marks import Marks

ROWS = 4


def made(**columns: list[Any]) -> pd.DataFrame:
    base = {
        "facility": ["Acme", "Acme", "Best", "Best"],
        "start": pd.to_datetime(["2026-10-05", "2026-10-06", "2026-10-05", "2026-10-06"]),
        "parameter": ["Copper"] * ROWS,
        "value": [2.0, 0.1, 3.0, 4.0],
        "unit": ["mg/L"] * ROWS,
    }
    return pd.DataFrame({**base, **columns})


def said(results: pd.DataFrame) -> list[tuple[float, str]]:
    ordered = results.sort_values(["facility", "start"])
    return list(zip(ordered["value"].tolist(), ordered["qualifier"].astype(str), strict=True))


def everywhere(frame: pd.DataFrame, folder: Path) -> dict[str, tuple[list[tuple[float, str]], list[str]]]:
    """Return results and reasons of what is set aside, by the way in which a table is given."""
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_parquet(folder / "a.parquet", index=False, row_group_size=1)
    frame.astype({name: "category" for name in frame if frame[name].dtype == object}).to_parquet(folder / "b.parquet")
    found = {}
    for name in ("a.csv", "a.parquet", "b.parquet"):
        samples = pretreat.read_samples(folder / name)
        found[name] = said(samples.results), sorted(samples.set_aside["reason"].astype(str))
    for name, review in {
        "frame": pretreat.check(frame, "ny/little-valley"),
        "pieces": pieces.check(folder / "a.parquet", "ny/little-valley", rows=1),
    }.items():
        found[name] = said(review.results), sorted(review.set_aside["reason"].astype(str))
    return found


PLAIN = [(2.0, ""), (0.1, ""), (3.0, ""), (4.0, "")]
FIRST = [(2.0, "<"), (0.1, ""), (3.0, ""), (4.0, "")]


@pytest.mark.parametrize(
    ("columns", "results"),
    [
        ({"Remark": ["not detected", "", "", ""]}, FIRST),
        ({"Comments": ["ND", "heavy rain", "trace", "see U-tube"]}, FIRST),
        ({"notes": ["Not Detected", None, None, None]}, FIRST),
        ({"Footnote": ["U", "H", "", ""]}, FIRST),
        ({"Code 7x": ["U", "", "J", ""]}, FIRST),
        ({"zz": ["<", "", "", ""]}, FIRST),
        ({"Qualifier": ["U", "H", "H", "H"]}, FIRST),
        ({"Non-Detect": ["yes", "no", "no", ""]}, FIRST),
        ({"Result Qualifier": ["", "J", "", ""], "Remarks": ["below detection limit", "", "", "x"]}, FIRST),
        ({"Pump Status": ["U", "", "", ""]}, PLAIN),
        ({"shift": ["D", "D", "E", "E"]}, PLAIN),
        ({"Comments": ["trace", "rain", "detected", ""]}, PLAIN),
        ({"Crew": ["U", "Jones", "Smith", "Lee"]}, PLAIN),
        ({"Depth": [1, 2, 3, 4]}, PLAIN),
    ],
)
def test_a_column_means_the_same_however_the_table_is_given(
    columns: dict[str, list[Any]], results: list[tuple[float, str]], tmp_path: Path
) -> None:
    for name, (found, aside) in everywhere(made(**columns), tmp_path).items():
        assert found == results, name
        assert aside == [], name


def test_marks_that_may_be_of_two_things_set_their_values_aside(tmp_path: Path) -> None:
    frame = made(**{"Code 1x": ["U", "", "", ""], "Code 2x": ["J", "U", "", ""]})
    for name, (found, aside) in everywhere(frame, tmp_path).items():
        assert found == [(3.0, ""), (4.0, "")], name
        assert aside == ["unclear qualifier"] * 2, name


def test_a_sign_before_a_limit_may_be_the_limits(tmp_path: Path) -> None:
    frame = made(zz=["<", "", "", ""], MDL=[0.5, 0.05, 0.05, 0.05])
    for name in ("a.csv", "a.parquet"):
        found, aside = everywhere(frame, tmp_path)[name]
        assert (len(found), aside) == (3, ["unclear qualifier"]), name


def test_of_the_false_exceedance_nothing_is_left(tmp_path: Path) -> None:
    frame = made(Remark=["not detected", "", "not detected", "not detected"])
    review = pretreat.check(frame, "ny/little-valley", as_of="2026-11-30")
    assert review.exceedances.empty
    assert len(review.undetermined)


def test_a_sheet_and_parquet_name_what_they_do_not_use(tmp_path: Path) -> None:
    frame = made(Weather=["rain", "", "", ""], Crew=["a", "b", "c", "d"], Remark=["ND", "", "", ""])
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    rows = pretreat.read_samples(tmp_path / "a.parquet").understood.set_index("taken_as")
    assert rows.loc["not used", "heading"] == "Weather; Crew"
    assert rows.loc["qualifier", "note"].startswith("of the remarks")


def test_all_used_is_not_mentioned(tmp_path: Path) -> None:
    made().to_parquet(tmp_path / "a.parquet", index=False)
    assert "not used" not in pretreat.read_samples(tmp_path / "a.parquet").understood["taken_as"].tolist()


def test_results_that_are_given_again_are_as_they_were(tmp_path: Path) -> None:
    results = pretreat.check(made(Remark=["ND", "", "", ""]), "ny/little-valley").results
    again = pretreat.check(results, "ny/little-valley").results
    assert said(again) == said(results) == FIRST
    assert frame_marks.told(results) is results


def test_lists_and_numbers_in_an_unknown_column_are_no_marks() -> None:
    frame = made(lists=[[1], [2], [], ["U"]], mixed=["U", 1.5, None, pd.Timestamp("2026-10-05")])
    assert frame_marks.in_frame(frame, {name: name for name in made()}) == Marks()


def test_hundreds_of_different_remarks_do_not_hide_one(tmp_path: Path) -> None:
    count = 2_000
    frame = pd.DataFrame({
        "Facility": "Acme", "Sample Date": "2026-10-05", "Analyte": "Copper", "Result": 2.0, "Units": "mg/L",
        "Remark": [f"bottle {n}" for n in range(count - 1)] + ["not detected"],
    })  # fmt: skip
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    for name in ("a.csv", "a.parquet"):
        found = pretreat.read_samples(tmp_path / name).results["qualifier"].astype(str)
        assert found.value_counts().to_dict() == {"": count - 1, "<": 1}, name


def test_each_text_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count, asked = 100_000, []
    tells = frame_marks.marks.tells
    monkeypatch.setattr(frame_marks.marks, "tells", lambda text: asked.append(text) or tells(text))
    remark = pd.Categorical.from_codes(np.arange(count) % 3, ["", "ND", "rain"])
    frame = pd.DataFrame({"parameter": "Copper", "value": 1.0, "Remark": remark})
    out, _, _ = frames.values(frame, "frame")
    assert set(out["qualifier"].astype(str)) == {"", "ND"}
    assert len(asked) < 10
