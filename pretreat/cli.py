"""The command line: arguments into one call of the front, and an exit status."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pretreat
from pretreat.errors import Fault, PackError, PretreatError, UsageError, shown

if TYPE_CHECKING:
    from pretreat.review import Review

PASSED, FOUND, COULD_NOT, DOUBTFUL = 0, 1, 2, 3
_BETWEEN_SEARCHES = 100_000
"""Objects made before the collector looks for cycles. A run makes millions of cells and texts, hardly any in a cycle:
to look after each 700, as Python does, is a tenth of the time of a report and frees nothing."""

ASKED = ("facilities", "events", "streams", "period", "as_of", "nondetects", "all_rows")

FILES = click.argument("files", nargs=-1, required=True, metavar="FILES...")
OUT = click.option("--out", metavar="DIR", help="Write the report and its tables into this folder.")
DATES = click.option("--dates", type=click.Choice(["mdy", "dmy", "ymd"]), help="The order of dates that are text.")
TEMPLATE = click.option("--template", metavar="FILE", help="Hints for one laboratory's sheet.")
FACILITY = click.option("--facility", metavar="NAME", help="The user on sheets that name none.")
FACILITIES = click.option(
    "--facilities", metavar="FILE", help="Who the users are: names, places, packs, classes, facts."
)
CACHE = click.option(
    "--cache", metavar="DIR", help="Keep what files gave in this folder, by their hash; it can be deleted at any time."
)
RECORD = click.option(
    "--record", metavar="FILE", help="Keep what is read in this record (program.sqlite), which can be read like a file."
)
OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace the file if it exists.")
AS_OF = click.option("--as-of", metavar="DATE", help="The day on which due dates are judged; today unless given.")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(pretreat.__version__, package_name="pretreat")
def main() -> None:
    """Hold laboratory results against local and federal pretreatment limits, and report what exceeds them."""
    # A run touches a page of memory once or twice; to gather large pages for it (Linux) costs more than they save.
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    # A report reads texts one by one, which is slow where Arrow keeps them.
    os.environ.setdefault("PANDAS_FUTURE_INFER_STRING", "0")
    gc.set_threshold(_BETWEEN_SEARCHES, 50, 100)
    atexit.register(gc.freeze)  # nor is all that is left searched once more when the process ends


@main.command()
@FILES
@click.option("--limits", "packs", multiple=True, metavar="PACK", help="A bundled pack's name, or a file of limits.")
@OUT
@FACILITIES
@FACILITY
@click.option("--period", metavar="P", help="2026-10, 2026-Q4, 2026-H2, 2026 or FROM:TO.")
@AS_OF
@click.option("--nondetects", metavar="RULE", help="interval, zero, half, limit, ...: over the packs' own rule.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting or a fact, over the pack's.")
@click.option("--events", metavar="FILE", help="Dates of notices, reports and visits.")
@click.option("--streams", metavar="FILE", help="Flows, production and intake for computed limits.")
@DATES
@TEMPLATE
@CACHE
@RECORD
@click.option("--scheduler", metavar="ADDRESS", help="Work on a dask.distributed cluster, one piece of users a task.")
@click.option("--pieces", type=click.IntRange(1), metavar="ROWS", help="Read Parquet in pieces of so many results.")
@click.option("--no-federal", is_flag=True, help="Leave 40 CFR 403.5(b) out.")
@click.option("--tables", metavar="NAMES", help="Write these tables alone, separated by commas, and no report.")
@click.option("--all", "all_rows", is_flag=True, help="List every comparison, with the sources of those that comply.")
@click.option(
    "--every-rule", is_flag=True, help="Also show each verdict on a non-detect under every rule, side by side."
)
@click.option("--per-facility", is_flag=True, help="Also write a report of each user alone, in DIR/users.")
@click.option(
    "--exit-code", is_flag=True, help="End with 1 where something exceeds, else 3 where something is undetermined."
)
def check(files: tuple[str, ...], packs: tuple[str, ...], **options: Any) -> None:
    """Check FILES against the limits of each PACK."""
    with failing_plainly():
        if not packs and not options["facilities"]:
            raise UsageError(
                "no limits are given.", where="--limits", todo="`pretreat limits list` names the bundled packs."
            )
        begin(files, options)
        settings = assignments(options["settings"])
        tables = tuple(name.strip() for name in options["tables"].split(",")) if options["tables"] else None
        out = destination(options["out"])
        keep = kept(options["record"])
        if tables is not None and out is None:
            raise UsageError(
                "nowhere to write the tables.", where="--tables", todo="Give --out DIR, or leave --tables out."
            )
        if options["per_facility"] and (tables is not None or out is None):
            raise UsageError(
                "a report for each user is a part of the whole report.",
                where="--per-facility",
                todo="Give --out, and leave --tables out.",
            )
        with progress() as step:
            step("reading")
            of_files = {name: options[name] for name in ("dates", "template", "facility")}
            asked = {name: options[name] for name in ASKED} | {
                "settings": settings,
                "federal": not options["no_federal"],
                "tables": tables,
                "progress": step,
            }
            known = pretreat.load_limits(list(packs))
            if in_pieces(files, keep, options):
                from pretreat import pieces

                size = options["pieces"] or pieces.ROWS
                review = pieces.check(files, known, scheduler=options["scheduler"], rows=size, **of_files, **asked)
            else:
                later = [".review", *((".report.workbook", ".report.page") if out and tables is None else ())]
                with loading([] if any(name.endswith(".parquet") for name in files) else later):
                    samples = pretreat.read_samples(list(files), cache=options["cache"], **of_files)
                review = pretreat.check(samples, known, every_rule=options["every_rule"], **asked)
            if out:
                step("writing")
                review.save(out, tables=tables, per_facility=options["per_facility"])
            added = samples.record(keep) if keep else None
        from pretreat.report import terminal

        terminal.summary(review, out)
        said(keep, added)
        if options["exit_code"]:
            sys.exit(status(review))


@main.command()
@FILES
@OUT
@DATES
@TEMPLATE
@FACILITY
@CACHE
@RECORD
@click.option("--learn", metavar="FILE", help="Write a template from what was understood, to be corrected by hand.")
@OVERWRITE
def read(files: tuple[str, ...], **options: Any) -> None:
    """Print how FILES were understood, and what was set aside."""
    with failing_plainly():
        from pretreat import reading, report
        from pretreat.report import terminal

        out = destination(options["out"])
        keep = kept(options["record"])
        template = unwritten(options["learn"], overwrite=options["overwrite"])
        of_files = {name: options[name] for name in ("dates", "template", "facility", "cache")}
        samples = pretreat.read_samples(list(files), **of_files)
        if template:
            reading.learn(samples.understood, template)
        if out:
            report.save_reading(samples, out)
        added = samples.record(keep) if keep else None
        terminal.understood(samples)
        said(keep, added)


@main.group()
def limits() -> None:
    """List, show, check and export packs of limits."""


@limits.command("list")
def list_packs() -> None:
    """List the bundled packs: how complete each is, and as of when."""
    with failing_plainly():
        from pretreat import packs

        say(packs.listing())


@limits.command()
@click.argument("pack")
@FACILITIES
@FACILITY
@AS_OF
def show(pack: str, facilities: str | None, facility: str | None, as_of: str | None) -> None:
    """Show a PACK as a table to hold beside the page, or what is in force for one user on one day."""
    with failing_plainly():
        from pretreat import packs, reading

        users = reading.read_table(facilities) if facilities else None
        say(packs.show(pack, facilities=users, facility=facility, as_of=as_of))


@limits.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
def lint(paths: tuple[str, ...]) -> None:
    """Name every fault of each PATH: file, row and key. 0 clean, 1 faults, 2 unreadable."""
    faults: list[Fault] = []
    with failing_plainly():
        from pretreat import packs

        faults = packs.lint(list(paths))
    for fault in faults:
        say(str(fault))
    if not faults:
        say("clean")
    sys.exit(FOUND if faults else PASSED)


@limits.command()
@click.argument("pack")
@click.argument("file", metavar="FILE.xlsx")
@OVERWRITE
def export(pack: str, file: str, *, overwrite: bool) -> None:
    """Write a PACK as a workbook (or CSV) that can be edited and given to --limits."""
    with failing_plainly():
        from pretreat import packs

        unwritten(file, overwrite=overwrite)
        packs.export(pack, Path(file))
        say(f"wrote {file}")


@main.command()
@click.argument("folder", metavar="DIR")
@click.argument("finding", metavar="ID")
def explain(folder: str, finding: str) -> None:
    """Explain one verdict, slug or SNC row of the report in DIR, step by step."""
    with failing_plainly():
        from pretreat.explain.steps import explain, read_settings, read_tables

        say(explain(read_tables(folder), finding, read_settings(folder)))


def say(text: str, *, err: bool = False) -> None:
    """Print text of which parts come from files: none of it steers the terminal."""
    click.echo(shown(text), err=err)


@contextmanager
def failing_plainly() -> Iterator[None]:
    """Turn an error into one line on standard error and exit status 2."""
    try:
        yield
    except PackError as error:
        say(str(error), err=True)
        sys.exit(COULD_NOT)
    except PretreatError as error:
        say(f"pretreat: {error}", err=True)
        sys.exit(COULD_NOT)
    except KeyboardInterrupt:
        say("pretreat: stopped; nothing was written.", err=True)
        sys.exit(COULD_NOT)


@contextmanager
def loading(modules: Sequence[str]) -> Iterator[None]:
    """Load what comes later while workbooks are read, which leaves one processor idle (Parquet takes both)."""
    importlib.import_module("pretreat.samples")  # first, so that no module is loaded by two threads
    with ThreadPoolExecutor(max_workers=1) as beside:
        loaded = [beside.submit(importlib.import_module, name, "pretreat") for name in modules]
        yield
    for each in loaded:
        each.result()


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show the step at work on standard error, where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as shown:
        yield shown.update


def assignments(given: tuple[str, ...]) -> dict[str, str]:
    """Return `NAME=VALUE` pairs as a dictionary.

    Examples
    --------
    >>> assignments(("thirty_day=calendar",))
    {'thirty_day': 'calendar'}
    """
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError("a setting is given as NAME=VALUE.", where=f"--set {text}")
        pairs[name.strip()] = value.strip()
    return pairs


def begin(files: tuple[str, ...], options: dict[str, Any]) -> None:
    """Begin to read Parquet that is checked in one piece: by the time that all else is loaded, most of it is there."""
    if all(name.endswith(".parquet") for name in files) and not (options["scheduler"] or options["pieces"]):
        from pretreat import row_groups

        row_groups.begin(files)


def in_pieces(files: tuple[str, ...], record: Path | None, options: dict[str, Any]) -> bool:
    """Return whether the files are checked in pieces of users: where asked, and where Parquet is very long."""
    if not (options["scheduler"] or options["pieces"]):
        if (
            record
            or options["every_rule"]
            or not any(Path(name).is_dir() or name.endswith(".parquet") for name in files)
        ):
            return False
        from pretreat import partitions

        return partitions.very_long(files)
    for name, what in (("record", "a record is not kept of"), ("every_rule", "every rule is not tried by")):
        if options[name]:
            where = f"--{name.replace('_', '-')}"
            raise UsageError(f"{what} a check in pieces.", where=where, todo="Leave one of them out.")
    return True


def destination(out: str | None) -> Path | None:
    """Return the output folder, refused before any work where it is not pretreat's to write."""
    if out is None:
        return None
    from pretreat.report import folder

    folder.prepare(Path(out))
    return Path(out)


def unwritten(path: str | None, *, overwrite: bool) -> Path | None:
    """Return a file to be written, refused before any work where it exists: a person may have edited it."""
    if path is not None and Path(path).exists() and not overwrite:
        raise UsageError(
            "it exists already, and is left as it is.", where=path, todo="Give another name, or --overwrite."
        )
    return None if path is None else Path(path)


def kept(path: str | None) -> Path | None:
    """Return the record, refused before any work where it is none."""
    if path is None:
        return None
    from pretreat import record

    record.usable(Path(path))
    return Path(path)


def said(path: Path | None, added: list[str] | None) -> None:
    """Say what a record was given."""
    if path is not None and added is not None:
        say(f"Recorded in {path}: {len(added)} new file{'' if len(added) == 1 else 's'}.")


def status(review: Review) -> int:
    """Return the exit status of `--exit-code`: 1 exceeds, else 3 undetermined or not judged, else 0."""
    counts = review.provenance["verdicts"]
    if counts.get("exceeds"):
        return FOUND
    return DOUBTFUL if counts.get("undetermined") or counts.get("not evaluated") else PASSED


if __name__ == "__main__":
    main()
