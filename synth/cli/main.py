"""The entry point of the `synth` command. Loading takes a while, and can be interrupted too."""

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from synth.cli.commands import cli  # noqa: PLC0415 - inside, so that an interrupt here is caught
        from synth.cli.exits import guarded  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    sys.exit(guarded(lambda: cli.main(standalone_mode=False)))
