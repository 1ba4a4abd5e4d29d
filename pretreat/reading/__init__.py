"""Files of samples into raw values: `read`, and tables for facilities, events and streams: `read_table`."""

from pretreat.reading.raw import Raw, read
from pretreat.reading.tables import read_table

__all__ = ["Raw", "read", "read_table"]
