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
