"""A rise of temperature is a difference, in results, in limits and in what is said of them."""

import pandas as pd
import pytest

import pretreat
from pretreat import packs


@pytest.mark.parametrize("name", ["Temperature rise", "ΔT", "Temperature increase above the receiving sewer"])
@pytest.mark.parametrize(("value", "unit", "exceeds"), [(12.3, "degC", 0), (12.4, "degC", 1), (22.1, "degF", 0)])
def test_a_limit_on_a_rise_of_temperature_is_a_difference(tmp_path, name, value, unit, exceeds):
    """12.3 °C more is 22.14 °F more, and not 54.14 °F."""
    own = f"parameters,{name},degF\n" if "sewer" in name else ""
    path = tmp_path / "rise.csv"
    path.write_text(
        f"row,cite,parameter,above,also,unit,statistic\n{own},§ 1,{name},12.3,22.14 degF,degC,instantaneous\n", "utf-8"
    )
    assert not packs.lint([str(path)])
    frame = pd.DataFrame({"facility": ["Acme"], "parameter": name, "value": value, "unit": unit, "start": "2026-03-03"})
    review = pretreat.check(frame, path, federal=False, all_rows=True)
    assert (len(review.exceedances), len(review.undetermined)) == (exceeds, 0)
    assert review.comparisons["limit_high"].tolist() == pytest.approx([22.14])
    said = review.explain(review.comparisons["comparison_id"].iloc[0])
    assert (f"{value} degC × 1.8 = " in said) == (unit == "degC")
