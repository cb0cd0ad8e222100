"""The agent's special commands. `run_command.py` beside this package is the program that runs them."""
