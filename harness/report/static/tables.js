// Tables of class "sortable": headings become buttons that sort, and a field above filters the rows.
"use strict";

function value(cell) {
  if (!cell || cell.classList.contains("blank")) return null;
  return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim();
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

function sortRows(table, column, descending) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => ({ row, key: value(row.cells[column]) }));
  rows.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null); // blanks last
    return descending ? compare(b.key, a.key) : compare(a.key, b.key);
  });
  body.append(...rows.map((each) => each.row));
}

function makeSortable(table) {
  const headings = Array.from(table.tHead.rows[0].cells);
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const first = heading.classList.contains("number") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = heading.getAttribute("aria-sort") === first ? other : first;
      headings.forEach((each) => each.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", order);
      sortRows(table, column, order === "descending");
    });
  });
}

function makeFilterable(table) {
  const rows = Array.from(table.tBodies[0].rows);
  if (rows.length < 12) return;
  const label = document.createElement("label");
  const field = document.createElement("input");
  const count = document.createElement("output");
  field.type = "search";
  field.autocomplete = "off";
  field.spellcheck = false;
  label.append("Filter rows ", field);
  const form = document.createElement("div");
  form.className = "filter";
  form.append(label, count);
  table.closest(".scroll").before(form);
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${rows.length} rows`;
  };
  field.addEventListener("input", show);
  show();
}

document.querySelectorAll("table.sortable").forEach((table) => {
  makeSortable(table);
  makeFilterable(table);
});
