"""Verdicts worked out again with a pocket calculator, from nothing but what `explain` prints.

The calculator of this test knows the four operations and how to compare; it reads the text as a person would.
"""

from __future__ import annotations

import ast
import math
import operator
import random
import re

import pandas as pd
import pytest
from shared import ROOT

import pretreat

NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
KEYS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def press(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp):
        return float(KEYS[type(node.op)](press(node.left), press(node.right)))
    if isinstance(node, ast.UnaryOp):
        return -press(node.operand)
    assert isinstance(node, ast.Constant), ast.dump(node)
    return float(node.value)


def calculate(text: str) -> tuple[float, list[float]]:
    """Return what an expression gives, and the numbers in it; units behind numbers are no part of it."""
    bare = re.sub(rf"({NUMBER}) (?!min\b)[A-Za-z°%µ][^\s×+)=;]*", r"\1", text)
    bare = bare.replace("×", "*").replace("−", "-").replace("÷", "/").replace(",", "")
    return press(ast.parse(bare.strip(), mode="eval").body), [float(n) for n in re.findall(NUMBER, bare)]


EQUATION = re.compile(
    rf"(?P<sum>[(\d][-()\d., eA-Za-z°%µ/×+−÷]*?[×+/−÷][-()\d., eA-Za-z°%µ/×+−÷]*?) = (?P<answer>{NUMBER})"
)


def equations(text: str) -> list[tuple[str, float]]:
    found = []
    for line in text.splitlines():
        if "printed" in line or "in words" in line:
            continue
        found += [(match["sum"], float(match["answer"].replace(",", ""))) for match in EQUATION.finditer(line)]
    return found


def value_of(text: str) -> tuple[float, float, bool, bool]:
    """Return the ends of the value, and whether each is open."""
    line = [line.strip() for line in text.splitlines() if line.strip().startswith(("value: ", "so "))][-1]
    said = line.split(": ", 1)[1]
    if match := re.match(rf"(from|above) ({NUMBER}) to (below )?({NUMBER})", said):
        return float(match[2]), float(match[4]), match[1] == "above", bool(match[3])
    if match := re.match(rf"(at or above|above) ({NUMBER})", said):
        return float(match[2]), math.inf, match[1] == "above", True
    (one,) = re.findall(rf"^({NUMBER})", said)
    return float(one), float(one), False, False


def same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-8)  # what is printed has ten figures


def verdict_of(text: str) -> str:
    """Compare the value with what the rule says violates."""
    low, high, low_open, high_open = value_of(text)
    rule = text.split("The rule\n")[1].splitlines()[0]
    ranged = re.search(
        rf"(more than|at or above|less than|at or below) a limit that lies from ({NUMBER}) to ({NUMBER})", rule
    )
    plain = re.search(rf"(more than|at or above|less than|at or below) ({NUMBER})", rule)
    found = ranged or plain
    assert found, rule
    word, near, far = found[1], float(found[2]), float(found[3] if ranged else found[2])
    if word in ("less than", "at or below"):
        low, high, low_open, high_open, near, far = -high, -low, high_open, low_open, -far, -near
    if word in ("more than", "less than"):
        over = (low > far and not same(low, far)) or (same(low, far) and low_open)
        within = high < near or same(high, near)
    else:
        over = low > far or same(low, far)
        within = (high < near and not same(high, near)) or (same(high, near) and high_open)
    return "exceeds" if over else "complies" if within else "undetermined"


def check_text(text: str) -> int:
    """Check every equation, and that each mean is one of numbers printed above it; return how many there were."""
    seen: set[float] = {0.0}
    count = 0
    for line in text.split("The rule\n", maxsplit=1)[0].splitlines():
        for left, answer in equations(line):
            made, terms = calculate(left)
            assert made == pytest.approx(answer, rel=1e-8, abs=1e-9), line
            if left.startswith("("):
                inside = [float(n) for n in re.findall(NUMBER, left[: left.rindex(")")])]
                weights = {float(n) for n in re.findall(rf"({NUMBER}) h", left)}
                strange = [
                    n for n in inside if n not in weights and not any(math.isclose(n, s, rel_tol=1e-9) for s in seen)
                ]
                assert not strange, f"{strange} are not printed above {line!r}"
            count += 1
            assert terms
        seen |= {float(n.replace(",", "")) for n in re.findall(NUMBER, line)}
        seen |= {n / 2 for n in seen}  # half a limit, where that is the rule
    for left, answer in equations(text.rsplit("The comparison\n", maxsplit=1)[-1]):
        assert calculate(left)[0] == pytest.approx(answer, rel=1e-6, abs=1e-6), left
        count += 1
    return count


@pytest.fixture(scope="module")
def review() -> pretreat.Review:
    samples = pretreat.read_samples(ROOT / "samples")
    wanted = ("comparisons", "limits", "results", "slugs", "snc")
    people = ROOT / "samples" / "facilities.xlsx"
    return pretreat.check(
        samples,
        pretreat.load_limits("ny/little-valley"),
        facilities=people,
        as_of="2026-11-20",
        all_rows=True,
        tables=wanted,
    )


def chosen(table: pd.DataFrame, seed: int) -> list[int]:
    """One row of each kind, and twenty at random."""
    kinds = table.groupby(["statistic", "parameter", "verdict", "bound"], observed=True).head(1).index.tolist()
    return sorted({*kinds, *random.Random(seed).sample(range(len(table)), 20)})


def test_verdicts_chosen_at_random_come_out_again(review: pretreat.Review) -> None:
    table = review.comparisons[review.comparisons["verdict"] != "not evaluated"].reset_index(drop=True)
    equations_seen = 0
    for at in chosen(table, 403):
        row = table.iloc[at]
        text = review.explain(row["comparison_id"])
        if row["bound"] == "inside":
            continue
        assert verdict_of(text) == str(row["verdict"]), text
        assert f"verdict: {row['verdict']}" in text
        low, high, _, _ = value_of(text)
        assert (low, high) == (pytest.approx(row["low"], rel=1e-9), pytest.approx(row["high"], rel=1e-9)), text
        equations_seen += check_text(text)
    assert equations_seen > 100


def test_every_slug_and_share_comes_out_again(review: pretreat.Review) -> None:
    for row in review.slugs.to_dict("records"):
        text = review.explain(row["slug_id"])
        check_text(text)
        for name, first, last in (
            ("minutes_low", "the first over", "the last over"),
            ("minutes_high", "the reading before", "the reading after"),
        ):
            times = [re.search(rf"{which}: .*?(\d\d):(\d\d)\n", text) for which in (first, last)]
            one, two = (int(time[1]) * 60 + int(time[2]) for time in times if time)
            assert two - one == row[name], text
    telling = review.snc[(review.snc["snc"] != "no") | (review.snc["n_over_high"] > 0)]
    quiet = review.snc[(review.snc["n_over_high"] == 0)].sample(6, random_state=403)
    assert len(telling) > 5
    for row in pd.concat([telling, quiet]).to_dict("records"):
        text = review.explain(row["snc_id"])
        marks = text.split("The measurements\n")[1].split("\n\n")[0].splitlines()
        if "do not come out" not in text:
            assert len(marks) == row["n"]
            assert sum(bool(re.search(r": over(,|$)", mark)) for mark in marks) == row["n_over_low"], text
        for part, whole, percent in re.findall(r"(\d+) of (\d+) = ([\d.]+) %", text):
            assert 100 * int(part) / int(whole) == pytest.approx(float(percent), abs=1e-6)


PERMIT = """
[document]
title = "Permit"
cite = "1"
[settings]
unstated = "instantaneous"
"""
ROWS = {
    "load": 'parameter = "Zinc"\nabove = 1.0\nunit = "lb/day"\nstatistic = "daily maximum"',
    "month": 'parameter = "Zinc"\nabove = 0.6\nunit = "lb/day"\nstatistic = "monthly average"',
    "run": 'parameter = "pH"\nabove = 10.0\nfor = "more than 30 minutes"',
    "day": 'parameter = "pH"\nabove = 9.5\nfor = "more than 1 hours a day"',
    "part": 'parameter = "Chromium"\nabove = 2.0\nunit = "mg/L"\nstatistic = "daily maximum"',
    "whole": 'parameter = "Lead"\nfraction = "dissolved"\nabove = 2.0\nunit = "mg/L"\nstatistic = "daily maximum"',
    "count": 'parameter = "LEL"\nabove = 10\nunit = "%"\nreadings = 2',
}


@pytest.fixture(scope="module")
def unusual(tmp_path_factory: pytest.TempPathFactory) -> pretreat.Review:
    """Values that rest on more than a place's own results."""
    path = tmp_path_factory.mktemp("pack") / "permit.toml"
    path.write_text(
        PERMIT + "".join(f'[[limit]]\nid = "{name}"\ncite = "{name}"\n{row}\n' for name, row in ROWS.items())
    )
    rows = [
        ("Zinc", "2000", "ug/L", "2026-10-05 08:00", "grab"), ("Zinc", "3.0", "mg/L", "2026-10-05 14:00", "grab"),
        ("Zinc", "<1.0", "mg/L", "2026-10-06 14:00", "grab"), ("Flow", "0.05", "MGD", "2026-10-05", ""),
        ("Flow", "30000", "gpd", "2026-10-06", ""), ("Chromium (VI)", "2.5", "mg/L", "2026-10-05 08:00", "grab"),
        ("Lead", "1.5", "mg/L", "2026-10-05 08:00", "grab"), ("LEL", "12", "%", "2026-10-05 08:00", ""),
        ("LEL", "14", "%", "2026-10-07 08:00", ""),
    ]  # fmt: skip
    for at, time in enumerate(pd.date_range("2026-10-05", "2026-10-06", freq="10min", inclusive="left")):
        value = "10.5" if 48 <= at < 54 else "9.8" if 100 <= at < 106 else "7.0"
        rows.append(("pH", value, "SU", str(time), "continuous"))
    frame = pd.DataFrame(rows, columns=["parameter", "value", "unit", "start", "sample_type"]).assign(facility="Acme")
    return pretreat.check(
        frame, pretreat.load_limits(str(path)), period="2026-10", as_of="2026-11-30", federal=False, all_rows=True,
        tables=("comparisons", "limits", "results"),
    )  # fmt: skip


@pytest.mark.parametrize("name", list(ROWS))
def test_values_of_several_places_come_out_again(unusual: pretreat.Review, name: str) -> None:
    table = unusual.comparisons[unusual.comparisons["limit_id"] == name]
    assert len(table) >= 1
    for row in table.to_dict("records"):
        text = unusual.explain(row["comparison_id"])
        assert verdict_of(text) == str(row["verdict"]), text
        low, high, _, _ = value_of(text)
        assert (low, high) == (pytest.approx(row["low"]), pytest.approx(row["high"]))
        check_text(text)


def test_what_they_print(unusual: pretreat.Review) -> None:
    text = {
        name: unusual.explain(unusual.comparisons[unusual.comparisons["limit_id"] == name]["comparison_id"].iloc[0])
        for name in ROWS
    }
    assert "2000 ug/L × 0.001 = 2 mg/L" in text["load"]
    assert "2 mg/L × 0.05 MGD × 8.34 = 0.834 lb/day" in text["load"]
    assert "(0.834 + 1.251) / 2 = 1.0425 lb/day" in text["load"]
    assert "30000 gpd × 0.000001 = 0.03 MGD" in text["month"]
    assert "2026-10-05 08:00 to 2026-10-05 08:50, 6 readings over: 50 min proven" in text["run"]
    assert "07:50, to the reading after, 2026-10-05 09:00: 70 min possible" in text["run"]
    assert "50 + 50 = 100 min proven" in text["day"]
    assert "Chromium (VI) is a part of Chromium (total), which is at least as high" in text["part"]
    assert "Lead (dissolved) is a part of Lead (total), which is at least as high" in text["whole"]


def test_the_calculator_can_fail(unusual: pretreat.Review) -> None:
    table = unusual.comparisons
    text = unusual.explain(table[table["limit_id"] == "load"]["comparison_id"].iloc[0])
    with pytest.raises(AssertionError):
        check_text(text.replace("(0.834 + 1.251) / 2 = 1.0425", "(0.834 + 1.251) / 2 = 1.05"))
    with pytest.raises(AssertionError):
        check_text(text.replace("(0.834 + 1.251) / 2", "(0.835 + 1.25) / 2"))
    assert verdict_of(text) == "exceeds"
    assert verdict_of(text.replace("value: 1.0425", "value: 0.9")) == "complies"
