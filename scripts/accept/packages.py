"""What clients are installed from, and the Pythons that they want."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# What OpenEnv's clients import; the rest of the package's requirements is for its servers.
OPENENV_LEAN = ["websockets", "pydantic", "fastapi", "fastmcp", "requests", "httpx"]
OPENREWARD = "openreward==0.1.167"
MCP = "mcp==1.27.0"
# What NeMo Gym's agent imports; the rest of the package's requirements is for its servers.
NEMO_LEAN = [
    *("openai<=2.7.2", "anthropic", "pydantic", "fastapi", "itsdangerous", "uvicorn", "hydra-core"),
    *("omegaconf", "aiohttp>=3.14.1", "orjson", "ray>=2.55.1", "requests", "pandas", "wandb"),
    *("tqdm", "rich", "devtools", "mcp<2,>=1.27", "psutil", "yappi", "gprof2dot", "pydot"),
]
NEMO = [["--no-deps", "nemo-gym==0.4.0"], NEMO_LEAN]


def openenv(version: str) -> list[list[str]]:
    return [["--no-deps", f"openenv=={version}"], OPENENV_LEAN]


def newer_python() -> str | None:
    """A Python of at least 3.12: NeMo Gym's agent needs it."""
    if sys.version_info >= (3, 12):
        return sys.executable
    pyenv = sorted(
        Path(os.environ.get("PYENV_ROOT", "~/.pyenv"))
        .expanduser()
        .glob("versions/3.1[2-9]*/bin/python")
    )
    found = [str(path) for path in pyenv] + [
        path for path in (shutil.which(f"python3.{minor}") for minor in (12, 13, 14)) if path
    ]
    for python in found:
        if subprocess.run([python, "--version"], capture_output=True).returncode == 0:
            return python
    return None
