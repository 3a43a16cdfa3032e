"""`synth completion`: shell completion scripts."""

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a completion script for your shell.

    \b
    Example, in ~/.bashrc:
      eval "$(synth completion bash)"
    """
    root = context.find_root().command
    chosen = get_completion_class(shell)
    if chosen is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(chosen(root, {}, "synth", "_SYNTH_COMPLETE").source())
