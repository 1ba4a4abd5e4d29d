"""`pretreat limits export`, then `--limits my.xlsx`: the same pack, to the last word."""

from dataclasses import fields, replace

import openpyxl
import pytest
from packs_made import write

from pretreat import packs
from pretreat.errors import FileError
from pretreat.limits.provisions import Pack

WHERE = {"pack": "", "source": "", "key": "", "variant_of": "", "derived_from": "", "heading": ""}
OFTEN = ("ny/little-valley", "ny/urbana", "federal/403", "federal/413", "examples/mass-allocations")


def limit(row):
    """A limit without where it stands."""
    return repr(replace(row, replaces=tuple(name.partition(": ")[2] for name in row.replaces), **WHERE))


def content(made: Pack) -> dict[str, object]:
    """All that a pack says, without where it stands."""
    said = {field.name: getattr(made, field.name) for field in fields(made)}
    for name in ("name", "file", "sha256"):
        del said[name]
    said["rows"] = sorted(map(limit, made.rows))
    said["slug"] = limit(made.slug) if made.slug else ""
    for name in ("schedule", "checklist", "definitions", "penalties"):
        said[name] = sorted(repr(replace(item, pack="")) for item in said[name])
    said["quoted"] = sorted(words for _, words in made.quoted)
    for name in ("document", "settings", "facts", "groups", "snc"):
        said[name] = {key: repr(value) for key, value in (said[name] or {}).items()}
    return said


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in packs.bundled()]
)
def test_a_workbook_of_a_pack_holds_the_same(tmp_path, name):
    path = tmp_path / "my.xlsx"
    packs.export(name, path)
    first, again = content(packs.load(name).packs[0]), content(packs.load(path).packs[0])
    assert {part: again[part] for part in first if again[part] != first[part]} == {}
    assert packs.lint([path]) == packs.lint([name]) == []


def test_a_csv_of_a_pack_holds_the_same(tmp_path):
    made = write(tmp_path, '[[table]]\nunit="mg/L"\ncolumns=["id","parameter","Daily Maximum"]\nrows=[["a","Zinc",1.50]]\n'
                 '[[limit]]\nid="b"\nparameter="pH"\nbelow=5.0\nabove=9.0\n')  # fmt: skip
    packs.export(str(made), tmp_path / "my.csv")
    assert content(packs.load(tmp_path / "my.csv").packs[0]) == content(packs.load(made).packs[0])
    with pytest.raises(FileError, match="one CSV cannot hold"):
        packs.export("ny/little-valley", tmp_path / "other.csv")


def test_a_blank_cell_of_a_block_says_nothing(tmp_path):
    """A fact without choices is a yes/no question, in a sheet whose other facts have some."""
    book = openpyxl.Workbook()
    sheets = {
        "limits": [["cite", "parameter", "above", "unit", "when.old"], ["§ 1", "Zinc", 2, "mg/L", "yes"]],
        "settings": [["key", "value"], ["unstated", "instantaneous"]],
        "facts": [["fact", "ask", "choices", "assume"], ["old", "Is it old?", "", ""], ["kind", "Which?", "a; b", "a"]],
    }
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(tmp_path / "my.xlsx")
    facts = packs.load(tmp_path / "my.xlsx").packs[0].facts
    assert (facts["old"].choices, facts["old"].assume) == (("yes", "no"), "")
    assert (facts["kind"].choices, facts["kind"].assume) == (("a", "b"), "a")
