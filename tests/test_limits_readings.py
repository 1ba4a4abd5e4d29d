"""So many of so many readings: `readings = "2 of 3"` counts those over among any three consecutive ones."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packs_made import codes, pack, write

import pretreat
from pretreat import packs
from pretreat.averages.asked import Rules
from pretreat.averages.readings import counts
from pretreat.measurements.measure import measure
from pretreat.packs import words

LIMIT = '[[limit]]\nid = "n"\nparameter = "LEL"\nreadings = "{}"\nabove = 10\nunit = "%"\n'


@pytest.mark.parametrize(
    ("said", "count", "among", "successive"),
    [
        ("2 of 3", 2, 3, False), ("2 of any 3", 2, 3, False), ("3 of 5 consecutive", 3, 5, False), ("2 of 2", 2, 2, False),
        ("2 successive", 2, None, True), ("2", 2, None, False),
    ],
)  # fmt: skip
def test_how_it_is_written(said, count, among, successive):
    found = words.readings(said)
    assert (found.count, found.among, found.successive) == (count, among, successive)


@pytest.mark.parametrize("said", ["3 of 2", "0 of 3", "two of three", "2 of", "2 of 3 of 4"])
def test_what_is_no_count_is_refused(tmp_path, said):
    assert codes(tmp_path, LIMIT.format(said)) == ["bad-value"]


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([12, 5, 12], "exceeds"),  # two of three
        ([12, 5, 5, 12], "complies"),  # three apart: never two of any three
        ([12, 12], "exceeds"),
        ([12, 10, 10], "complies"),  # exactly at the level is not over
    ],
)
def test_two_of_three(tmp_path, values, verdict):
    frame = pd.DataFrame({"facility": "A", "parameter": "LEL", "unit": "%", "value": values})
    frame["start"] = [f"2026-10-05 08:{n:02d}" for n in range(len(values))]
    path = write(tmp_path, LIMIT.format("2 of 3"))
    found = pretreat.check(frame, str(path), federal=False, as_of="2026-12-01").comparisons
    assert found["verdict"].tolist() == [verdict]
    assert found["limit_high"].tolist() == [2.0]
    assert "2 of 3 readings" in packs.show(str(path))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(1, 5))
def test_law_it_is_the_most_over_among_so_many_in_a_row(over, among):
    frame = pd.DataFrame({"facility": "A", "parameter": "LEL", "unit": "%", "value": np.where(over, 12.0, 5.0)})
    frame["start"] = pd.date_range("2026-10-05 08:00", periods=len(over), freq="min")
    (block,) = counts(measure(frame), Rules(), 0, np.array([0]), np.array([5]), "> 10", among=among)
    most = max(sum(over[at : at + among]) for at in range(max(1, len(over) - among + 1)))
    assert block.value.low.tolist() == block.value.high.tolist() == [most]


def test_an_export_keeps_it(tmp_path):
    path = write(tmp_path, LIMIT.format("2 of 3"))
    packs.export(str(path), tmp_path / "my.xlsx")
    assert (
        packs.load(tmp_path / "my.xlsx").packs[0].rows[0].readings
        == pack(tmp_path, LIMIT.format("2 of 3")).rows[0].readings
    )
