"""What is worked in stretches is what one plain pass gives, however long the arrays and however many threads."""

import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pretreat import stretches
from pretreat.measurements import logs

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


@pytest.fixture
def shorter(short, monkeypatch):
    """Also what calls `each` without a length of its own."""
    monkeypatch.setattr(stretches.each, "__defaults__", (3,))


@pytest.mark.usefixtures("shorter")
@pytest.mark.parametrize("size", [*range(8), 13, 30])
def test_each_place_is_in_one_stretch_and_the_answers_are_in_order(size):
    for stretch in (1, 2, 3, 20):
        told = stretches.each(size, lambda begin, end: (begin, end), stretch)
        assert told == [(begin, min(begin + stretch, size)) for begin in range(0, size, stretch)]


@pytest.mark.usefixtures("shorter")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [*range(8), 13, 30])
def test_what_is_worked_in_stretches_is_what_one_pass_gives(size, seed):
    codes, other = np.random.default_rng(seed).integers(0, 3, (2, size))

    def over(least, what=np.asarray):
        return lambda begin, end: what(codes[begin:end] > least)

    assert stretches.take(np.array([5, 6, 7]), codes).tolist() == (codes + 5).tolist()
    assert stretches.where(size, over(1)).tolist() == np.flatnonzero(codes > 1).tolist()
    for least in (0, 1, 2):
        assert stretches.anywhere(size, over(least, np.any)) == (codes > least).any()
    new = [at for at in range(size) if not at or codes[at] != codes[at - 1] or other[at] != other[at - 1]]
    assert stretches.changes(size, codes, other).tolist() == new
    assert stretches.counted(codes, 3).tolist() == [(codes == code).sum() for code in range(3)]


FLAGS = np.arange(12) % 5 < 2


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("first", [[0], [0, 1, 2, 9], [0, 4, 5, 6, 7, 8, 9, 10, 11]])
@pytest.mark.parametrize(
    ("how", "values", "kind"),
    [
        (np.add, FLAGS, np.int32),
        (np.add, FLAGS * 1.5, None),
        (np.maximum, FLAGS * 1.5, None),
        (np.logical_or, FLAGS, None),
    ],
)
def test_groups_are_reduced_each_by_itself_and_to_the_type_asked_for(how, values, kind, first):
    made = stretches.reduced(how, values, np.array(first), kind)
    assert made.tolist() == [how.reduce(part, dtype=kind) for part in np.split(values, first[1:])]
    assert made.dtype == (kind or values.dtype)


@pytest.mark.usefixtures("shorter")
@pytest.mark.parametrize("seed", range(30))
def test_a_log_has_so_many_readings_of_one_day_and_not_all_of_one_time(seed):
    rng = np.random.default_rng(seed)
    series = [np.sort(rng.integers(0, 9, size)) * 6 * 3600 for size in rng.integers(0, 9, 4)]
    for least in (2, 3, 4):
        so_many = [
            len(part) == least and part[0] // logs.DAY == part[-1] // logs.DAY and part[0] < part[-1]
            for times in series
            for part in (times[at : at + least] for at in range(len(times)))
        ]
        bounds = np.cumsum([0, *map(len, series)])
        many, begins = logs.busy(np.concatenate(series), bounds, least)
        assert begins.tolist() == so_many
        assert many.tolist() == [any(so_many[begin:end]) for begin, end in pairwise(bounds.tolist())]


@pytest.mark.usefixtures("shorter")
def test_threads_are_begun_for_long_arrays_alone(monkeypatch):
    def own(size):
        return {*stretches.each(size, lambda *_: threading.get_ident())} == {threading.get_ident()}

    assert own(4)
    assert not own(5)
    monkeypatch.setattr(stretches, "WORKERS", 1)
    assert own(5)
