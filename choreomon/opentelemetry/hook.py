"""The hook that `opentelemetry-instrument` calls, after the SDK is configured.

A service that configures the SDK itself calls `monitor()` after that.
"""

from __future__ import annotations

import os

from choreomon.core.errors import DocumentError
from choreomon.opentelemetry.installed import install
from choreomon.opentelemetry.settings import Settings, settings_of
from choreomon.opentelemetry.strange import LOGGER
from choreomon.sdk.address import given_address


def monitor() -> bool:
    """Let the instrumentations of this service tell its agent. Returns whether they do: not where
    the variable `CHOREOMON` is not set, or `off`, and not where something is wrong, which is
    logged. Raises nothing; the service runs in any case."""
    try:
        if given_address(None, os.environ) is None:
            return False
        settings = settings_of(os.environ)
        return _install(settings)
    except (ValueError, OSError, DocumentError) as error:
        LOGGER.error("nothing is monitored: %s", error)
        return False


def _install(settings: Settings) -> bool:
    # Only here, so that a service without a monitor does not pay for it.
    from opentelemetry import propagate
    from opentelemetry.propagators.composite import CompositePropagator

    from choreomon.agent_files.clocks.text import HEADER
    from choreomon.logs.mappings.mapping_document import built_in, load_mapping
    from choreomon.opentelemetry.attempts import wrap_clients
    from choreomon.opentelemetry.propagator import Propagator
    from choreomon.opentelemetry.provider import HandlingProcessor, KnowAll, provider_of_sdk
    from choreomon.opentelemetry.telling import Telling

    mapping = load_mapping(settings.mapping) if settings.mapping else built_in("opentelemetry")
    if mapping.format not in (None, "otlp"):
        raise ValueError(f"{mapping.file} is a mapping of {mapping.format}: use one of otlp")
    provider = provider_of_sdk()
    if provider is None:
        LOGGER.error(
            "nothing is monitored: OpenTelemetry's SDK makes no spans here; install "
            "opentelemetry-distro, and do not disable it"
        )
        return False
    telling = Telling(settings, mapping)
    install(telling)
    # Tracers copy the sampler when they are made: those of instrumentations are made later.
    provider.sampler = KnowAll(provider.sampler)
    provider.add_span_processor(HandlingProcessor(telling))
    wrap_clients()
    if HEADER not in propagate.get_global_textmap().fields:
        others = propagate.get_global_textmap()
        propagate.set_global_textmap(CompositePropagator([others, Propagator()]))
    return True
