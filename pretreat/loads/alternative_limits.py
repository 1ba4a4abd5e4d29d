"""The formulas of 40 CFR 403.6(c) and (e) and 403.15: limits worked out from flows, production and intake.

Flows are averages of at least 30 days (403.6(e)). Every function works on plain numbers; `streams` reads a user's
streams and keeps the arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from pretreat.errors import UsageError
from pretreat.loads.mass import POUNDS

EQUIVALENTS_413_04: Final = {
    (Decimal(one), Decimal(four)): Decimal(thirty)
    for one, four, thirty in (
        ("0.6", "0.4", "0.3"),
        ("1.2", "0.7", "0.5"),
        ("1.9", "1", "0.55"),
        ("4.1", "2.6", "1.8"),
        ("4.2", "2.6", "1.8"),
        ("4.5", "2.7", "1.8"),
        ("5.0", "2.7", "1.5"),
        ("7.0", "4", "2.5"),
        ("10.5", "6.8", "5"),
        ("20.0", "13.4", "10"),
    )
}
"""40 CFR 413.04: the 30-day average for each pair of a 1-day maximum and a 4-day average [mg/L]."""


def combined_concentration(limits: Sequence[float], flows: Sequence[float], total: float, dilute: float) -> float:
    """Return the alternative concentration limit where streams mix before treatment, 40 CFR 403.6(e)(1)(i).

    Parameters
    ----------
    limits : sequence of float
        The standard of each stream that is regulated for the pollutant [mg/L].
    flows : sequence of float
        The average daily flow of each of these [any flow unit].
    total : float
        The flow through the combined treatment, with unregulated and dilute streams [same unit].
    dilute : float
        What of it is boiler blowdown, noncontact cooling, sanitary and other dilute water [same unit].

    Raises
    ------
    UsageError
        Where the flows do not add up: no regulated flow, or a total smaller than its parts.

    Notes
    -----
    C_T = (Σ C_i F_i / Σ F_i) × (F_T − F_D) / F_T. Dilution lowers the limit, unregulated process water does not.

    Examples
    --------
    >>> round(combined_concentration([2.0, 1.0], [0.10, 0.05], total=0.50, dilute=0.30), 3)
    0.667
    """
    regulated = _flows(limits, flows, total, dilute)
    share = (total - dilute) / total
    return sum(limit * flow for limit, flow in zip(limits, flows, strict=True)) / regulated * share


def combined_mass(masses: Sequence[float], flows: Sequence[float], total: float, dilute: float) -> float:
    """Return the alternative mass limit where streams mix before treatment, 40 CFR 403.6(e)(1)(ii).

    Parameters
    ----------
    masses : sequence of float
        The standard of each regulated stream, times its production [lb/day].
    flows, total, dilute : float
        As in `combined_concentration`.

    Raises
    ------
    UsageError
        Where the flows do not add up.

    Notes
    -----
    M_T = Σ M_i × (F_T − F_D) / Σ F_i.

    Examples
    --------
    >>> round(combined_mass([2.0, 1.0], [0.10, 0.05], total=0.50, dilute=0.30), 6)
    4.0
    """
    regulated = _flows(masses, flows, total, dilute)
    return sum(masses) * (total - dilute) / regulated


def _flows(limits: Sequence[float], flows: Sequence[float], total: float, dilute: float) -> float:
    """Return the regulated flow, where the flows add up."""
    if len(limits) != len(flows) or not limits:
        raise UsageError("the formula needs a flow for each regulated stream, and one stream at least.")
    regulated = sum(flows)
    if not regulated > 0 or dilute < 0 or regulated + dilute > total * (1 + 1e-9):
        raise UsageError(
            f"flows do not add up: {regulated:g} regulated and {dilute:g} dilute of {total:g} in all.",
            todo="The total includes regulated, unregulated and dilute streams; no flow is negative.",
        )
    return regulated


def flow_weighted_concentration(limits: Sequence[float], flows: Sequence[float]) -> float:
    """Return the limit where streams mix after treatment: each stream's own, weighted by flow.

    Parameters
    ----------
    limits : sequence of float
        The standard of a regulated stream, the concentration measured in any other [mg/L].
    flows : sequence of float
        The average daily flow of each [any flow unit].

    Raises
    ------
    UsageError
        Without flow.

    Notes
    -----
    403.6(e) is for mixing before treatment. Afterwards nothing is diluted away and nothing treated: what may leave is
    what each stream may bring.

    Examples
    --------
    >>> round(flow_weighted_concentration([2.0, 0.0], [0.1, 0.3]), 6)
    0.5
    """
    total = sum(flows)
    if not total > 0 or len(limits) != len(flows):
        raise UsageError("weighting by flow needs a flow for each stream, above 0 in all.")
    return sum(limit * flow for limit, flow in zip(limits, flows, strict=True)) / total


def equivalent_mass(standard: float, production: float) -> float:
    """Return the mass limit of a standard by production, 40 CFR 403.6(c)(3) [lb/day].

    Parameters
    ----------
    standard : float
        Mass allowed a unit of production [lb].
    production : float
        The long-term average rate of production, not the design's [units/day].

    Examples
    --------
    >>> equivalent_mass(0.5, 12)
    6.0
    """
    return standard * production


def equivalent_concentration(mass: float, flow: float) -> float:
    """Return the concentration limit of a mass limit, 40 CFR 403.6(c)(4) [mg/L].

    Parameters
    ----------
    mass : float
        The mass limit [lb/day].
    flow : float
        The average daily flow of the regulated process wastewater [MGD].

    Raises
    ------
    UsageError
        Without flow.

    Examples
    --------
    >>> round(equivalent_concentration(0.2, 0.05), 4)
    0.4796
    """
    if not flow > 0:
        raise UsageError(f"a mass limit over a flow of {flow:g} MGD is no concentration.")
    return mass / (flow * POUNDS)


def net_limit(limit: float, intake: float) -> float:
    """Return the gross concentration up to which a user with a net/gross credit complies, 40 CFR 403.15 [mg/L].

    The credit goes only as far as the standard needs, and no further than what the intake water brings: a result over
    the standard complies where it is over by no more than the intake's concentration.

    Parameters
    ----------
    limit : float
        The categorical standard [mg/L].
    intake : float
        The concentration of the same pollutant in the intake water [mg/L].

    Raises
    ------
    UsageError
        For a negative intake.

    Examples
    --------
    >>> round(net_limit(2.61, 0.30), 2)
    2.91
    """
    if intake < 0:
        raise UsageError(f"an intake concentration of {intake:g} is below 0.")
    return limit + intake


def unallocated_reserve(maximum: float, background: float, allocated: Sequence[float], safety: float = 0.0) -> float:
    """Return what a plant's maximum allowable headworks loading leaves to be allocated [lb/day].

    Parameters
    ----------
    maximum : float
        The maximum allowable headworks loading [lb/day].
    background : float
        The loading of domestic and other uncontrolled sources [lb/day].
    allocated : sequence of float
        What has been allocated to users [lb/day].
    safety : float
        The part of the maximum that is kept as a safety factor.

    Raises
    ------
    UsageError
        For a safety factor that is no part.

    Notes
    -----
    A negative reserve means that more is allocated than there is.

    Examples
    --------
    >>> unallocated_reserve(10.0, 3.0, [2.0, 1.5], safety=0.1)
    2.5
    """
    if not 0 <= safety < 1:
        raise UsageError(f"a safety factor of {safety:g} is no part of the maximum.", todo="Write 0.1 for 10 percent.")
    return maximum * (1 - safety) - background - sum(allocated)


def thirty_day_equivalent(one_day: Decimal | float | str, four_day: Decimal | float | str) -> Decimal | None:
    """Return the 30-day average that 40 CFR 413.04 gives for a pair of limits, or None where it lists none [mg/L].

    The pair decides: a 4-day average of 2.7 becomes 1.8 beside a maximum of 4.5, and 1.5 beside 5.0.

    Parameters
    ----------
    one_day, four_day : Decimal, float or str
        The maximum for any one day and the average of 4 consecutive monitoring days [mg/L]; a float is the shortest
        number that is written so: 0.6 is six tenths.

    Examples
    --------
    >>> thirty_day_equivalent("4.5", "2.7"), thirty_day_equivalent("5.0", "2.7"), thirty_day_equivalent("9", "9")
    (Decimal('1.8'), Decimal('1.5'), None)
    >>> thirty_day_equivalent(0.6, 0.4)
    Decimal('0.3')
    """
    return EQUIVALENTS_413_04.get((Decimal(str(one_day)), Decimal(str(four_day))))
