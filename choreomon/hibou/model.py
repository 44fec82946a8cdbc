"""Files of several kinds in one: a signature, a configuration and an interaction.

Until 2022 HIBOU kept all three in one `.hsf` file: sections in any order, then the interaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from choreomon.hibou.interaction import InteractionReader
from choreomon.hibou.scanner import END, Cursor
from choreomon.hibou.signature import Signature, SignatureSections
from choreomon.interaction.term import Interaction

if TYPE_CHECKING:
    from choreomon.hibou.configuration import Configuration
    from choreomon.hibou.configuration_reader import ConfigurationSections


class Model(NamedTuple):
    """The parts of a file; None for those that it does not have."""

    signature: Signature | None
    configuration: Configuration | None
    interaction: Interaction | None


_INTERACTION: Final = "an interaction such as `seq(l1!m, l2?m)`; one without actions is `o`"


class _Sections:
    """The sections in front of an interaction: a signature's, and a configuration's, of which the
    reader is imported for the first one, as most files have none."""

    def __init__(self) -> None:
        self.declared = SignatureSections()
        self._options: ConfigurationSections | None = None

    def read(self, cursor: Cursor) -> bool:
        """Passes one section, if the next is one; whether it was. Raises DocumentError."""
        if self.declared.read(cursor):
            return True
        if not cursor.word.startswith("@"):
            return False
        if self._options is None:
            from choreomon.hibou.configuration_reader import ConfigurationSections

            self._options = ConfigurationSections()
        return self._options.read(cursor)

    def configuration(self, cursor: Cursor) -> Configuration | None:
        """The configuration, if there is one. Raises DocumentError."""
        if self._options is None or not self._options.found:
            return None
        return self._options.configuration(cursor)


def read_model(text: str, signature: Signature | None = None, file: str = "model") -> Model:
    """Read a text. The names of the interaction are those of the text's own signature, else of
    `signature`, where there is one.

    Raises DocumentError.
    """
    cursor = Cursor(text, file, _INTERACTION)
    sections = _Sections()
    while sections.read(cursor):
        pass
    declared = sections.declared
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
    return Model(own, sections.configuration(cursor), interaction)


def read_signature(text: str, file: str = "signature") -> Signature:
    """The signature of a `.hsf` text, whatever else it holds. Raises DocumentError."""
    cursor = Cursor(text, file, "`@message{..}` or `@lifeline{..}`")
    sections = _Sections()
    while sections.read(cursor):
        pass
    declared = sections.declared
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
