"""The documentation builds without a warning, its links lead somewhere, and the commands that it shows are real."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from shared import ROOT

from pretreat.cli import main

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "limits").rglob("*.md"),
        *(ROOT / "samples").rglob("*.md"),
        *(ROOT / "tests").rglob("*.md"),
    ]
)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:    |\$ |> )(?:\S*[/\\])?pretreat +([a-z].*)$|`pretreat +([a-z][^`]*)`", re.MULTILINE)
WORDS = {"...", "|", "\\"}


def slug(heading: str) -> str:
    """The anchor that a heading gets, on the pages and on the site that shows the repository."""
    plain = re.sub(r"[`*_]", "", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {slug(line.lstrip("#")) for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("#")}


def commands() -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        text = FENCED.sub(
            lambda block: re.sub(r"^", "    ", block[1], flags=re.MULTILINE), page.read_text(encoding="utf-8")
        )
        found += [(page.relative_to(ROOT).as_posix(), one or other) for one, other in COMMAND.findall(text)]
    return found


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("sphinx", "myst_parser", "numpydoc", "furo")),
    reason="sphinx, myst-parser, numpydoc and furo are not installed (pip install '.[docs]'; .ci/run does)",
)
def test_the_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(tmp_path / "trees")]
    done = subprocess.run(
        [*build, str(ROOT / "docs"), str(tmp_path / "html")], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "html" / "index.html").stat().st_size > 1000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_every_page_stands_in_the_table_of_contents() -> None:
    listed = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines()
    listed += [f"decisions/{path.stem}" for path in (ROOT / "docs" / "decisions").glob("*.md")]  # globbed there
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - {"index"} <= set(listed)


@pytest.mark.parametrize(("page", "line"), commands())
def test_every_command_shown_is_one_that_runs(page: str, line: str) -> None:
    words = shlex.split(re.split(r"   | #", line, maxsplit=1)[0].replace("'", "").rstrip("."))
    command: click.Command = main
    while words and isinstance(command, click.Group):
        names = {part for part in words[0].split("|") if part}
        if not names & set(command.commands):
            break
        assert names <= set(command.commands), f"{page}: {line}"
        command = command.commands[words.pop(0)] if len(names) == 1 else command
        if len(names) > 1:
            return
    known = {option for each in command.params for option in each.opts} | {"--help", "-h", "--version"}
    told = {re.sub(r"[\[\](),;]", "", word).split("=")[0] for word in words if word.lstrip("[").startswith("--")}
    assert told <= known, f"{page}: pretreat {line}"
    assert not isinstance(command, click.Group) or not words or words[0] in WORDS or words[0].startswith("-"), (
        f"{page}: {line}"
    )


def test_the_commands_are_found() -> None:
    assert len(commands()) > 15
