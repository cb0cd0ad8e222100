"""The agent's special commands. `command.py` beside this package is the program that runs them."""
