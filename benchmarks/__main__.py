"""All benchmarks, one after the other: `python -m benchmarks` or `make bench`. `experiments`
is none: it runs `choreomon experiment` again, for the tables and plots in `benchmarks/results`; and
`faults`, `live_soak`, `fuzz`, `mutants` and `truth`, which are half an hour and more each, have
targets of their own.

Each is a command of its own, with options, and says what it measures: `python -m
benchmarks.NAME --help`. What came out, and where, is in `benchmarks/results`.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Final

BENCHMARKS: Final = (
    "start_up",
    "simpy_baseline",
    "monitoring_overhead",
    "bounded_memory",
    "partial_order",
    "precision",
    "precision_of_rq4",
    "generated_scenarios",
    "scale",
    "multiprefix_speed",
    "long_trace",
    "long_logs",
    "deep",
    "global_traces",
    "sessions",
    "slices",
    "slices_brute_force",
    "audit_brute_force",
    "audit_speed",
    "audit_sessions",
    "procedures",
    "procedures_brute_force",
    "search_combinations",
    "satisfiability",
    "synthesis",
    "real_runs",
    "live_load",
    "embedded_cost",
    "opentelemetry_cost",
    "proxy_cost",
    "broker_cost",
    "instances",
    "cold_instances",
    "many_rules",
    "crowds",
    "clock_bytes",
    "log_reading",
    "looking",
    "beside_shiviz",
    "log_mutants",
    "audit_mutants",
    "blame",
    "layouts",
)


def main() -> int:
    """The number of benchmarks that failed."""
    failed = []
    for name in BENCHMARKS:
        print(f"== python -m benchmarks.{name}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
        print(flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
