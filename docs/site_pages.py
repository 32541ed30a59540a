"""Pages of the site that lie beside `docs` in the repository, for `make docs`."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
#: The list of pages, by its name in `docs` and by its name in the site: there, `index.html` is
#: the page of `README.md`.
LIST, LIST_IN_SITE = "index.md", "pages.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, of which the first is the start of the site, and the list of pages."""
    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    text = (ROOT / "docs" / LIST).read_text(encoding="utf-8")
    files.append(File.generated(config, LIST_IN_SITE, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links point to where pages are in the site."""
    for name in PAGES:
        markdown = markdown.replace(f"](../{name}", f"]({name}")
    markdown = markdown.replace(f"](docs/{LIST})", f"]({LIST_IN_SITE})")
    return re.sub(r"\]\(docs/", "](", markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mark tables of options, which ``site.css`` shows in another way on narrow screens."""
    table = r"<table>\s*<thead>\s*<tr>\s*<th>option</th>.*?</table>"
    return re.sub(table, r'<div class="options">\g<0></div>', html, flags=re.DOTALL)
