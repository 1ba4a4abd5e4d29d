"""The same result in two files, corrected reports, contradictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pretreat.tidy.revisions import revision, revisions

DAY = pd.Timestamp("2026-10-05 08:00")


def results(count: int, **columns: Any) -> pd.DataFrame:
    given = {"facility": "Acme", "outfall": "001", "parameter": "Zinc", "fraction": "total", "unit": "mg/L", "qualifier": "",
             "sample_type": "grab", "start": DAY, "timed": True, "sample_id": "S-1", "value": 1.0}  # fmt: skip
    frame = pd.DataFrame(
        {name: value if isinstance(value, list) else [value] * count for name, value in (given | columns).items()}
    )
    return frame.assign(source_cell=[f"C{at + 2}" for at in range(count)], value_text=frame["value"].astype(str))


def test_identical_results_in_two_files_are_one() -> None:
    kept, aside, findings = revisions(results(2, source_file=["oct.csv", "q4.csv"]))
    assert len(kept) == 1
    assert aside[["source_file", "reason"]].to_numpy().tolist() == [["q4.csv", "same result"]]
    assert "oct.csv!C2" in aside["message"][0]
    assert findings.empty


def test_repeated_hours_of_one_log_are_not_repetitions() -> None:
    """The day clocks go back has two half past ones; the same file again is still the same file."""
    log = results(4, source_file=["a.csv", "a.csv", "b.csv", "b.csv"], sample_id="")
    kept, aside, _ = revisions(log)
    assert kept["source_file"].tolist() == ["a.csv", "a.csv"]
    assert len(aside) == 2


def test_one_file_is_left_alone() -> None:
    frame = results(3, source_file="a.csv")
    kept, aside, findings = revisions(frame)
    assert kept is frame
    assert aside.empty
    assert findings.empty


def test_equal_values_of_two_samples_stay_two() -> None:
    kept, aside, _ = revisions(results(2, source_file=["a.csv", "b.csv"], sample_id=["S-1", "S-2"], timed=False))
    assert len(kept) == 2
    assert aside.empty


def test_a_sample_without_an_id_is_the_one_with_it() -> None:
    kept, aside, _ = revisions(results(2, source_file=["a.csv", "b.csv"], sample_id=["", "S-2"]))
    assert kept["sample_id"].tolist() == ["S-2"]
    assert len(aside) == 1


@pytest.mark.parametrize("change", [{"value": [1.0, 2.0]}, {"qualifier": ["", "<"]}])
def test_two_values_of_one_sample_are_a_finding_and_both_stay(change: dict) -> None:
    kept, aside, findings = revisions(results(2, source_file=["a.csv", "b.csv"], **change))
    assert len(kept) == 2
    assert aside.empty
    assert findings["code"].tolist() == ["contradictory results"]
    assert findings["sources"].tolist() == ["a.csv!C2; b.csv!C3"]


def test_a_split_between_two_laboratories_contradicts_nothing() -> None:
    _, _, findings = revisions(results(2, source_file=["a.csv", "b.csv"], value=[1.0, 1.2], lab=["North", "South"]))
    assert findings.empty


@pytest.mark.parametrize("kind", ["composite", "grab", ""])
def test_two_files_that_differ_on_a_date_alone_are_asked_about_and_both_count(kind: str) -> None:
    """A date alone does not make one sample of two results; but one report may correct the other."""
    frame = results(2, source_file=["a.csv", "b.csv"], value=[1.5, 1.9], sample_id="", timed=False, sample_type=kind)
    kept, aside, findings = revisions(frame)
    assert kept["value"].tolist() == [1.5, 1.9]
    assert aside.empty
    assert findings["code"].tolist() == ["two reports of a day"]
    assert findings["sources"].tolist() == ["a.csv!C2; b.csv!C3"]
    assert "1.5 mg/L in a.csv!C2; 1.9 mg/L in b.csv!C3" in findings["message"][0]


def test_grabs_of_a_day_that_both_files_have_do_not_hide_the_one_they_differ_in() -> None:
    frame = results(6, source_file=["a.csv"] * 3 + ["b.csv"] * 3, value=[1.0, 1.2, 1.5, 1.0, 1.2, 1.6], sample_id="",
                    timed=False)  # fmt: skip
    kept, _, findings = revisions(frame)
    assert sorted(kept["value"]) == [1.0, 1.2, 1.5, 1.6]
    assert findings["sources"].tolist() == ["a.csv!C4; b.csv!C7"]


def test_many_days_on_which_two_files_differ_are_one_finding() -> None:
    days = [pd.Timestamp("2026-10-01") + pd.Timedelta(days=day) for day in range(20)]
    frame = results(40, source_file=["a.csv"] * 20 + ["b.csv"] * 20, value=[1.0] * 20 + [2.0] * 20, sample_id="",
                    timed=False, start=days * 2)  # fmt: skip
    message = revisions(frame)[2]["message"].tolist()
    assert len(message) == 1
    assert "2026-10-01: 1 mg/L" in message[0]
    assert "and 10 more days" in message[0]


@pytest.mark.parametrize(
    "told",
    [
        {"source_file": "a.csv"},
        {"lab": ["North", "South"]},
        {"lab_sample_id": ["1", "2"]},
        {"collected_by": ["user", "authority"]},
        {"sample_type": ["grab", "composite"]},
    ],
)
def test_what_tells_two_samples_of_a_day_apart_asks_nothing(told: dict) -> None:
    given = {"source_file": ["a.csv", "b.csv"], "value": [1.0, 1.2], "sample_id": "", "timed": False} | told
    assert revisions(results(2, **given))[2].empty


def test_a_corrected_report_supersedes_and_both_are_shown() -> None:
    kept, aside, findings = revisions(
        results(3, source_file=["oct rev2.csv", "oct.csv", "oct_rev1.csv"], value=[3.0, 1.0, 2.0])
    )
    assert kept["value"].tolist() == [3.0]
    assert sorted(aside["text"]) == ["1.0", "2.0"]
    assert set(aside["reason"]) == {"superseded"}
    assert findings["code"].tolist() == ["corrected report"]
    assert "3 mg/L in oct rev2.csv!C2" in findings["message"][0]


@pytest.mark.parametrize("said", ["Revision 1", "CORRECTED REPORT", "1", 1.0])
def test_a_sheet_may_say_itself_that_it_is_a_revision(said: object) -> None:
    kept, _, findings = revisions(results(2, source_file=["a.csv", "b.csv"], value=[1.0, 2.0], revision=["", said]))
    assert kept["value"].tolist() == [2.0]
    assert findings["code"].tolist() == ["corrected report"]


def test_a_corrected_report_that_repeats_a_result_changes_nothing() -> None:
    kept, aside, findings = revisions(results(2, source_file=["oct.csv", "oct rev1.csv"]))
    assert kept["source_file"].tolist() == ["oct.csv"]
    assert aside["reason"].tolist() == ["same result"]
    assert findings.empty


@pytest.mark.parametrize(
    ("name", "number"),
    [("a.xlsx", 0), ("a rev.xlsx", 1), ("a_rev2.xlsx", 2), ("Rev-3 a.xlsx", 3), ("a (revised).xlsx", 1), ("CORRECTED a.csv", 1),
     ("a amended.xlsx", 1), ("reissue a.xlsx", 1), ("Review.xlsx", 0), ("revenue.xlsx", 0), ("Corrections Dept.csv", 0), ("2026-10 rev 12.csv", 12)],
)  # fmt: skip
def test_signs_of_a_correction(name: str, number: int) -> None:
    assert revision(name) == number


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, np.nan]), st.sampled_from(["", "S-1"]), st.integers(0, 2)),
        min_size=1,
        max_size=8,
    )
)
def test_every_result_is_kept_or_set_aside_and_a_folder_read_twice_changes_nothing(rows: list) -> None:
    one = results(
        len(rows), value=[v for v, _, _ in rows], sample_id=[s for _, s, _ in rows], start=[DAY + pd.Timedelta(hours=h) for *_, h in rows],
        source_file="a.csv",
    )  # fmt: skip
    kept, aside, _ = revisions(pd.concat([one, one.assign(source_file="b.csv")], ignore_index=True))
    assert len(kept) + len(aside) == 2 * len(one)
    assert sorted(map(repr, kept["value"])) == sorted(map(repr, one["value"]))


def test_a_corrected_report_of_dates_alone_supersedes() -> None:
    frame = pd.DataFrame(
        {
            "facility": "Acme",
            "parameter": "Copper",
            "unit": "mg/L",
            "sample_type": "composite",
            "start": pd.Timestamp("2026-10-07"),
            "timed": False,
            "value": [1.75, 1.55],
            "source_file": ["october.csv", "october-rev1.csv"],
            "source_cell": ["C2", "C2"],
        }
    )
    kept, aside, findings = revisions(frame)
    assert kept["value"].tolist() == [1.55]
    assert aside["reason"].tolist() == ["superseded"]
    assert findings["code"].tolist() == ["corrected report"]
    # Without a mark they count as two samples of one day, and a person is asked.
    kept, aside, findings = revisions(frame.assign(source_file=["october.csv", "october-b.csv"]))
    assert kept["value"].tolist() == [1.75, 1.55]
    assert aside.empty
    assert findings["code"].tolist() == ["two reports of a day"]
    # Two results of one day in one file are two samples, whatever another file says.
    three = pd.concat([frame, frame.iloc[:1].assign(value=1.6, source_cell="C3")], ignore_index=True)
    assert revisions(three)[1].empty


def test_what_a_correction_says_again_is_not_superseded_by_it() -> None:
    """Two results of one sample: the corrected report repeats one and changes the other; both of its own count."""
    kept, aside, findings = revisions(
        results(4, sample_id="S-1", value=[1.0, 2.0, 1.0, 3.0], source_file=["oct.csv"] * 2 + ["oct rev1.csv"] * 2)
    )
    assert sorted(kept["value"]) == [1.0, 3.0]
    assert sorted(zip(aside["text"], aside["reason"], strict=True)) == [("1.0", "same result"), ("2.0", "superseded")]
    assert findings["code"].tolist() == ["corrected report"]
    assert "superseded by 1" in findings["message"].item()
    assert "and 3" in findings["message"].item()
