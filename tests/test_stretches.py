"""What is worked in stretches is what one plain pass gives, however long the arrays and however many threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pretreat import stretches

CODES = st.integers(1, 60).flatmap(
    lambda n: st.lists(
        st.integers(1, 5).flatmap(
            lambda size: st.tuples(st.lists(st.integers(-1, size - 1), min_size=n, max_size=n), st.just(size))
        ),
        min_size=1,
        max_size=4,
    )
)


@given(CODES)
def test_combinations_are_those_of_the_rows(columns):
    parts = [(np.array(codes, dtype=np.int8), size) for codes, size in columns]
    which, each = stretches.combined(parts)
    rows = list(zip(*(codes for codes, _ in columns), strict=True))
    assert [each[at] for at in which.tolist()] == rows
    assert sorted(set(rows)) == sorted(each)


def test_more_combinations_than_an_integer_can_number():
    sizes = [10**9, 10**9, 10**9, 3]
    rows = [(5, 7, 10**9 - 1, 2), (5, 7, 10**9 - 1, 1), (-1, 0, 0, 0), (5, 7, 10**9 - 1, 2)]
    parts = [(np.array(codes), size) for codes, size in zip(zip(*rows, strict=True), sizes, strict=True)]
    which, each = stretches.combined(parts)
    assert [each[at] for at in which.tolist()] == rows


def test_combinations_of_no_row():
    assert stretches.combined([(np.empty(0, dtype=np.int8), 3)])[1] == []


@pytest.fixture
def short(monkeypatch):
    """Stretches of three places, by two threads from five places on."""
    monkeypatch.setattr(stretches, "STRETCH", 3)
    monkeypatch.setattr(stretches, "LONG", 5)
    monkeypatch.setattr(stretches, "WORKERS", 2)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("first", [[0], [0, 1, 2, 9], [0, 4, 5, 6, 7, 8, 9, 10, 11], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
def test_each_group_is_worked_once_and_whole(first):
    begins, size = np.array(first), 12
    seen = np.zeros(size, dtype=int)
    groups = []

    def work(left, right, begin, end):
        assert begin == begins[left]
        assert end == (begins[right] if right < len(begins) else size)
        seen[begin:end] += 1
        groups.extend(range(left, right))

    stretches.groups(begins, size, work)
    assert seen.tolist() == [1] * size
    assert sorted(groups) == list(range(len(first)))
