"""Common ground of all commands: options, screens, signals, files to write. Single commands are in
the other folders."""
