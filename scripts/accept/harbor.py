"""Plays a rollout with OpenEnv's unmodified HarborEnv: `npm run build && npm run accept:harbor`.

Makes a virtual environment, and a home, in a temporary folder. Without a package registry it says so and exits with 0.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bench_server import ROOT, Throwaway, environment, free_port
from packages import openenv

CLIENT = Path(__file__).with_name("harbor_client.py")


def main() -> int:
    if not (ROOT / "dist/cli/main.js").exists():
        raise SystemExit("dist/ is missing: npm run build")
    with Throwaway() as place:
        python = environment(place.folder / "harbor", *openenv("0.10.0"), ["openai"])
        if python is None:
            print("SKIPPED: the client cannot be installed here; see pip's error above")
            return 0
        port = free_port()
        listed = {"BENCH_ROLLOUT_BASE_URL": f"http://127.0.0.1:{port}/v1"}
        server = place.serve("--name", "accept", "--tasks", "battleOfSexes", env=listed)
        # -P: names of files beside it are those of packages.
        command = [str(python), "-P", str(CLIENT), server.url]
        return subprocess.run(command, env={**os.environ, "ENDPOINT_PORT": str(port)}).returncode


sys.exit(main())
