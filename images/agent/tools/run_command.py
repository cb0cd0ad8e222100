#!/usr/bin/python3 -IS
"""The agent's special commands: one program, which acts by the name under which it is called."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))

from agent_tools.main import run

sys.exit(run(sys.argv[0], sys.argv[1:]))
