"""In pieces and on a cluster the tables are those of one whole check: every row and value, in the same order."""

import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import pretreat
from pretreat import cli, columns, engine, partitions, pieces, reading
from pretreat.errors import FileError, UsageError

AS_OF = "2026-11-30"


@pytest.fixture(scope="module")
def parquet(tmp_path_factory) -> Path:
    """Two files of seven users, in small row groups, the second not sorted; one user in both."""
    place = tmp_path_factory.mktemp("parquet")
    rng = np.random.default_rng(7)
    users = np.array(["Acme", "acme", "Bolt", "Cole Dairy", "Dunn", "Elk", ""])
    for name, n in (("a", 900), ("b", 500)):
        which = rng.integers(0, len(users), n)
        frame = pd.DataFrame({"facility": users[np.sort(which) if name == "a" else which]})
        frame["outfall"] = "001"
        frame["parameter"] = rng.choice(["Copper", "Zinc", "pH", "Cyanide", "unheard of"], n)
        frame["value"] = np.round(rng.lognormal(0, 1.5, n), 3)
        frame["qualifier"] = rng.choice(["", "<"], n, p=[0.9, 0.1])
        frame["unit"] = np.where(frame["parameter"] == "pH", "SU", "mg/L")
        frame["start"] = pd.Timestamp("2026-07-01") + pd.to_timedelta(rng.integers(0, 120 * 24, n), unit="h")
        frame["sample_type"] = rng.choice(["grab", "composite"], n)
        frame["collected_by"] = rng.choice(["user", "authority"], n, p=[0.95, 0.05])
        frame.to_parquet(place / f"{name}.parquet", row_group_size=100)
    return place


@pytest.fixture(scope="module")
def whole(parquet) -> pretreat.Review:
    """One whole check, which the pieces must come out as."""
    return pretreat.check(pretreat.read_samples(parquet), "ny/little-valley", as_of=AS_OF)


def tables(review: pretreat.review.Review, folder: Path) -> dict[str, pd.DataFrame]:
    """The tables as they are written."""
    review.save(folder, tables=list(review.tables))
    return {path.name: pd.read_parquet(path) for path in sorted((folder / "tables").iterdir())}


def same(whole: pretreat.review.Review, other: pretreat.review.Review, tmp_path: Path) -> None:
    one, two = tables(whole, tmp_path / "whole"), tables(other, tmp_path / "pieces")
    assert sorted(one) == sorted(two)
    assert [name for name in one if not one[name].equals(two[name])] == []
    assert dict(whole.provenance) == dict(other.provenance)


FACILITIES = pd.DataFrame(
    {
        "facility": ["Acme", "Bolt", "Cole Dairy", "Dunn Foods", "Fern"],
        "aliases": ["", "", "", "Dunn", ""],
        "class": ["SIU", "", "SIU", "", "SIU"],
    }
)
EVENTS = pd.DataFrame(
    {"facility": ["Acme", "Nobody"], "event": ["permit effective", "visit"], "date": ["2026-01-01", "2026-02-02"]}
)


def test_parquet_in_pieces_gives_the_same_tables(parquet, whole, tmp_path):
    assert len(whole.exceedances) > 5
    same(whole, pieces.check(parquet, "ny/little-valley", rows=500, as_of=AS_OF), tmp_path)


def test_parquet_in_pieces_of_known_users_in_a_period_gives_the_same_tables(parquet, tmp_path):
    options = {"facilities": FACILITIES, "events": EVENTS, "period": "2026-Q3", "as_of": AS_OF}
    known = pretreat.check(pretreat.read_samples(parquet), "ny/little-valley", **options)
    assert len(known.exceedances) > 5
    same(known, pieces.check(parquet, "ny/little-valley", rows=500, **options), tmp_path)


def test_tables_that_are_not_wanted_are_not_made(parquet, tmp_path):
    wanted = ("exceedances", "counts")
    few = pretreat.check(pretreat.read_samples(parquet), "ny/little-valley", as_of=AS_OF, tables=wanted)
    same(few, pieces.check(parquet, "ny/little-valley", rows=1, as_of=AS_OF, tables=wanted), tmp_path)


def test_settings_are_told_in_one_order_in_every_run(whole):
    assert list(whole.provenance["settings"]) == sorted(whole.provenance["settings"])


def test_a_piece_that_is_done_keeps_nothing_of_its_results(parquet, monkeypatch):
    done = []
    work = pieces.work
    monkeypatch.setattr(pieces, "work", lambda *asked: done.append(work(*asked)) or done[-1])
    pieces.check(parquet, "ny/little-valley", rows=300, as_of=AS_OF, tables=["exceedances", "counts"])
    assert len(done) > 2
    for one in done:
        held = [array for table in (one.part.results, *one.part.tables.values()) for array in arrays(table)]
        assert max(len(array) for array in held) < 150, "an array as long as the piece is kept"


def arrays(table: pd.DataFrame) -> list[np.ndarray]:
    """The arrays of numbers, times and codes that a table keeps in memory, views led back to what they look at."""
    found = []
    for name in table:
        column = table[name]
        array = column.cat.codes.to_numpy() if isinstance(column.dtype, pd.CategoricalDtype) else column.to_numpy()
        while isinstance(array.base, np.ndarray):
            array = array.base
        found.append(array.reshape(-1) if array.ndim == 1 else array[0])
    return found


def test_what_complies_is_not_listed_for_tables_that_do_not_hold_it(parquet, whole, tmp_path, monkeypatch):
    listed = []
    made = engine.comparisons
    monkeypatch.setattr(engine, "comparisons", lambda *a, **k: listed.append(made(*a, **k)) or listed[-1])
    names = ["exceedances", "undetermined", "counts", "schedule"]
    short = pieces.check(parquet, "ny/little-valley", rows=300, as_of=AS_OF, tables=names)
    assert len(listed) > 2
    assert not any((rows["verdict"] == "complies").any() for rows in listed)
    for name in names:
        assert tables(short, tmp_path / "short")[f"{name}.parquet"].equals(
            tables(whole, tmp_path / "whole")[f"{name}.parquet"]
        )


def test_a_million_comparisons_are_counted_over_all_pieces(parquet, tmp_path, monkeypatch):
    from pretreat import engine, merged

    monkeypatch.setattr(engine, "MILLION", 200)
    monkeypatch.setattr(merged, "MILLION", 200)
    wanted = ("comparisons", "exceedances", "undetermined", "counts")
    listed = pretreat.check(pretreat.read_samples(parquet), "ny/little-valley", as_of=AS_OF, tables=wanted)
    parts = pieces.check(parquet, "ny/little-valley", rows=500, as_of=AS_OF, tables=wanted)
    assert listed.provenance["unlisted"] > 0
    assert "complies" not in set(listed.comparisons["verdict"])
    same(listed, parts, tmp_path)


def test_a_folder_partitioned_by_facility(parquet, tmp_path):
    frame = pd.concat([pd.read_parquet(path) for path in sorted(parquet.iterdir())])
    for user, part in frame.groupby("facility"):
        if user:
            place = tmp_path / "lake" / f"facility={user.replace(' ', '%20')}"
            place.mkdir(parents=True)
            part.drop(columns="facility").to_parquet(place / "part-0.parquet", index=False)
    wanted = ("results", "comparisons", "set_aside", "sheets")
    at_once = pretreat.check(pretreat.read_samples(tmp_path / "lake"), "ny/little-valley", as_of=AS_OF, tables=wanted)
    assert "Cole Dairy" in set(at_once.results["facility"])
    parts = pieces.check(tmp_path / "lake", "ny/little-valley", rows=500, as_of=AS_OF, tables=wanted)
    same(at_once, parts, tmp_path)


def test_a_user_is_never_cut_and_no_user_is_left_out():
    count = {"Acme": 10, "A C M E": 3, "Bolt": 4, "who": 2}
    known = pd.DataFrame({"facility": ["Acme", "Bolt", "Silent"], "aliases": ["A C M E", "", ""]})
    made = partitions.bundles(count, known, 5)
    assert {"Acme", "A C M E"} in [names for names, _ in made]
    assert sorted(name for names, _ in made for name in names) == sorted(count)
    assert {user for _, users in made for user in users} == {"acme", "bolt", "silent"}
    assert made[-1] == ({"who"}, set())


def test_a_sample_number_cannot_tell_pieces_apart(parquet, tmp_path):
    frame = pd.DataFrame(
        {"facility": ["", "Acme"], "sample_id": ["AP-1", "AP-2"], "parameter": "Copper", "value": 1.0, "unit": "mg/L"}
    )
    frame["start"] = pd.Timestamp("2026-10-07")
    frame.to_parquet(tmp_path / "a.parquet")
    known = pd.DataFrame({"facility": ["Acme"], "aliases": ["AP"]})
    with pytest.raises(UsageError, match="alias"):
        pieces.check(tmp_path / "a.parquet", "ny/little-valley", facilities=known)


def test_dates_that_are_text_are_refused(tmp_path):
    frame = pd.DataFrame(
        {"facility": ["A"], "parameter": "Copper", "value": 1.0, "unit": "mg/L", "start": "10/07/2026"}
    )
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(FileError, match="dates are text"):
        pieces.check(tmp_path / "a.parquet", "ny/little-valley")


def test_the_command_takes_pieces_and_refuses_a_scheduler_that_is_not_there(parquet, tmp_path):
    common = ["check", str(parquet), "--limits", "ny/little-valley", "--as-of", AS_OF, "--tables", "exceedances,counts"]
    for name, more in (("whole", []), ("pieces", ["--pieces", "700"])):
        done = CliRunner().invoke(cli.main, [*common, "--out", str(tmp_path / name), *more])
        assert done.exit_code == 0, (done.output, done.exception)
    for table in ("exceedances", "counts"):
        one, two = (tmp_path / name / "tables" / f"{table}.parquet" for name in ("whole", "pieces"))
        assert pd.read_parquet(one).equals(pd.read_parquet(two))
    done = CliRunner().invoke(cli.main, [*common, "--scheduler", "nonsense"])
    assert done.exit_code == 2
    assert "Traceback" not in done.output


@pytest.mark.slow
def test_a_cluster_gives_the_same_tables_though_a_worker_is_killed(parquet, whole, tmp_path):
    distributed = pytest.importorskip(
        "distributed", reason="distributed, for the cluster, is not installed (.ci/versions does)"
    )
    wanted = tuple(columns.TABLES)
    killed: list[int] = []
    cluster = distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        pids = list(client.run(os.getpid).values())

        def kill_one() -> None:
            begin = time.time()
            while time.time() - begin < 120 and not any(client.processing().values()):
                time.sleep(0.02)
            time.sleep(0.3)
            os.kill(pids[0], signal.SIGKILL)
            killed.append(pids[0])

        thread = threading.Thread(target=kill_one)
        thread.start()
        address = cluster.scheduler_address
        spread = pieces.check(parquet, "ny/little-valley", scheduler=address, rows=100, as_of=AS_OF, tables=wanted)
        thread.join()
    assert killed
    same(whole, spread, tmp_path)


def test_several_parquet_files_keep_their_numbers_and_times(parquet):
    # As objects ten million rows would take gigabytes, and cells would sort as text.
    values = reading.read(parquet).values
    assert values["value"].dtype == "float64"
    assert values["source_cell"].dtype == "int32"
    assert values["start"].dtype.kind == "M"
