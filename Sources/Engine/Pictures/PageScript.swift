extension Page {
  /// The script: numbers and dates in the reader's language, and tables to search and sort.
  ///
  /// It makes elements and sets their text; nothing of the library is ever parsed as markup.
  static let script = #"""

    "use strict";
    (() => {
      const number = new Intl.NumberFormat();
      const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
      for (const data of document.querySelectorAll("data[value]")) data.textContent = number.format(data.value);
      for (const time of document.querySelectorAll("time[datetime]")) {
        const date = new Date(time.dateTime);
        if (!isNaN(date)) time.textContent = moment.format(date);
      }

      const rowHeight = 36;
      const make = (name, text, parent) => {
        const element = document.createElement(name);
        if (text !== undefined) element.textContent = text;
        if (parent) parent.append(element);
        return element;
      };
      const folded = (text) => String(text ?? "").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

      class SearchTable {
        constructor(element) {
          this.element = element;
          this.columns = [...element.querySelectorAll("ul li")].map((item) => ({
            name: item.textContent,
            isNumber: item.dataset.number !== undefined,
          }));
          this.all = JSON.parse(element.querySelector("script").textContent);
          this.link = element.dataset.link === undefined ? -1 : Number(element.dataset.link);
          this.shown = this.columns.map((column, place) => place).filter((place) => place !== this.link);
          this.total = Number(element.dataset.total);
          this.rows = this.all;
          this.order = null;
          this.build();
          this.update();
        }

        build() {
          const bar = make("div", undefined, this.element);
          bar.className = "search-bar";
          const label = make("label", "Search " + this.element.dataset.name + " ", bar);
          this.input = make("input", undefined, label);
          this.input.type = "search";
          this.input.addEventListener("input", () => this.search());
          this.status = make("span", "", bar);
          this.status.setAttribute("role", "status");
          const save = make("button", "Save these rows as CSV", bar);
          save.type = "button";
          save.addEventListener("click", () => this.save());

          this.view = make("div", undefined, this.element);
          this.view.className = "rows";
          this.view.tabIndex = 0;
          this.view.setAttribute("role", "region");
          this.view.setAttribute("aria-label", "Table of " + this.element.dataset.name);
          const table = make("table", undefined, this.view);
          const head = make("tr", undefined, make("thead", undefined, table));
          this.heads = this.shown.map((place) => {
            const cell = make("th", undefined, head);
            cell.scope = "col";
            if (this.columns[place].isNumber) cell.className = "number";
            const button = make("button", this.columns[place].name, cell);
            button.type = "button";
            button.addEventListener("click", () => this.sort(place));
            return cell;
          });
          this.table = table;
          this.body = make("tbody", undefined, table);
          let isWaiting = false;
          this.view.addEventListener("scroll", () => {
            if (isWaiting) return;
            isWaiting = true;
            requestAnimationFrame(() => {
              isWaiting = false;
              this.draw();
            });
          });
          // On paper, there is nothing to scroll.
          addEventListener("beforeprint", () => this.draw(200));
          addEventListener("afterprint", () => this.draw());
        }

        search() {
          const words = folded(this.input.value).split(/\s+/).filter(Boolean);
          this.keys ??= this.all.map((row) => folded(row.filter((value) => value !== null).join(" ")));
          this.rows = words.length === 0 ? this.all
            : this.all.filter((row, place) => words.every((word) => this.keys[place].includes(word)));
          this.update();
        }

        sort(place) {
          const isRising = this.order?.place === place ? !this.order.isRising : !this.columns[place].isNumber;
          this.order = { place, isRising };
          const collator = new Intl.Collator(undefined, { numeric: true });
          const sign = isRising ? 1 : -1;
          const compare = this.columns[place].isNumber
            ? (one, other) => one[place] - other[place]
            : (one, other) => collator.compare(one[place] ?? "", other[place] ?? "");
          this.all = this.all.slice().sort((one, other) => {
            // Rows without a value come last, whatever the order is.
            const isEmpty = (one[place] === null) - (other[place] === null);
            return isEmpty || sign * compare(one, other);
          });
          this.keys = undefined;
          this.search();
        }

        update() {
          const of = this.rows.length === this.total ? "" : " of " + number.format(this.total);
          this.status.textContent = number.format(this.rows.length) + of;
          this.table.setAttribute("aria-rowcount", this.rows.length + 1);
          this.heads.forEach((cell, index) => {
            const isSorted = this.order?.place === this.shown[index];
            if (isSorted) cell.setAttribute("aria-sort", this.order.isRising ? "ascending" : "descending");
            else cell.removeAttribute("aria-sort");
          });
          this.view.scrollTop = 0;
          this.draw();
        }

        draw(limit) {
          const first = limit ? 0 : Math.max(0, Math.floor(this.view.scrollTop / rowHeight) - 10);
          const last = Math.min(this.rows.length, first + (limit ?? Math.ceil(this.view.clientHeight / rowHeight) + 20));
          const rows = [];
          const space = (count) => {
            const row = make("tr");
            row.className = "space";
            row.setAttribute("aria-hidden", "true");
            const cell = make("td", undefined, row);
            cell.colSpan = this.shown.length;
            cell.style.height = count * rowHeight + "px";
            return row;
          };
          if (first > 0 && !limit) rows.push(space(first));
          for (let place = first; place < last; place += 1) rows.push(this.row(this.rows[place], place));
          if (last < this.rows.length && !limit) rows.push(space(this.rows.length - last));
          this.body.replaceChildren(...rows);
        }

        row(values, place) {
          const row = make("tr");
          row.setAttribute("aria-rowindex", place + 2);
          this.shown.forEach((column, index) => {
            const value = values[column];
            const isNumber = this.columns[column].isNumber;
            const cell = make(index === 0 ? "th" : "td", undefined, row);
            if (index === 0) cell.scope = "row";
            if (isNumber) cell.className = "number";
            const text = value === null ? "" : isNumber ? number.format(value) : String(value);
            const target = index === 0 && this.link >= 0 ? values[this.link] : null;
            let parent = cell;
            if (typeof target === "string" && /^https?:\/\//i.test(target)) {
              parent = make("a", undefined, cell);
              parent.href = target;
              parent.rel = "noopener noreferrer";
              parent.target = "_blank";
            }
            make("bdi", text === "" && index === 0 ? "(none)" : text, parent);
            if (text.length > 30) cell.title = text;
          });
          return row;
        }

        save() {
          const quoted = (value) => {
            const text = value === null ? "" : String(value);
            // What begins like a formula is not one in a spreadsheet.
            const safe = /^[=+\-@\t\r]/.test(text) && typeof value !== "number" ? "'" + text : text;
            return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
          };
          const lines = [this.columns.map((column) => column.name), ...this.rows];
          const text = lines.map((row) => row.map(quoted).join(",") + "\r\n").join("");
          const link = make("a");
          link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
          link.download = this.element.dataset.name + ".csv";
          link.click();
          setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        }
      }

      for (const element of document.querySelectorAll(".search")) new SearchTable(element);
    })();

    """#
}
