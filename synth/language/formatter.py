"""The one canonical layout of `.chain` files (`synth fmt`)."""


def format_text(text: str, path: str) -> str:
    """Return the file in its canonical layout, comments kept.

    Raises:
        UserError: the text does not parse.
    """
    raise NotImplementedError
