"""How the documentation is built: `sphinx-build -W -b html docs build/docs` (tests/test_docs.py does it)."""

import pretreat

project = "pretreat"
author = "The pretreat authors"
copyright = "2026, The pretreat authors"  # noqa: A001 - Sphinx asks for this name
release = pretreat.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
exclude_patterns = ["decisions/template.md"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "deflist"]
autosummary_generate = False
autodoc_typehints = "none"
numpydoc_show_class_members = False
html_theme = "furo"
html_title = f"pretreat {release}"
