"""The monitor of a property for each instance: one process, one clock, any number of instances, of
which each is stepped by the monitor that knows of none (`choreomon.monitor.pull`). What an instance
is, and what a property for each means: `choreomon.properties.instances`.
"""
