"""HIBOU's files: signatures, interactions, multi-traces and configurations.

HIBOU is the tool behind the papers on interactions. Its files are read as they are found in the
wild (the slices paper, section 7; older files as well), and written so that it can read them too.
Bad input leaves this package as `choreomon.core.errors.DocumentError` alone.

    scanner            words, comments, errors with lines
    signature          .hsf
    interaction        .hif
    model              .hsf with all of them in one
    multitrace         .htf in its usual form, quickly
    multitrace_pieces  .htf of any form and length
    configuration      what a .hcf says, as values
    configuration_reader, logger_reader, configuration_writer
    option_sections    the form of a .hcf, without its meaning
    files              any of them, and JSON, by the path of a file
"""

from choreomon.formats.hibou.configuration import (
    AnalyzeOptions,
    CanonizeOptions,
    Configuration,
    ExploreOptions,
)
from choreomon.formats.hibou.configuration_reader import read_configuration
from choreomon.formats.hibou.configuration_writer import write_configuration
from choreomon.formats.hibou.files import (
    load_configuration,
    load_interaction,
    load_multi_trace,
    load_signature,
)
from choreomon.formats.hibou.interaction import write_interaction
from choreomon.formats.hibou.model import Model, read_interaction, read_model, read_signature
from choreomon.formats.hibou.multitrace import (
    MultiTraceReader,
    read_multi_trace,
    write_multi_trace,
)
from choreomon.formats.hibou.signature import Signature, write_signature

__all__ = [
    "AnalyzeOptions",
    "CanonizeOptions",
    "Configuration",
    "ExploreOptions",
    "Model",
    "MultiTraceReader",
    "Signature",
    "load_configuration",
    "load_interaction",
    "load_multi_trace",
    "load_signature",
    "read_configuration",
    "read_interaction",
    "read_model",
    "read_multi_trace",
    "read_signature",
    "write_configuration",
    "write_interaction",
    "write_multi_trace",
    "write_signature",
]
