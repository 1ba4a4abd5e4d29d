"""A factor multiplies what is printed: both units of a pair, each in its own, and temperatures on their own scale."""

import pytest
from packs_made import codes, pack


@pytest.mark.parametrize(
    ("also", "low", "high"),
    [("25.4 mm", 1.5, 1.5), ("25 mm", 1.5, 1.5), ("30 mm", 1.5, 45 / 25.4), ("20 mm", 30 / 25.4, 1.5)],
)
def test_both_printed_units_are_multiplied(tmp_path, also, low, high):
    text = f'[[limit]]\nparameter = "Solids size"\nabove = 1\nunit = "in"\nalso = "{also}"\ntimes = 1.5\n'
    (bound,) = pack(tmp_path, text).rows[0].bounds
    assert (bound.low, bound.high) == pytest.approx((low, high))
    assert codes(tmp_path, text) == (["units-disagree"] if low != high else [])


@pytest.mark.parametrize(
    ("parameter", "number", "unit", "expected"),
    [("Temperature", "40", "degC", 140), ("Temperature", "104", "degF", 156), ("Copper", "350", "ug/L", 0.525)],
)
def test_times_is_of_the_printed_number_on_the_row_and_worked_out_from_another(
    tmp_path, parameter, number, unit, expected
):
    """40 °C times 1.5 is 60 °C, which is 140 °F and not 104 °F times 1.5."""
    row = f'[[limit]]\nid = "a"\nparameter = "{parameter}"\nabove = {number}\nunit = "{unit}"\n'
    direct = pack(tmp_path, row + "times = 1.5\n").rows[0]
    derived = pack(tmp_path, row + '[[limit]]\nof = "a"\ntimes = 1.5\nsample = "grab"\n').rows[1]
    for limit in (direct, derived):
        assert (limit.bounds[0].low, limit.bounds[0].high) == (expected, expected)
