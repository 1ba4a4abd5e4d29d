"""The output folder: written beside its place, then swapped in whole, so that a kill leaves either set or both.

The order is: write everything into the hidden work folder `.DIR.pretreat` next to DIR, rename DIR to `DIR.previous`,
rename the new set to DIR, remove the old one. Whatever moment the process dies at, DIR is whole, or DIR is absent and
`DIR.previous` is whole; the next run puts that back first. The system frees the lock of a process that died.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pretreat import columns
from pretreat.errors import FileError, UsageError

MARKER: Final = "provenance.json"
"""The file that says that pretreat wrote a folder, and with what."""

_OWN: Final = frozenset({MARKER, "report.xlsx", "report.html", "tables", "users"})
_LITTER: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


def prepare(folder: Path) -> None:
    """Refuse a folder that pretreat may not replace, before any work; finish what a run that was killed left behind.

    Parameters
    ----------
    folder : Path
        The output folder, DIR; absent or empty is fine.

    Raises
    ------
    UsageError
        If DIR is a file, or holds anything that pretreat did not write.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     prepare(Path(folder) / "report")
    """
    target = folder.resolve()
    if not target.name:
        raise UsageError("it is the top of a drive.", where=str(folder), todo="Give a folder in it.")
    if previous(target).exists():
        with _readable_errors(folder), _locked(target.with_name(f".{target.name}.lock"), folder):
            _recover(target, target.with_name(f".{target.name}.pretreat"))
    _check(target, folder)


@contextlib.contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Give an empty folder to write in, and swap it in for `folder` once the block has ended without an error.

    Parameters
    ----------
    folder : Path
        The output folder, DIR. Folders above it are made.

    Yields
    ------
    Path
        Where to write. Whatever an error leaves in it is removed, and DIR stays as it was.

    Raises
    ------
    UsageError
        If pretreat may not replace DIR, or another run is writing to it now.
    FileError
        If the folder cannot be written: the disk is full, it is read-only, or a file of it is open elsewhere.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with replacing(Path(place) / "report") as new:
    ...         _ = (new / "provenance.json").write_text("{}")
    ...     sorted(path.name for path in (Path(place) / "report").iterdir())
    ['provenance.json']
    """
    target = folder.resolve()
    work = target.with_name(f".{target.name}.pretreat")
    with _readable_errors(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target.with_name(f".{target.name}.lock"), folder):
            _recover(target, work)
            _check(target, folder)
            new = work / "new"
            new.mkdir(parents=True)
            try:
                yield new
                if not (new / MARKER).exists():
                    (new / MARKER).write_text("{}\n", encoding="utf-8")
                _swap(target, work)
            finally:
                shutil.rmtree(work, ignore_errors=True)


def write_marker(folder: Path, provenance: object) -> None:
    """Write what the report was made from into `provenance.json`, which also marks the folder as pretreat's."""
    text = json.dumps(provenance, ensure_ascii=False, indent=1, sort_keys=True, default=str)
    (folder / MARKER).write_text(text + "\n", encoding="utf-8")


def previous(target: Path) -> Path:
    """Return the name that the old set has while the new one moves in.

    Examples
    --------
    >>> previous(Path("report")).name
    'report.previous'
    """
    return target.with_name(f"{target.name}.previous")


def _check(target: Path, named: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise UsageError("this is a file, not a folder.", where=str(named), todo="Name another folder for the report.")
    there = {path.name for path in target.iterdir() if not _is_litter(path.name)}
    if there and not (target / MARKER).is_file():
        raise UsageError(
            "this folder was not written by pretreat, which would replace what it holds.",
            where=str(named),
            todo="Name a new folder, or an empty one.",
        )
    strange = sorted(there - _OWN) + _strange_tables(target / "tables")
    if strange:
        raise UsageError(
            f"this folder also holds {strange[0]}, which pretreat did not write and would remove.",
            where=str(named),
            todo="Move it elsewhere, or name another folder for the report.",
        )


def _recover(target: Path, work: Path) -> None:
    """Finish what a run that was killed left behind."""
    old = previous(target)
    if old.is_dir() and (old / MARKER).is_file():
        if not target.exists():
            old.rename(target)
        elif (target / MARKER).is_file():
            _remove(old, work)
    shutil.rmtree(work, ignore_errors=True)
    if work.exists():
        raise FileError("what an earlier run left cannot be removed.", where=str(work), todo="Remove it by hand.")


def _swap(target: Path, work: Path) -> None:
    old = previous(target)
    if old.exists():
        raise UsageError(
            "this name is needed while the report is replaced, and something else has it.",
            where=str(old),
            todo="Move it elsewhere.",
        )
    if target.exists():
        target.rename(old)
    try:
        (work / "new").rename(target)
    except OSError:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    if old.exists():
        _remove(old, work)


def _remove(old: Path, work: Path) -> None:
    """Remove the old set in one step as others see it: DIR.previous is whole or absent, never half there."""
    work.mkdir(exist_ok=True)
    gone = work / "old"
    shutil.rmtree(gone, ignore_errors=True)
    old.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _strange_tables(folder: Path) -> list[str]:
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    ours = {f"{table}.{suffix}" for table in columns.TABLES for suffix in ("csv", "parquet")}
    return sorted(f"tables/{name}" for name in names - ours if not _is_litter(name))


def _is_litter(name: str) -> bool:
    return name in _LITTER or name.startswith(("~$", ".~lock."))


@contextlib.contextmanager
def _readable_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what, todo = _why(error)
        raise FileError(what, where=str(folder), todo=todo) from error


def _why(error: OSError) -> tuple[str, str]:
    untouched = "What was there before is as it was."
    if error.errno in {errno.ENOSPC, errno.EDQUOT if hasattr(errno, "EDQUOT") else errno.ENOSPC}:
        return (
            "the disk is full; the report was not written.",
            f"Make room, or name a folder on another disk. {untouched}",
        )
    if error.errno == errno.EROFS:
        return "the disk is read-only; the report was not written.", f"Name a folder on another disk. {untouched}"
    if error.errno in {errno.EACCES, errno.EPERM, errno.EBUSY} or isinstance(error, PermissionError):
        return (
            "it may not be written: no permission, or a file of it is open in another program.",
            f"Close the report where it is open, or name another folder. {untouched}",
        )
    return f"the report cannot be written: {error.strerror or error}.", f"Name another folder. {untouched}"


@contextlib.contextmanager
def _locked(path: Path, folder: Path) -> Iterator[None]:
    """Hold the lock of one output folder; the file goes when the run ends."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(handle)
        except OSError as error:
            os.close(handle)
            raise UsageError(
                "another run of pretreat is writing to this folder now.",
                where=str(folder),
                todo="Wait until it has ended, or name another folder.",
            ) from error
        if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
            break
        os.close(handle)  # the run before removed the file between our opening and our locking it
    try:
        yield
    finally:
        if sys.platform == "win32":
            os.close(handle)
            with contextlib.suppress(OSError):
                path.unlink()
        else:
            path.unlink(missing_ok=True)
            os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
