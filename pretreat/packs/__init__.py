"""Packs: files of limits into `Limits`, with all faults of a file at once (limits/README.md describes the format)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pandas as pd

from pretreat import facilities as who
from pretreat import periods
from pretreat.errors import Fault, FileError, PackError, UsageError
from pretreat.limits.provisions import Limits, Pack
from pretreat.packs.books import read_book, read_csv
from pretreat.packs.build import build
from pretreat.packs.checks import GAPS, check
from pretreat.packs.dmr import is_dmr, read_dmr
from pretreat.packs.export import write_book, write_csv
from pretreat.packs.proof import find_text, prove
from pretreat.packs.show import as_text, in_force_text, listed
from pretreat.packs.words import near
from pretreat.packs.written import Written, read_toml

__all__ = ["FEDERAL", "bundled", "bundled_folder", "export", "lint", "listing", "load", "show", "with_needed"]

FEDERAL: Final = "federal/403"
"""Binds every user (interface, "Command line")."""
SUFFIXES: Final = (".toml", ".xlsx", ".xlsm", ".csv")


def bundled_folder() -> Path:
    """Return the folder of the bundled packs: inside the installed package, else at the top of the tree.

    Examples
    --------
    >>> (bundled_folder() / "federal" / "403.toml").is_file()
    True
    """
    inside = Path(__file__).resolve().parents[1] / "_limits"
    return inside if inside.is_dir() else Path(__file__).resolve().parents[2] / "limits"


def bundled() -> dict[str, Path]:
    """Return the bundled packs by name, sorted.

    Examples
    --------
    >>> "ny/little-valley" in bundled()
    True
    """
    home = bundled_folder()
    return {path.relative_to(home).with_suffix("").as_posix(): path for path in sorted(home.rglob("*.toml"))}


def load(names: str | Path | Sequence[str | Path]) -> Limits:
    """Return the limits of one or several packs.

    Parameters
    ----------
    names : str, Path, or sequence of them
        A bundled pack's name (`ny/little-valley`) or the path of a TOML file, a workbook, a CSV, or a folder of them.

    Raises
    ------
    UsageError
        For a name that is neither bundled nor a file.
    PackError
        For packs with faults: all of them, each with file, row and key.

    Examples
    --------
    >>> load("federal/403").packs[0].title
    'General Pretreatment Regulations, 40 CFR Part 403'
    """
    listed = [names] if isinstance(names, str | Path) else list(names)
    packs, errors = [], []
    for name in dict.fromkeys(_files(listed)):
        pack, faults = read(name)
        errors += [fault for fault in faults if not fault.warning]
        packs.append(pack)
    if errors:
        raise PackError(errors)
    taken: dict[str, str] = {}
    for pack in packs:
        if pack.name in taken:
            raise UsageError(
                f"{taken[pack.name]} and {pack.file} are both called {pack.name!r}.",
                where="--limits",
                todo="Rename one of the files.",
            )
        taken[pack.name] = pack.file
    return Limits(tuple(packs))


def with_needed(limits: Limits, users: pd.DataFrame | None, *, federal: bool = True) -> Limits:
    """Return the limits with the packs that users name for themselves, and with `federal/403`, which binds everyone.

    Parameters
    ----------
    limits : Limits
        The packs given (`--limits`); they bind the users who name none.
    users : DataFrame or None
        The facilities file, whose column `packs` lists packs with `;`.
    federal : bool
        Whether `federal/403` is in force beside the packs given (`--no-federal`).

    Raises
    ------
    UsageError, PackError
        As `load`.

    Examples
    --------
    >>> [pack.name for pack in with_needed(Limits(()), None).packs]
    ['federal/403']
    """
    default = tuple(pack.name for pack in limits.packs) if limits.default is None else limits.default
    named: dict[str, None] = {}
    heads = {} if users is None else {who.spelled(name): at for at, name in enumerate(users)}
    if users is not None and "packs" in heads:
        for text in users.iloc[:, heads["packs"]].dropna().unique():
            named |= dict.fromkeys(part.strip() for part in str(text).split(";") if part.strip())
    have = {pack.name for pack in limits.packs} | {pack.file for pack in limits.packs}
    more = [name for name in named if name not in have]
    if federal and FEDERAL not in have and FEDERAL not in more:
        more.append(FEDERAL)
    packs = (*limits.packs, *(load(more).packs if more else ()))
    everyone = (FEDERAL,) if federal else ()
    return Limits(packs, default=default, everyone=everyone)


def lint(paths: Sequence[str | Path], *, texts: Sequence[str | Path] = ()) -> list[Fault]:
    """Return every fault of every pack, and every warning that no row accepts.

    Parameters
    ----------
    paths : sequence of str or Path
        Names of bundled packs, files, or folders with files.
    texts : sequence of str or Path
        Folders with the documents' texts (`[document] text`), beside the pack's own folder and `../shared/ordinances`:
        where a text is found, quotations and numbers are proved against it.

    Raises
    ------
    UsageError
        For a path that is not there.
    PackError
        Where a file cannot be read at all; it holds the faults of the other files too.

    Examples
    --------
    >>> lint(["federal/403"])
    []
    """
    folders = [*(Path(folder) for folder in texts), bundled_folder().parents[1] / "shared" / "ordinances"]
    faults: list[Fault] = []
    for name in _files(paths):
        pack, found = read(name)
        text = find_text(pack, bundled().get(name, Path(name)), folders)
        looks = check(pack) + (prove(pack, text) if text is not None else [])
        whole = all(fault.warning for fault in found)  # else a row that was refused may be what fills a gap
        faults += found + [fault for fault in looks if whole or fault.code not in GAPS]
    if any(fault.code == "unreadable" for fault in faults):
        raise PackError(faults)
    return faults


def show(
    name: str, *, facilities: pd.DataFrame | None = None, facility: str | None = None, as_of: str | None = None
) -> str:
    """Return a pack as text to hold beside the page, or what is in force for one user on one day.

    Parameters
    ----------
    name : str
        A bundled pack's name or a path.
    facilities : DataFrame, optional
        Who the users are; asks for `facility`.
    facility : str, optional
        The user, in any case; without `facilities`, one of whom nothing else is known.
    as_of : str, optional
        The day, today where it is missing; asks for `facility`.

    Raises
    ------
    UsageError
        For a name that is no pack, or a user that the facilities file lacks.
    PackError
        For a pack with faults, where a facility is given; without one its faults stand behind the table.

    Examples
    --------
    >>> print(show("federal/403", facility="Acme Plating", as_of="2026-10-01").splitlines()[0])
    In force for Acme Plating on 2026-10-01 (2)
    """
    if facility is None:
        for where, given in (("--facilities", facilities), ("--as-of", as_of)):
            if given is not None:
                raise UsageError("what is in force is in force for one user.", where=where, todo="Add --facility NAME.")
        return _with_faults(*read(name))
    limits = load(name)
    who.passed_over(facilities, limits, "--facilities")
    nobody = pd.DataFrame({"facility": [], "outfall": []}, dtype=object)
    users = pd.DataFrame({"facility": [facility]}) if facilities is None else who.users(nobody, facilities)
    called = {str(name).casefold(): str(name) for name in users["facility"]}
    facility = called.get(facility.strip().casefold(), facility)
    day = f"{pd.Timestamp.now():%Y-%m-%d}" if as_of is None else str(periods.day(as_of))
    try:
        return in_force_text(Limits(limits.packs, everyone=(limits.packs[0].name,)), users, facility, day)
    except KeyError as error:
        known = sorted(str(name) for name in users["facility"].unique())
        todo = f"Known: {', '.join(known)}."
        raise UsageError(f"there is no user {facility!r}.", where="--facility", todo=todo) from error


def _with_faults(pack: Pack, faults: Sequence[Fault]) -> str:
    """Return a pack as text, and behind it what makes it unusable: what was understood helps to find what was not."""
    errors = [str(fault) for fault in faults if not fault.warning]
    if not errors:
        return as_text(pack)
    return "\n".join(
        [as_text(pack), "", f"Faults ({len(errors)}): this pack cannot be used, and rows may be missing above", *errors]
    )


def listing() -> str:
    """Return what is bundled, how complete each pack is, and as of when; the examples last.

    Examples
    --------
    >>> "ny/little-valley" in listing()
    True
    """
    return listed([read(name)[0] for name in sorted(bundled(), key=lambda name: (name.startswith("examples/"), name))])


def export(name: str, path: str | Path) -> None:
    """Write a pack as a workbook or CSV, to edit and give to `--limits`.

    Parameters
    ----------
    name : str
        A bundled pack's name or a path.
    path : str or Path
        `.xlsx` or `.csv`; what one CSV cannot hold needs a workbook.

    Raises
    ------
    UsageError
        For a name that is no pack, or another kind of file.
    PackError
        For a pack with faults.
    FileError
        For a file that cannot be written, or cannot hold all of the pack.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     export("federal/403", Path(folder) / "403.xlsx")
    ...     load(Path(folder) / "403.xlsx").packs[0].title
    'General Pretreatment Regulations, 40 CFR Part 403'
    """
    load(name)
    path = Path(path)
    if is_dmr(_find(name)[0]):
        raise UsageError("a download of EPA's is exported by nobody but EPA.", where=name, todo="Give it to --limits.")
    written = write_up(name)
    if path.suffix.lower() == ".xlsx":
        write_book(written, path)
    elif path.suffix.lower() == ".csv":
        write_csv(written, path)
    else:
        raise UsageError("a pack is written as .xlsx or .csv.", where=str(path), todo="Name the file my-limits.xlsx.")


def _files(paths: Sequence[str | Path]) -> list[str]:
    """Return the names and files of packs: folders with their subfolders, sorted, without Excel's own leftovers."""
    names: list[str] = []
    for given in paths:
        path = Path(given)
        if str(given) in bundled() or not path.is_dir():
            names.append(str(given))
            continue
        found = sorted(
            p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES and not p.name.startswith((".", "~$"))
        )
        if not found:
            raise UsageError("the folder holds no pack.", where=str(given), todo="Name a pack or its file.")
        names += [str(p) for p in found]
    return names


def read(name: str) -> tuple[Pack, list[Fault]]:
    """Return a pack with its faults; one that cannot be used is returned as far as it was understood.

    Examples
    --------
    >>> read("ny/williamsville")[1]
    []
    """
    path, called, shown = _find(name)
    if is_dmr(path):
        pack, found = read_dmr(path, called, shown)
        return pack, found.found
    if path.is_relative_to(bundled_folder()):
        file = path.stat()
        pack, faults = _bundled(name, path, file.st_mtime_ns, file.st_size)
        return pack, list(faults)
    written = write_up(name)
    return build(written), written.faults.found


@functools.cache
def _bundled(name: str, path: Path, changed: int, size: int) -> tuple[Pack, list[Fault]]:  # noqa: ARG001 - they tell a changed file
    """Read a pack that comes with pretreat once, not at each of many checks, as long as its file does not change."""
    written = write_up(name)
    return build(written), written.faults.found


def write_up(name: str) -> Written:
    """Read a pack's file as it is written.

    Raises
    ------
    UsageError
        For a name that is neither bundled nor a file.
    FileError
        For a file that cannot be opened, or is of a kind that holds no limits.

    Examples
    --------
    >>> write_up("federal/403").blocks["document"]["cite"][:6]
    '40 CFR'
    """
    path, called, shown = _find(name)
    readers = {".toml": read_toml, ".csv": read_csv}
    try:
        return readers.get(path.suffix.lower(), read_book)(path, called, shown)
    except OSError as error:
        raise FileError(f"this file cannot be opened: {error.strerror}.", where=name) from error


def _find(name: str) -> tuple[Path, str, str]:
    """Return a pack's file, the pack's name, and what to call the file."""
    known, path = bundled(), Path(name)
    if name.removesuffix(".toml") in known and not path.is_file():
        name = name.removesuffix(".toml")
        return known[name], name, f"{name}.toml"
    if not path.is_file():
        raise UsageError(
            f"there is no such file, and no such pack among the bundled ones{near(name, known) or '.'}",
            where=name,
            todo="`pretreat limits list` names them.",
        )
    if path.suffix.lower() not in SUFFIXES:
        raise FileError("this kind of file holds no limits.", where=name, todo=f"It takes {', '.join(SUFFIXES)}.")
    home = bundled_folder()
    inside = path.resolve().is_relative_to(home)
    return path, path.resolve().relative_to(home).with_suffix("").as_posix() if inside else path.stem, name
