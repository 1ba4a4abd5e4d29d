"""Paths, folders and globs into the files to read, sorted, under the names they were given by."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pretreat.errors import FileError

SUFFIXES: Final = frozenset({".xlsx", ".xlsm", ".xls", ".ods", ".csv", ".tsv", ".txt", ".parquet"})
NOT_SAMPLES: Final = frozenset({"facilities", "events", "streams", "plan"})
"""Files of these names, whatever their ending, say who and when, not what was measured (interface, command line)."""


def shown(path: Path) -> str:
    """Return a path as it is printed everywhere: as given, with `/`."""
    return path.as_posix()


def content(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    FileError
        Where it cannot be opened.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(
            f"it cannot be opened ({error.strerror}).", where=shown(path), todo="Check its permissions."
        ) from error


def find(paths: Iterable[str | Path]) -> list[Path]:
    """Return the sample files that paths, folders and globs stand for.

    Parameters
    ----------
    paths : iterable of str or Path
        A folder is read with its subfolders, without `~$*`, dotfiles and files named `facilities.*`, `events.*`,
        `streams.*` or `plan.*`. A file named by itself is always taken.

    Raises
    ------
    FileError
        Where a path does not exist, a glob matches nothing, or a folder holds no file that can be read.

    Examples
    --------
    >>> find(["no such file.xlsx"])
    Traceback (most recent call last):
    pretreat.errors.FileError: no such file.xlsx: there is no such file or folder. Check the spelling of the path.
    """
    found: list[Path] = []
    for given in paths:
        path = Path(given)
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.is_file() and _is_sample(p.relative_to(path)))
            if not inside:
                raise FileError(
                    "the folder holds no file of samples.",
                    where=shown(path),
                    todo=f"Files that end in {', '.join(sorted(SUFFIXES))} are read.",
                )
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            found += _matches(str(given), path)
    return list(dict.fromkeys(found))


def _matches(pattern: str, path: Path) -> list[Path]:
    if any(mark in pattern for mark in "*?["):
        matched = sorted(Path(name) for name in glob.glob(pattern, recursive=True))  # noqa: PTH207 - a pattern may begin at the root
        files = [p for p in matched if p.is_file() and _is_sample(Path(p.name))]
        if files:
            return files
        raise FileError("nothing matches this pattern.", where=pattern, todo="Check the pattern and the folder.")
    raise FileError("there is no such file or folder.", where=shown(path), todo="Check the spelling of the path.")


def _is_sample(path: Path) -> bool:
    hidden = any(part.startswith((".", "~$")) for part in path.parts)
    return not hidden and path.suffix.lower() in SUFFIXES and path.name.split(".")[0].lower() not in NOT_SAMPLES
