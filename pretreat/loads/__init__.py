"""Mass: what a concentration and the flow of its day carry."""

from pretreat.loads.mass import NO_DISCHARGE, NO_FLOW, concentration, load, with_loads

__all__ = ["NO_DISCHARGE", "NO_FLOW", "concentration", "load", "with_loads"]
