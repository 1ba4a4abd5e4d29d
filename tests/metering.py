"""Packs, users and logs made by hand for the tests of timed readings."""

from decimal import Decimal

import numpy as np
import pandas as pd
from bench import known as law

from pretreat.limits.provisions import Bound, Duration, Limit, Readings, Slug
from pretreat.limits.selection import in_force
from pretreat.measurements.measure import measure

FIVE_TIMES = Slug(
    of=("Flow", "any constituent"), multiple=Decimal(5), minutes=15.0, baseline="average 24 hours, normal operation"
)


def slug_limit(slug=FIVE_TIMES, pack="test/law", **other):
    return Limit(
        pack=pack, id="S1-10", key="S1-10", cite="§ 1", parameter="any", statistic="slug", unit="", slug=slug, **other
    )


def duration_limit(side, level, minutes, per="event", *, inclusive=False, parameter="pH", unit="SU", **other):
    operator = {"upper": ">", "lower": "<"}[side]
    return Limit(
        pack="test/law",
        id=f"{parameter} {side} {level} {minutes} {per}",
        key=f"{parameter} {side} {level} {minutes} {per}",
        cite="§ 2",
        parameter=parameter,
        statistic="duration",
        unit=unit,
        bounds=(Bound(side=side, operator=operator, number=Decimal(str(level)), decimals=1, low=level, high=level),),
        duration=Duration(minutes, per, inclusive),
        **other,
    )


def count_limit(side, level, count, *, successive=True, apart=15.0, within=1440.0, parameter="pH", unit="SU"):
    operator = {"upper": ">", "lower": "<"}[side]
    return Limit(
        pack="test/law",
        id=f"{parameter} {count} readings",
        key=f"{parameter} {count} readings",
        cite="§ 3",
        parameter=parameter,
        statistic="reading count",
        unit=unit,
        bounds=(Bound(side=side, operator=operator, number=Decimal(str(level)), decimals=1, low=level, high=level),),
        readings=Readings(count, successive, apart, within),
    )


def minutes(start, n, every=1):
    return np.datetime64(start, "s") + np.arange(n) * np.timedelta64(every * 60, "s")


def log(start, value, *, facility="Acme Plating", parameter="Flow", unit="MGD", sample_type="continuous"):
    return pd.DataFrame(
        {
            "facility": facility,
            "outfall": "001",
            "parameter": parameter,
            "unit": unit,
            "start": np.asarray(start, dtype="datetime64[s]"),
            "value": np.asarray(value, dtype=float),
            "sample_type": sample_type,
        }
    )


def force(limits, results, settings=None, users=None, start="2020-01-01", end="2030-01-01"):
    if users is None:
        users = results[["facility", "outfall"]].drop_duplicates(ignore_index=True)
    return in_force(limits, users, start, end, settings=settings)[0]


def prepared(results, *rows, settings=None, users=None, pack_settings=None):
    limits = law(*rows, settings=pack_settings)
    return measure(results), force(limits, results, settings, users), settings or {}, limits, users
