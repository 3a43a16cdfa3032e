"""`synth graph`: the chain's packet-operation graph, as text or drawn."""

from pathlib import Path
from typing import Literal

import click

from synth import driver
from synth.cli.options import source_arguments
from synth.files import replace_file

Form = Literal["text", "dot", "svg", "png", "pdf"]
FORMS: tuple[Form, ...] = ("text", "dot", "svg", "png", "pdf")


@click.command()
@source_arguments
@click.option("--format", "form", type=click.Choice(FORMS), help="Default: by --output, else text.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write to a file (.svg, .png, .pdf, .dot, else text).",
)
@click.option(
    "--stage",
    type=click.Choice(["written", "synthesized"]),
    default="written",
    show_default=True,
    help="The chain as written, or what it is synthesized to: drawn, it stands beside the chain.",
)
@click.option("--whole-tables", is_flag=True, help="Print rule sets and routes whole: text that parses back.")
def graph(
    source: driver.Source, *, form: Form | None, output: Path | None, stage: str, whole_tables: bool
) -> None:
    """Print or draw the graph that a chain is lowered to.

    \b
    Examples:
      synth graph isp_chain.chain | less
      synth graph isp_chain.chain -o isp_chain.svg
      synth graph isp_chain.chain --stage synthesized -o both.svg
    """
    by_name = {f".{word}": word for word in FORMS}
    chosen: Form = form or by_name.get(output.suffix if output else "", "text")
    drawn = driver.draw(
        source, form=chosen, abbreviate=not whole_tables, is_synthesized=stage == "synthesized"
    )
    if output is None:
        click.echo(drawn, nl=False)
    else:
        replace_file(output, drawn)
