"""Memory of this process, as the files of `/proc` tell it, or else the system's peak."""

from __future__ import annotations

import os
import sys


def resident_bytes() -> int:
    """Bytes in memory now; if the system does not tell, the most that there ever were, and 0 if it
    tells nothing."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
