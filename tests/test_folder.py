"""The output folder survives: kills, full and read-only disks, two runs at once, and folders of other people."""

import errno
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from pretreat.errors import FileError, UsageError
from pretreat.report import folder

FILES = ("provenance.json", "report.html", "tables/results.csv")


def write_set(new: Path, text: str) -> None:
    (new / "tables").mkdir()
    for name in FILES:
        (new / name).write_text(text * 1000, encoding="utf-8")


def content(target: Path) -> set[str]:
    """The set that a folder holds: one letter if it is whole."""
    assert sorted(str(p.relative_to(target).as_posix()) for p in target.rglob("*") if p.is_file()) == sorted(FILES)
    texts = [(target / name).read_text(encoding="utf-8") for name in FILES]
    assert all(len(text) == 1000 for text in texts)
    return set("".join(texts))


def fail_after(step, *arguments):
    step(*arguments)
    raise ZeroDivisionError


def siblings(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def replace(target: Path, text: str) -> None:
    with folder.replacing(target) as new:
        write_set(new, text)


def test_a_new_set_takes_the_place_of_the_old_one_and_nothing_else_is_left(tmp_path):
    target = tmp_path / "report"
    for text in "ab":
        replace(target, text)
        assert content(target) == {text}
    assert siblings(target) == ["report"]


def test_folders_above_are_made_and_an_empty_folder_is_taken(tmp_path):
    replace(tmp_path / "2026" / "10" / "report", "a")
    empty = tmp_path / "empty"
    empty.mkdir()
    replace(empty, "a")
    assert content(empty) == {"a"}


def test_an_error_while_writing_leaves_the_old_set(tmp_path):
    target = tmp_path / "report"
    replace(target, "a")
    with pytest.raises(ZeroDivisionError), folder.replacing(target) as new:
        fail_after(write_set, new, "b")
    assert content(target) == {"a"}
    assert siblings(target) == ["report"]


@pytest.mark.parametrize("name", ["letter.docx", "tables/mine.csv"])
def test_a_folder_with_other_peoples_files_is_refused_and_untouched(tmp_path, name):
    target = tmp_path / "report"
    replace(target, "a")
    (target / name).write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=name), folder.replacing(target) as new:
        write_set(new, "b")
    assert (target / name).read_text(encoding="utf-8") == "mine"
    assert (target / "report.html").read_text(encoding="utf-8")[0] == "a"


def test_a_folder_that_pretreat_did_not_write_is_refused(tmp_path):
    (tmp_path / "taxes.xlsx").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="was not written by pretreat"):
        folder.prepare(tmp_path)


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    path = tmp_path / "report"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="a file, not a folder"), folder.replacing(path):
        raise AssertionError
    assert path.read_text(encoding="utf-8") == "mine"


def test_what_programs_leave_in_a_folder_does_not_count(tmp_path):
    target = tmp_path / "report"
    replace(target, "a")
    for name in (".DS_Store", "~$report.xlsx", ".~lock.report.xlsx#", "tables/Thumbs.db"):
        (target / name).write_text("", encoding="utf-8")
    replace(target, "b")
    assert content(target) == {"b"}


def test_a_killed_swap_is_put_back_first(tmp_path):
    target = tmp_path / "report"
    replace(target, "a")
    target.rename(folder.previous(target))
    seen = []
    with pytest.raises(ZeroDivisionError), folder.replacing(target):
        fail_after(lambda: seen.append(content(target)))
    assert seen == [{"a"}]
    assert content(target) == {"a"}


def test_a_killed_swap_is_put_back_before_any_work_of_the_next_run(tmp_path):
    target = tmp_path / "report"
    replace(target, "a")
    target.rename(folder.previous(target))
    folder.prepare(target)
    assert content(target) == {"a"}
    assert siblings(target) == ["report"]


def test_a_previous_folder_of_somebody_else_is_never_touched(tmp_path):
    target = tmp_path / "report"
    replace(target, "a")
    other = folder.previous(target)
    other.mkdir()
    (other / "taxes.xlsx").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="something else has it"), folder.replacing(target) as new:
        write_set(new, "b")
    assert (other / "taxes.xlsx").exists()
    assert content(target) == {"a"}


def test_two_runs_at_once_the_second_is_told(tmp_path):
    target = tmp_path / "report"
    with folder.replacing(target) as new:
        write_set(new, "a")
        with pytest.raises(UsageError, match="another run"), folder.replacing(target):
            raise AssertionError
    assert content(target) == {"a"}


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "open in another program"),
        (errno.EBUSY, "open in another program"),
        (errno.EIO, "cannot be written"),
    ],
)
def test_what_the_system_refuses_is_one_clear_line(tmp_path, number, says):
    target = tmp_path / "report"
    replace(target, "a")
    with pytest.raises(FileError, match=says) as caught, folder.replacing(target):
        raise OSError(number, os.strerror(number))
    assert "\n" not in str(caught.value)
    assert str(target) in str(caught.value)
    assert content(target) == {"a"}


def test_if_the_new_set_cannot_move_in_the_old_one_comes_back(tmp_path, monkeypatch):
    target = tmp_path / "report"
    replace(target, "a")
    rename = Path.rename

    def refuse(path: Path, to: Path) -> Path:
        if path.name == "new":
            raise PermissionError(errno.EACCES, "open elsewhere")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(FileError, match="open in another program"):
        replace(target, "b")
    assert content(target) == {"a"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="a read-only folder does not stop root")
def test_a_read_only_folder_above(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FileError, match="may not be written"):
            replace(tmp_path / "report", "a")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files by setrlimit")
def test_a_disk_that_really_takes_no_more(tmp_path):
    # RLIMIT_FSIZE makes the system refuse the write as a quota does; SIGXFSZ is ignored by Python.
    target = tmp_path / "report"
    replace(target, "a")
    script = f"""
        import resource
        from pathlib import Path
        from pretreat.errors import FileError
        from pretreat.report import folder
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
        try:
            with folder.replacing(Path({str(target)!r})) as new:
                (new / "big").write_bytes(bytes(100_000))
        except FileError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True)
    assert "cannot be written" in done.stdout
    assert content(target) == {"a"}
    assert siblings(target) == ["report"]


KILLS = """
import itertools, os, random, signal, sys, time
from pathlib import Path
from pretreat.report import folder

target, places, times = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])

def write(text):
    with folder.replacing(target) as new:
        (new / "tables").mkdir()
        for name in ("report.html", "tables/results.csv", "provenance.json"):
            (new / name).write_text(text * 1000)

def state(path):
    files = sorted(p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file())
    texts = {(path / name).read_text() for name in files}
    whole = files == ["provenance.json", "report.html", "tables/results.csv"] and len(texts) == 1
    return "whole" if whole and len(texts.pop()) == 1000 else "broken"

def report(child):
    _, status = os.waitpid(child, 0)
    here = state(target) if target.exists() else "absent"
    old = state(folder.previous(target)) if folder.previous(target).exists() else "absent"
    print("killed" if os.WIFSIGNALED(status) else "ended", here, old, flush=True)

def at(step):
    left = itertools.count(step, -1)
    def hook(event, arguments):
        if event in ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir") and not next(left):
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)
    write("b")

write("a")
for step in range(places):
    child = os.fork()
    if not child:
        at(step)
        os._exit(0)
    report(child)
for turn in range(times):
    child = os.fork()
    if not child:
        for text in itertools.cycle("cdefgh"):
            write(text)
    time.sleep(random.Random(turn).uniform(0.0002, 0.01))
    os.kill(child, signal.SIGKILL)
    report(child)
write("z")
print("ended", state(target), "absent")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of itself with SIGKILL")
def test_killed_at_any_moment_the_folder_is_whole_or_the_previous_one_is(tmp_path):
    # First a kill before each file operation of a run, one after the other; then 200 kills at any time.
    target = tmp_path / "report"
    done = subprocess.run(
        [sys.executable, "-c", KILLS, str(target), "60", "200"], capture_output=True, text=True, check=True
    )
    states = [line.split() for line in done.stdout.splitlines()]
    assert len(states) == 261
    for how, here, old in states:
        assert here == "whole" or (here, old) == ("absent", "whole"), (how, here, old)
        assert old in {"whole", "absent"}
    assert sum(how == "killed" for how, _, _ in states) > 210
    assert ["killed", "absent", "whole"] in states
    assert ["killed", "whole", "whole"] in states
    assert siblings(target) == ["report"]
    assert (target / "report.html").read_text(encoding="utf-8")[0] == "z"


def test_the_top_of_a_drive_is_no_folder_to_write():
    with pytest.raises(UsageError, match="top of a drive"):
        folder.prepare(Path(Path.cwd().anchor))
