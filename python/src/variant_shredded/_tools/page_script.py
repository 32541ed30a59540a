"""Holds the script with which the page of `inspect` folds, sorts and filters its rows."""

from __future__ import annotations

SCRIPT = """
for (const table of document.querySelectorAll("table.paths")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const filter = table.closest("section").querySelector("input");
  const folded = new Set();
  let sorted = null;
  const depth = row => Number(row.dataset.depth);
  const hasChildren = i => i + 1 < rows.length && depth(rows[i + 1]) > depth(rows[i]);
  const show = () => {
    const text = filter.value.trim().toLowerCase();
    const flat = text !== "" || sorted !== null;
    table.classList.toggle("flat", flat);
    let closed = Infinity;
    rows.forEach((row, i) => {
      let hidden;
      if (flat) {
        hidden = !row.dataset.path.toLowerCase().includes(text);
      } else {
        if (depth(row) <= closed) closed = Infinity;
        hidden = closed !== Infinity;
        if (!hidden && folded.has(i)) closed = depth(row);
      }
      row.hidden = hidden;
      const fold = row.querySelector("button.fold");
      if (fold) fold.setAttribute("aria-expanded", String(!folded.has(i)));
    });
    const order = rows.map((row, i) => i);
    if (sorted !== null) {
      const text = sorted.name === "path";
      const key = row => text ? row.dataset.path : Number(row.dataset[sorted.name]);
      order.sort((a, b) => {
        const [x, y] = [key(rows[a]), key(rows[b])];
        return (x < y ? -1 : x > y ? 1 : a - b) * sorted.sign;
      });
    }
    body.append(...order.map(i => rows[i]));
    for (const head of table.querySelectorAll("th[data-sort]")) {
      const on = sorted !== null && sorted.name === head.dataset.sort;
      head.setAttribute("aria-sort", !on ? "none" : sorted.sign > 0 ? "ascending" : "descending");
    }
  };
  rows.forEach((row, i) => {
    const fold = row.querySelector("button.fold");
    if (!fold) return;
    if (!hasChildren(i)) return fold.remove();
    if (rows.length > 60 && depth(row) >= 1) folded.add(i);
    fold.addEventListener("click", () => {
      folded.has(i) ? folded.delete(i) : folded.add(i);
      show();
    });
  });
  for (const head of table.querySelectorAll("th[data-sort]")) {
    head.querySelector("button").addEventListener("click", () => {
      const name = head.dataset.sort;
      const first = name === "path" ? 1 : -1;
      if (sorted === null || sorted.name !== name) sorted = { name, sign: first };
      else if (sorted.sign === first) sorted = { name, sign: -first };
      else sorted = null;
      show();
    });
  }
  filter.addEventListener("input", show);
  show();
}
"""
