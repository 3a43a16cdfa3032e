"""Arguments that several commands share."""

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from synth.driver import Source

Command = TypeVar("Command", bound=Callable[..., Any])


def source_arguments(command: Command) -> Command:
    """Add FILE, --chain, --config and --set; the command gets them as one `source` argument.

    The decorated function takes `source: Source` in the place of the four.
    """

    @wraps(command)
    def with_source(
        file: Path, chain: str | None, config: Path | None, overrides: tuple[str, ...], **rest: object
    ) -> object:
        return command(source=Source(path=file, chain=chain, config=config, overrides=overrides), **rest)

    wrapped: Any = with_source
    for decorate in reversed(
        (
            click.argument("file", type=click.Path(path_type=Path)),
            click.option("--chain", metavar="NAME", help="The chain to take, when FILE holds several."),
            click.option(
                "--config", type=click.Path(path_type=Path), metavar="YAML",
                help="Parameters from a YAML file.",
            ),
            click.option(
                "--set", "overrides", multiple=True, metavar="KEY=VALUE",
                help="One parameter, as nat.public=203.0.113.1. Repeatable; wins over --config.",
            ),
        )
    ):  # fmt: skip
        wrapped = decorate(wrapped)
    result: Command = wrapped
    return result


def switch_option(command: Command) -> Command:
    """Add --switch."""
    return click.option(
        "--switch", metavar="NAME|FILE", required=True,
        help="The switch: ovs, or a YAML file that describes one.",
    )(command)  # fmt: skip


class InterfaceFile(click.ParamType[tuple[str, Path]]):
    """`INTERFACE=FILE`."""

    name = "interface=file"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Path]:
        """Split at the first `=`; both parts must be there."""
        name, equals, path = str(value).partition("=")
        if not (name and equals and path):
            self.fail(f"{value!r} is not INTERFACE=FILE, as in lan=lan.pcap", param, ctx)
        return name, Path(path)


def by_interface(
    context: click.Context, option: click.Parameter, inputs: tuple[tuple[str, Path], ...]
) -> Mapping[str, Path]:
    """Return a repeated option's captures by interface: each interface has one."""
    captures: dict[str, Path] = {}
    for name, path in inputs:
        if name in captures:
            raise click.BadParameter(
                f"interface {name} has two captures, {captures[name]} and {path}: merge them (mergecap)",
                context,
                option,
            )
        captures[name] = path
    return captures


def json_option(command: Command) -> Command:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for scripts.")(
        command
    )


def cores_options(command: Command) -> Command:
    """Add --nic and --cores."""
    nic = click.option(
        "--nic", metavar="NAME|FILE", default="software", show_default=True,
        help="The NICs: e810, x710, ixgbe, mlx5, virtio, software, or a YAML file that describes one.",
    )  # fmt: skip
    cores = click.option(
        "--cores", type=click.IntRange(1, 256), default=4, show_default=True, help="How many cores."
    )
    return nic(cores(command))
