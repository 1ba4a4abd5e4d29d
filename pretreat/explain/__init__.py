"""The arithmetic of one comparison, slug or SNC row, step by step, from the tables of a report alone."""
