"""How Sphinx makes the site of these pages: `make docs`.

The source is the whole checkout, so that links between pages are the same here as in the files.
"""

from __future__ import annotations

from importlib.metadata import version as installed

project = "choreomon"
version = release = installed("choreomon")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]

root_doc = "docs/site/index"
include_patterns = ["*.md", "docs/**", "clients/*/README.md", "benchmarks/results/**"]
source_suffix = {".md": "markdown"}

myst_heading_anchors = 5
suppress_warnings = [
    "misc.highlighting_failure",  # languages of our own: hibou, timbuk
    "myst.header",  # tables as commands print them
]
default_role = "code"

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": False}

html_theme = "furo"
html_title = "choreomon: forbidden message sequences"
html_show_copyright = False
html_copy_source = False
html_extra_path = ["root"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
