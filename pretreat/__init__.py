"""Industrial pretreatment compliance, from laboratory spreadsheets to an exceedance report.

Examples
--------
>>> import pandas as pd, pretreat
>>> results = pd.DataFrame({"facility": ["Acme Plating"], "parameter": ["Copper"], "value": [1.75], "unit": ["mg/L"],
...                         "start": ["2026-10-07"]})
>>> review = pretreat.check(results, pretreat.load_limits("ny/little-valley"))
>>> print(review.exceedances[["parameter", "statistic", "low", "limit_high"]].to_csv(index=False), end="")
parameter,statistic,low,limit_high
Copper,24-hour average,1.75,1.6
Copper,30-day average,1.75,0.8
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pretreat.errors import FileError, PackError, PretreatError, UsageError
    from pretreat.packs import load as load_limits
    from pretreat.review import Review, check
    from pretreat.samples import Samples, read_samples

__version__ = "0.1.0"

__all__ = [
    "FileError",
    "PackError",
    "PretreatError",
    "Review",
    "Samples",
    "UsageError",
    "check",
    "load_limits",
    "read_samples",
]

# The command line's help must not wait for pandas, so each name is fetched when it is first asked for.
_HOMES = {
    "FileError": ("pretreat.errors", "FileError"),
    "PackError": ("pretreat.errors", "PackError"),
    "PretreatError": ("pretreat.errors", "PretreatError"),
    "Review": ("pretreat.review", "Review"),
    "Samples": ("pretreat.samples", "Samples"),
    "UsageError": ("pretreat.errors", "UsageError"),
    "check": ("pretreat.review", "check"),
    "load_limits": ("pretreat.packs", "load"),
    "read_samples": ("pretreat.samples", "read_samples"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pretreat' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
