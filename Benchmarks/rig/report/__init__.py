"""Turns raw results into tables, plots and the list of targets."""
