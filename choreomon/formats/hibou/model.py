"""Files of several kinds in one: a signature, a configuration and an interaction.

Until 2022 HIBOU kept all three in one `.hsf` file: sections in any order, then the interaction.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from choreomon.formats.hibou.configuration import Configuration
from choreomon.formats.hibou.configuration_reader import ConfigurationSections
from choreomon.formats.hibou.interaction import InteractionReader
from choreomon.formats.hibou.scanner import END, Cursor
from choreomon.formats.hibou.signature import Signature, SignatureSections
from choreomon.interaction.term import Interaction


class Model(NamedTuple):
    """What a file holds; None for what it does not."""

    signature: Signature | None
    configuration: Configuration | None
    interaction: Interaction | None


_INTERACTION: Final = "an interaction such as `seq(l1!m, l2?m)`; one without actions is `o`"


def read_model(text: str, signature: Signature | None = None, file: str = "model") -> Model:
    """What a text holds. The names of the interaction are those of the text's own signature,
    else of `signature`, where there is one.

    Raises DocumentError.
    """
    cursor = Cursor(text, file, _INTERACTION)
    declared, options = SignatureSections(), ConfigurationSections()
    while declared.read(cursor) or options.read(cursor):
        pass
    own = declared.signature if declared.found else None
    if cursor.word.startswith("@") and cursor.word != "@gate":
        cursor.expected(
            "`@message`, `@lifeline`, `@analyze_option`, `@explore_option`, `@canonize_option` "
            "or an interaction"
        )
    interaction = (
        None
        if cursor.word == END
        else InteractionReader(cursor, signature if own is None else own).read()
    )
    configuration = options.configuration(cursor) if options.found else None
    return Model(own, configuration, interaction)


def read_signature(text: str, file: str = "signature") -> Signature:
    """The signature of a `.hsf` text, whatever else it holds. Raises DocumentError."""
    cursor = Cursor(text, file, "`@message{..}` or `@lifeline{..}`")
    declared, options = SignatureSections(), ConfigurationSections()
    while declared.read(cursor) or options.read(cursor):
        pass
    if not declared.found or cursor.word.startswith("@"):
        cursor.expected("`@message` or `@lifeline`")
    if cursor.word != END:
        InteractionReader(cursor, declared.signature).read()
    return declared.signature


def read_interaction(
    text: str, signature: Signature | None = None, file: str = "interaction"
) -> Interaction:
    """The interaction of a `.hif` text, or of an old `.hsf` text. With a `signature`, in the text
    or given, names that it does not declare are refused, all of them at once.

    Raises DocumentError.
    """
    model = read_model(text, signature, file)
    if model.interaction is None:
        cursor = Cursor(text, file, _INTERACTION)
        while cursor.word != END:
            cursor.take()
        cursor.expected("an interaction")
    return model.interaction
