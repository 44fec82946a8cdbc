"""Values to pictures, text and pages. Pure: nothing here opens a file or a screen."""
