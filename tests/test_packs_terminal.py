"""What stands on the terminal: `limits list` says as of when, and no text from a file steers the terminal."""

import re
import shutil
import unicodedata

import pandas as pd
import pytest
from click.testing import CliRunner
from packs_made import write

import pretreat
from pretreat import packs
from pretreat.cli import main

STEERS = "\x1b[2J\x9b31m\r\x07\u202e\u200f"
"""Clears the screen, colours it, overwrites the line, rings, turns text around."""


def run(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.output


def plain(text):
    """Whether a terminal only prints it: no control but the end of a line, nothing that turns text around."""
    return not [sign for sign in text if sign != "\n" and unicodedata.category(sign) in ("Cc", "Cf")]


def test_the_list_says_as_of_when_how_far_compared_and_how_complete():
    status, text = run("limits", "list")
    assert status == 0
    assert "http" not in text
    rows = re.split(r"\n(?=  \w+/)", text)
    head, told = rows[0], {row.split()[0]: " ".join(row.split()) for row in rows[1:]}
    assert "as of" in head
    assert set(told) == set(packs.bundled())
    assert [name.partition("/")[0] for name in told] == sorted(
        (name.partition("/")[0] for name in told), key="federal ny examples".split().index
    )
    assert "annual edition of" in told["federal/433"]
    assert "not known no" in told["examples/flint"]
    assert "2026-11-30" in told["ny/urbana"]


def test_an_unknown_pack_is_one_sentence_and_what_to_do():
    assert "among the bundled ones. `pretreat limits list`" in run("limits", "show", "ny/nowhere")[1]
    assert "did you mean 'ny/little-valley'? `pretreat" in run("limits", "show", "ny/little-vally")[1]


def test_what_is_in_force_is_asked_for_one_user_by_name(tmp_path):
    users = tmp_path / "facilities.csv"
    users.write_text("facility,point\nAcme,end of pipe\n")
    who = ("--facilities", users)
    assert (
        "In force for Acme on 2026-10-01"
        in run("limits", "show", "federal/403", *who, "--facility", "acme", "--as-of", "2026-10-01")[1]
    )
    for options in (who, ("--as-of", "2026-10-01")):
        status, text = run("limits", "show", "federal/403", *options)
        assert (status, "Add --facility NAME." in text) == (2, True)


STEERING = """
[document]
title = "T@"
cite = "§ 1@"
text_state = "@"
note = "a@"
[settings]
unstated = "instantaneous"
[facts]
grease = "Is it@?"
[[limit]]
id = "a@"
parameter = "Zinc@"
above = 1
unit = "mg/L"
printed = "page@"
note = "n@"
when.grease = "yes"
[[limit]]
id = "b"
parameter = "Copper"
above = 1
unit = "mg/L@"
[[checklist]]
id = "c"
subject = "s@"
kind = "rule"
"""


@pytest.fixture
def steering(tmp_path):
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in STEERS)
    return write(tmp_path, STEERING.replace("@", escaped), head="")


@pytest.mark.parametrize("command", ["show", "lint"])
def test_nothing_in_a_pack_steers_the_terminal(steering, command):
    status, text = run("limits", command, steering)
    assert status in (0, 1)
    assert "\ufffd" in text
    assert plain(text)


def test_an_error_that_names_a_fault_does_not_either(steering, tmp_path):
    sheet = tmp_path / "samples.csv"
    sheet.write_text("facility,parameter,value,unit,start\nA,Zinc,1,mg/L,2026-10-01\n")
    for arguments in (
        ["check", sheet, "--limits", steering],
        ["limits", "show", f"x{STEERS}"],
        ["check", sheet, "--limits", "federal/403", "--set", f"a{STEERS}=1"],
    ):
        status, text = run(*arguments)
        assert status == 2
        assert plain(text)


def test_an_explanation_does_not_either(tmp_path):
    frame = pd.DataFrame(
        {
            "facility": f"Acme{STEERS}", "parameter": "Zinc", "value": 9.0, "unit": "mg/L", "start": ["2026-10-01"],
            "sample_id": f"s{STEERS}",
        }
    )  # fmt: skip
    text = '[[limit]]\nparameter = "Zinc"\nabove = 1\nunit = "mg/L"\nprinted = "page\\u001b[2J"\n'
    made = write(tmp_path, text)
    review = pretreat.check(frame, str(made), federal=False, as_of="2026-12-01", tables=("comparisons", "limits"))
    folder = tmp_path / "report"
    review.save(folder, tables=("comparisons", "limits"))
    status, said = run("explain", folder, review.comparisons["comparison_id"].iloc[0])
    shutil.rmtree(folder)
    assert status == 0
    assert "Acme\ufffd[2J" in said
    assert plain(said)
