"""Memory that this process uses."""

from __future__ import annotations

import os
import sys


def resident_bytes() -> int:
    """Bytes in memory now; where the system does not tell, the most that there ever were, and
    0 where it tells nothing."""
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
