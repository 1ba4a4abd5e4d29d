"""The limits format as limits/README.md describes it: what a person writes is what is meant."""

import re
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packs_made import HEAD, codes, faults, force, pack, write

from pretreat import packs
from pretreat.errors import UsageError
from pretreat.limits.provisions import Duration, Limit
from pretreat.limits.selection import Limits
from pretreat.packs import cells, words

README = (packs.bundled_folder() / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)


def said(limit: Limit) -> tuple[object, ...]:
    return limit.parameter, limit.statistic, [(b.operator, b.low) for b in limit.bounds], limit.unit


def test_the_readmes_small_ordinance_is_clean_and_means_what_it_says(tmp_path):
    text = "\n".join(BLOCKS[: next(n for n, block in enumerate(BLOCKS) if "[headings]" in block)])
    assert faults(tmp_path, text, head="") == []
    made = pack(tmp_path, text, head="")
    assert [said(limit) for limit in made.rows] == [
        ("Cadmium", "daily maximum", [(">", 0.2)], "mg/L"),
        ("Cadmium", "monthly average", [(">", 0.1)], "mg/L"),
        ("Chromium (VI)", "daily maximum", [(">", 0.5)], "mg/L"),
        ("Oil and grease", "daily maximum", [(">", 100)], "mg/L"),
        ("Oil and grease", "daily maximum", [(">", 200)], "mg/L"),
        ("pH", "instantaneous", [("<", 5.5), (">", 10)], "SU"),
        ("Temperature", "instantaneous", [(">", 150)], "degF"),
    ]
    assert [rule.rule for rule in made.schedule] == ["within 30 days of change of process"]
    assert made.rows[0].cite == "§ 40-7C"
    grease = force(Limits((made,))).query("parameter == 'Oil and grease'")
    assert grease[["limit_low", "limit_high"]].to_numpy().tolist() == [[100, 100]]
    agreed = force(Limits((made,)), grease_agreement="yes").query("parameter == 'Oil and grease'")
    assert agreed.limit_low.tolist() == [200]


def test_the_readmes_other_examples_are_clean(tmp_path):
    headings = next(block for block in BLOCKS if "[headings]" in block)
    table = (
        '[[table]]\ncite = "C"\nunit = "mg/L"\ncolumns = ["parameter", "Surcharge above", "May-November", "Clinton"]\n'
        'rows = [["BOD5", 250, 500, 400]]\n[[limit]]\ncite="D"\nparameter="pH"\nMinimum=5.5\nunit="SU"\n'
    )
    assert codes(tmp_path, headings + table) == []
    rest = next(block for block in BLOCKS if "an alternative by agreement" in block)
    more = (
        '[facts]\namenable_cyanide_agreed = "Is it agreed?"\n'
        '[[limit]]\ncite = "(a)"\nid = "CN(T)"\nparameter = "Cyanide"\n"Maximum for any 1 day" = 1.2\nunit = "mg/L"\n'
        '[[table]]\ncite = "A"\nname = "metals"\nunit = "mg/L"\ncolumns = ["parameter", "Daily Maximum"]\n'
        'rows = [["Copper", 4.24], ["Chromium (VI)", 0.93]]\n'
        '[[limit]]\ncite = "D"\nparameter = "Mercury"\nabove = "0.012(1)"\nunit = "ug/L"\n'
    )
    text = rest.replace('"Maximum for any 1 day" = 0.86', '"Maximum for any 1 day" = 0.86\nunit = "mg/L"')
    assert codes(tmp_path, text + more) == []


def test_every_key_and_block_of_the_program_is_in_the_readme():
    for key in (*words.ROW_KEYS, *words.BLOCKS, *words.DOCUMENT_KEYS, *words.PENALTY_KEYS, *words.SCHEDULE_KEYS):
        assert re.search(rf"`[^`]*\b{key}\b[^`]*`", README), key


@pytest.mark.parametrize(
    ("cell", "operators"),
    [
        ('"at or above 0.2"', [(">=", 0.2)]),
        ('"below 5.5"', [("<", 5.5)]),
        ('"at or below 5"', [("<=", 5)]),
        ('"6.0 to 9.0"', [("<", 6), (">", 9)]),
        ("9.5", [(">", 9.5)]),
        ('"9 1/2"', [(">", 9.5)]),
        ('"9.5"', [(">", 9.5)]),
    ],
)
def test_a_cell_says_its_side_in_words(tmp_path, cell, operators):
    made = pack(tmp_path, f'[[table]]\nunit="SU"\ncolumns=["parameter","Instantaneous"]\nrows=[["pH",{cell}]]\n')
    assert [(b.operator, b.low) for b in made.rows[0].bounds] == operators


def test_numbers_stay_as_printed(tmp_path):
    made = pack(
        tmp_path,
        '[[table]]\nunit="ug/L"\ncolumns=["parameter","Daily Maximum"]\nrows=[["Zinc",350.00],["Lead","0.70"]]\n',
    )
    zinc, lead = (limit.bounds[0] for limit in made.rows)
    assert (str(zinc.number), zinc.decimals, zinc.low) == ("350.00", 2, 0.35)
    assert (str(lead.number), lead.decimals, lead.low) == ("0.70", 2, 0.0007)


def test_the_nearest_wins(tmp_path):
    """Defaults, table, heading, row, cell, mark (a first loader put the heading over the row)."""
    text = """
[defaults]
unit = "ug/L"
kind = "screening"
[headings]
"Monthly" = { statistic = "monthly average", kind = "surcharge" }
[notes."(1)"]
kind = "action level"
[[table]]
unit = "mg/L"
columns = ["id", "parameter", "unit", "statistic", "kind", "Monthly"]
rows = [
  ["a", "Zinc",    "",     "",               "",          1],
  ["b", "Copper",  "ug/L", "",               "",          1],
  ["c", "Lead",    "",     "daily maximum",  "violation", 1],
  ["d", "Nickel",  "",     "",               "",          "1 ug/L"],
  ["e", "Silver",  "",     "",               "violation", "1(1)"],
]
"""
    rows = {limit.id: limit for limit in pack(tmp_path, text).rows}
    assert [rows[n].unit_printed for n in "abcd"] == ["mg/L", "ug/L", "mg/L", "ug/L"]
    assert [rows[n].kind for n in "abcde"] == ["surcharge", "surcharge", "violation", "surcharge", "action level"]
    assert [rows[n].statistic for n in "ac"] == ["monthly average", "daily maximum"]


@pytest.mark.parametrize(
    ("heading", "name", "low"),
    [
        ("Daily Maximum (ug/l)", "Copper", 0.001),
        ("Daily Max. mg/l", "Copper", 1.0),
        ("Daily Max. mg/l", "Copper (ug/L)", 0.001),
    ],
)
def test_a_unit_in_a_heading_or_a_name_counts(tmp_path, heading, name, low):
    made = pack(tmp_path, f'[[table]]\nunit="mg/L"\ncolumns=["parameter","{heading}"]\nrows=[["{name}",1]]\n')
    assert (made.rows[0].parameter, made.rows[0].statistic, made.rows[0].bounds[0].low) == (
        "Copper",
        "daily maximum",
        low,
    )


def test_a_unit_in_a_name_may_not_contradict_the_rows(tmp_path):
    text = '[[table]]\ncolumns=["parameter","unit","Daily Maximum"]\nrows=[["Copper (ug/L)","mg/L",1]]\n'
    assert codes(tmp_path, text) == ["bad-value"]


@pytest.mark.parametrize(
    ("own", "whole"),
    [
        ("(8)", "§ 194-6C(8)"),
        ("§ 5", "§ 5"),
        ("[§ 81-8]", "[§ 81-8]"),
        ("40 CFR 403.5", "40 CFR 403.5"),
        ("", "§ 194-6C"),
    ],
)
def test_cites_follow_the_documents(tmp_path, own, whole):
    head = '[document]\ntitle="x"\ncite="§ 194-6C"\n[settings]\nunstated="instantaneous"\n'
    made = pack(tmp_path, f'[[limit]]\ncite="{own}"\nparameter="Zinc"\nabove=1\nunit="mg/L"\n', head=head)
    assert made.rows[0].cite == whole


def test_allocations_and_a_fallback_in_one_cell(tmp_path):
    """94 mg/L for everyone, loads for three users (Ord. 2013-24, total nitrogen)."""
    marks = "".join(f'[notes."(5{n})"]\nwhen.facility = "Industry 5{n}"\n' for n in "abc")
    text = marks + (
        '[[table]]\nunit="mg/L"\ncolumns=["id","parameter","Daily Maximum"]\n'
        'rows=[["TN","Nitrogen, total","94 and 500 lb/day(5a) and 250 lb/day(5b) and 125 lb/day(5c)"]]\n'
    )
    limits = Limits((pack(tmp_path, text),))

    def mine(name: str) -> list[tuple[float, str]]:
        found = force(limits, facility=name)
        return list(zip(found.limit_low, found.unit, strict=True))

    assert mine("Industry 5b") == [(250, "lb/day")]
    assert mine("Somebody else") == [(94, "mg/L")]


def test_a_limit_below_the_quantification_level(tmp_path):
    """Flint MI 46-146(c): mercury 0.012 ug/l; where the method quantifies 0.2 ug/l, at or above that is an exceedance."""
    text = (
        '[notes."(1)"]\nat_or_above = "0.2 ug/L"\nwhen.method = "245.1 or 245.2"\n'
        '[[table]]\nunit="ug/L"\ncolumns=["parameter","Instantaneous"]\nrows=[["Mercury","0.012(1)"]]\n'
    )
    found = force(Limits((pack(tmp_path, text),)))
    assert found[["limit_low", "limit_high"]].to_numpy().tolist() == [[0.000012, 0.0002]]
    assert found.by_result.tolist() == ["method"]


def test_each_toxic_organic_unless_elsewhere_limited(tmp_path):
    """MWRA 360 CMR 10.024: each 1.0, with exceptions, and a sum on the list."""
    text = (
        '[groups."Toxic Organics"]\nsum="all values"\nmembers=["Benzene","Toluene","Formaldehyde"]\n'
        '[[limit]]\nid="each"\nparameter="each of Toxic Organics"\nexcept=["Formaldehyde"]\nabove=1.0\nunit="mg/L"\n'
        '[[limit]]\nid="sum"\nparameter="Toxic Organics"\nabove=5.0\nunit="mg/L"\n'
    )
    rows = pack(tmp_path, text).rows
    assert [(limit.id, limit.parameter) for limit in rows] == [
        ("each Benzene", "Benzene"), ("each Toluene", "Toluene"), ("sum", "Toxic Organics"),
    ]  # fmt: skip
    assert rows[2].group.summed
    assert len(rows[2].group.members) == 3


def test_tto_counts_quantified_values_above_its_floor():
    """40 CFR 433.11(e): all quantifiable values greater than 0.01 milligrams per liter."""
    group = next(limit.group for limit in packs.load("federal/433").rows if limit.parameter == "TTO")
    assert (group.summed, group.quantified, group.floor) == (True, True, 0.01)
    assert len(group.members) > 100


def test_grabs_at_a_factor_with_exceptions(tmp_path):
    """Danville IN § 50.023: grab = value × 1.5 except chromium (VI), cyanide and oil and grease."""
    text = (
        '[[table]]\nname="metals"\nunit="mg/L"\ncolumns=["id","parameter","Daily Maximum"]\n'
        'rows=[["Cu","Copper",4.24],["Cd","Cadmium",0.7],["VI","Hex. Chromium",0.93]]\n'
        '[[limit]]\nof="metals"\nexcept=["Chromium (VI)"]\ntimes=1.5\nsample="grab"\nstatistic="instantaneous"\ncite="B"\n'
    )
    rows = pack(tmp_path, text).rows[3:]
    assert [(r.parameter, r.bounds[0].low, r.sample_type, r.statistic) for r in rows] == [
        ("Copper", 6.36, "grab", "instantaneous"), ("Cadmium", 1.05, "grab", "instantaneous"),
    ]  # fmt: skip
    assert all(r.cite == "§ 1B" for r in rows)


def test_three_durations_on_one_parameter(tmp_path):
    """21 NYCRR 1960.5: pH over 12.0 for 30 minutes, over 10.0 for five hours a day or 70 a month."""
    text = (
        '[[table]]\nparameter="pH"\ncolumns=["id","below","above","for"]\nrows=[["a",5.0,"",""],'
        '["b","",12.0,"more than 30 minutes"],["c","",10.0,"more than 5 hours a day"],["d","",10.0,"more than 70 hours a month"],'
        '["e",6.0,9.0,"more than 60 minutes"]]\n'
    )
    found = force(Limits((pack(tmp_path, text),)))
    timed = found[found.statistic == "duration"]
    assert list(zip(timed.limit_id, timed.level, timed.limit_low, timed.unit, strict=True)) == [
        ("b", "> 12", 30, "min"), ("c", "> 10", 300, "min"), ("d", "> 10", 4200, "min"),
        ("e below", "< 6", 60, "min"), ("e above", "> 9", 60, "min"),
    ]  # fmt: skip


def test_a_pair_of_readings_is_a_count():
    found = force(packs.load("ny/williamsville"))
    pair = found[found.limit_id == "S0-21"]
    assert pair[["statistic", "operator", "limit_low", "level", "unit"]].to_numpy().tolist() == [
        ["reading count", ">=", 2.0, "> 10", "readings"]
    ]


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("more than 30 minutes", Duration(30.0)),
        ("more than one hour", Duration(60.0)),
        ("15 minutes or more", Duration(15.0, inclusive=True)),
        ("more than 446 minutes a month", Duration(446.0, "month")),
    ],
)
def test_durations(text, duration):
    assert words.duration(text) == duration


def test_surcharge_and_violation_columns(tmp_path):
    """Lawton OK prints "Surcharge" and "Violation" beside each other."""
    text = (
        '[headings]\n"Surcharge"={statistic="daily maximum",kind="surcharge"}\n"Violation"={statistic="daily maximum"}\n'
        '[[table]]\nunit="mg/L"\ncolumns=["id","parameter","Surcharge","Violation"]\nrows=[["BOD","BOD5",750,993]]\n'
    )
    assert [(r.id, r.kind, r.bounds[0].low) for r in pack(tmp_path, text).rows] == [
        ("BOD surcharge", "surcharge", 750), ("BOD", "violation", 993),
    ]  # fmt: skip


def test_what_the_page_says_in_words_is_never_judged(tmp_path):
    text = (
        '[[table]]\nunit="mg/L"\ncolumns=["id","parameter","Daily Maximum","Monthly Average"]\n'
        'rows=[["a","Copper","not supplied",1],["b","TICH","words: Essentially none",""],["c","TTO",2.13,"no limit"]]\n'
        '[parameters]\nTICH="mg/L"\n'
    )
    found = force(Limits((pack(tmp_path, text),)))
    assert dict(zip(found.limit_id + found.statistic, found.status, strict=True)) == {
        "adaily maximum": "text not supplied", "amonthly average": "", "bdaily maximum": "no number", "cdaily maximum": "",
    }  # fmt: skip


def test_a_default_for_all_rows_may_be_a_condition():
    assert all(
        "accepted_under_194_6D" in limit.when
        for limit in packs.load("ny/little-valley").rows
        if limit.cite == "§ 194-6C(8)"
    )


def test_the_readmes_csv_loads(tmp_path):
    text = re.search(r"    (cite,parameter,.*?)\n\n", README, re.DOTALL)
    path = tmp_path / "small.csv"
    path.write_text(re.sub(r"^    ", "", text[1], flags=re.MULTILINE), encoding="utf-8")
    assert [said(limit) for limit in packs.load(path).packs[0].rows] == [
        ("Cadmium", "daily maximum", [(">", 0.2)], "mg/L"),
        ("Cadmium", "monthly average", [(">", 0.1)], "mg/L"),
        ("pH", "instantaneous", [("<", 5.5), (">", 10)], "SU"),
    ]


def test_show_prints_every_number_as_printed():
    text = packs.show("ny/little-valley")
    for number in ("0.4", "50.0", "12.0", "150 degF", "64 degC", "5 times"):
        assert number in text


def test_listing_names_every_bundled_pack():
    text = packs.listing()
    assert all(name in text for name in packs.bundled())


def test_lint_is_clean_on_every_bundled_pack():
    assert [str(fault) for fault in packs.lint(list(packs.bundled()))] == []


def test_packs_do_not_depend_on_the_order_of_files(tmp_path):
    for name in ("b", "a"):
        write(tmp_path, '[[limit]]\nparameter="Nothing"\nabove=1\nunit="mg/L"\n', f"{name}.toml")
    assert [Path(fault.file).stem for fault in packs.lint([tmp_path])] == ["a", "b"]


@settings(max_examples=150, deadline=None)
@given(
    st.decimals(min_value=0, max_value=10**6, places=4, allow_nan=False),
    st.sampled_from(["", "at or above ", "below "]),
)
def test_law_a_number_is_read_as_printed(number, side):
    part = cells.read(f"{side}{number}", [], [])[0]
    assert part.number == number
    assert str(part.number) == str(number)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=12))
def test_law_a_cell_is_read_or_refused_with_a_code(text):
    parts, code = outcome(text)
    assert code in CELL_CODES
    assert all(part.number is not None or part.kind in NO_NUMBER for part in parts)


CELL_CODES = (
    "",
    *["symbol", "percent", "comma", "date", "not-a-number", "unknown-mark", "unknown-fact", "bad-formula", "bad-value"],
)
NO_NUMBER = ("words", "formula", "no limit", "not supplied")


def outcome(text: str) -> tuple[tuple[cells.Part, ...], str]:
    try:
        return cells.read(text, ["*", "(1)"], ["y"]), ""
    except cells.CellError as error:
        return (), error.code


@settings(max_examples=80, deadline=None)
@given(
    st.decimals(min_value="0.0001", max_value=999, places=4), st.sampled_from(["mg/L", "ug/L", "ng/L", "ppm", "ppb"])
)
def test_law_a_limit_in_any_unit_is_the_same_limit(tmp_path_factory, number, unit):
    factor = {"mg/L": 1, "ppm": 1, "ug/L": 1000, "ppb": 1000, "ng/L": 10**6}[unit]
    folder = tmp_path_factory.mktemp("units")
    made = pack(folder, f'[[limit]]\nparameter="Zinc"\nabove="{Decimal(number) * factor}"\nunit="{unit}"\n')
    assert made.rows[0].bounds[0].low == pytest.approx(float(number), rel=1e-12)
    assert HEAD


def test_show_one_user_on_one_day(tmp_path):
    users = pd.DataFrame(
        {
            "facility": ["Acme", "Acme"],
            "from": ["", "7/1/2026"],
            "until": ["7/1/2026", ""],
            "water_fluoridated": ["yes", "no"],
        }
    )
    early = packs.show("ny/little-valley", facilities=users, facility="Acme", as_of="2026-06-30")
    late = packs.show("ny/little-valley", facilities=users, facility="Acme", as_of="2026-07-01")
    assert "above 4 mg/L" in next(line for line in early.splitlines() if "Fluoride" in line)
    assert "above 4 to 6 mg/L" in next(line for line in late.splitlines() if "Fluoride" in line)
    with pytest.raises(UsageError, match="Known: Acme"):
        packs.show("ny/little-valley", facilities=users, facility="Ame", as_of="2026-07-01")
