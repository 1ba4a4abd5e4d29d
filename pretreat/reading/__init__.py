"""Files of samples into raw values: `read`, and tables for facilities, events and streams: `read_table`."""

from pretreat.reading.raw import Raw, read
from pretreat.reading.tables import read_table
from pretreat.reading.template import learn

__all__ = ["Raw", "learn", "read", "read_table"]
