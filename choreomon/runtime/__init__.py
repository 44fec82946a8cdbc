"""Agents: monitors beside running services. Sockets, disks, clocks and loops live here."""
