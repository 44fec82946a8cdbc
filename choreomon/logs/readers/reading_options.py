"""The format of a log and the options that fit it, as its reader gets them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from choreomon.logs.formats import LogFormat

if TYPE_CHECKING:
    from choreomon.logs.mappings.mapping import RecordMapping
    from choreomon.logs.mappings.mapping_document import Mapping


class ReadingOptions(NamedTuple):
    """The options for one log."""

    format: LogFormat
    mapping: Mapping | None = None
    parser: str | None = None
    delimiter: str | None = None
    session_key: str | None = None

    @property
    def records(self) -> RecordMapping | None:
        """The mapping at work on the records of the format; None without one."""
        if self.mapping is None:
            return None
        return self.mapping.records(self.format, self.session_key)
