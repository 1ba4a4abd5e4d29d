"""Results into measurements: who measured what, in order of time, with each sample counted once."""
