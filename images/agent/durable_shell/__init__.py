"""One bash per command, with carried state: see docs/concepts/sandbox.md."""
