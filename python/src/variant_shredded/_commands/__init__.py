"""Defines the arguments of the commands, and runs the functions behind them."""
