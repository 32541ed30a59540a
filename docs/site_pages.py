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
#: The license, by its name in the repository and by its name in the site, which browsers show.
LICENSE, LICENSE_IN_SITE = "LICENSE", "LICENSE.txt"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, of which the first is the start of the site, the list, and the license."""
    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=text))
    text = (ROOT / "docs" / LIST).read_text(encoding="utf-8")
    files.append(File.generated(config, LIST_IN_SITE, content=text))
    text = (ROOT / LICENSE).read_text(encoding="utf-8")
    files.append(File.generated(config, LICENSE_IN_SITE, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links point to where pages are in the site."""
    for name in PAGES:
        markdown = markdown.replace(f"](../{name}", f"]({name}")
    markdown = markdown.replace(f"](docs/{LIST})", f"]({LIST_IN_SITE})")
    markdown = markdown.replace(f"]({LICENSE})", f"]({LICENSE_IN_SITE})")
    return re.sub(r"\]\(docs/", "](", markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Say where lines may break, and mark tables of options, which ``site.css`` knows."""
    parts = re.split(r"(<pre.*?</pre>)", html, flags=re.DOTALL)
    html = "".join(part if part.startswith("<pre") else with_breaks(part) for part in parts)
    table = r"<table>\s*<thead>\s*<tr>\s*<th>option</th>.*?</table>"
    return re.sub(table, r'<div class="options">\g<0></div>', html, flags=re.DOTALL)


def with_breaks(html: str) -> str:
    """Let long names break after dots, and no line break between a number and its percent sign."""

    def broken(name: re.Match[str]) -> str:
        return re.sub(r"(?<=\w)[.=/](?=[A-Za-z])", r"\g<0><wbr>", name[0])

    def cell(found: re.Match[str]) -> str:
        return re.sub(r"[^\s<>]{25,}", broken, found[0])

    html = re.sub(r"<code>[^<]+</code>|<td>spark\.[^<]+</td>", cell, html)
    return re.sub(r"(?<=\d) %", "&nbsp;%", html)
