"""The fuzzer over the reader (tests/fuzz.py): a few inputs every day, thousands before a release; and it can find a fault."""

import importlib.util
import random
import sys

import fuzz
import pandas as pd
import pytest

import pretreat
from pretreat.errors import FileError

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the limit on time is an alarm signal"),
    pytest.mark.skipif(importlib.util.find_spec("xlwt") is None, reason="xlwt writes the .xls inputs"),
]


def test_the_reader_breaks_no_law():
    outcomes, said = fuzz.run(40, seed=fuzz.SEED + 1)
    assert not said
    assert min(outcomes["read"], outcomes["refused"]) > 5, "inputs that are all read, or all refused, test little"


@pytest.mark.slow
def test_the_reader_breaks_no_law_in_thousands_of_inputs():
    outcomes, said = fuzz.run(4000)
    assert not said, said[:5]
    assert sum(outcomes.values()) == 4000


@pytest.mark.parametrize("kind", fuzz.KINDS)
@pytest.mark.parametrize("which", range(6))
def test_every_sound_sheet_is_read_and_adds_up(tmp_path, kind, which):
    path = tmp_path / f"a.{kind}"
    path.write_bytes(fuzz.written(fuzz.sound()[which], kind))
    samples = pretreat.read_samples(path)
    assert fuzz.faults(samples) == []
    assert len(samples.results) >= 24
    assert set(samples.sheets["layout"]) != {"none"}


def test_the_fuzzer_sees_a_value_used_twice_and_one_that_is_lost(tmp_path):
    grid = fuzz.sound()[0]
    path = tmp_path / "a.csv"
    path.write_bytes(fuzz.written(grid, "csv"))
    samples = pretreat.read_samples(path)
    results = samples.results
    twice = pretreat.samples.Samples(
        pd.concat([results, results[:1]]), samples.set_aside, samples.sheets, samples.findings, samples.understood
    )
    assert any("twice" in law for law in fuzz.faults(twice))
    short = pretreat.samples.Samples(
        results[1:], samples.set_aside, samples.sheets, samples.findings, samples.understood
    )
    assert any("but" in law for law in fuzz.faults(short))
    assert fuzz.lost(samples, short, grid, {(5, 1)})[0].startswith(f"lost: {results['source_cell'][0]} ")
    assert fuzz.lost(samples, samples, grid, {(5, 1)}) == []


def test_the_fuzzer_sees_a_traceback_and_a_hang(tmp_path, monkeypatch):
    def breaks(path):
        raise ZeroDivisionError

    def hangs(path):
        while True:
            pass

    def unclear(path):
        raise FileError("two\nlines")

    monkeypatch.setattr(fuzz, "LIMIT", 1)
    for reader, word in ((breaks, "ZeroDivisionError"), (hangs, "took more than 1 s"), (unclear, "no clear line")):
        monkeypatch.setattr(pretreat, "read_samples", reader)
        _, said, _, _ = fuzz.one(0, 1, tmp_path, {})
        assert word in said[0]


def test_inputs_are_made_again_from_the_seed(tmp_path):
    first, again, other = (fuzz.one(7, seed, tmp_path, {})[2] for seed in (1, 1, 2))
    assert first == again != other
    assert fuzz.bent(b"abc" * 99, random.Random(1)) == fuzz.bent(b"abc" * 99, random.Random(1))
