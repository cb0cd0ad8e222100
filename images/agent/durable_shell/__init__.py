"""One bash per command, with carried state: see docs/sandbox.md."""
