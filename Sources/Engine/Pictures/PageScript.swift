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
      for (const text of document.querySelectorAll("svg [data-value]")) {
        text.textContent = number.format(text.dataset.value) + (text.dataset.unit ?? "");
      }
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
      // A link leads into a section that is folded, too.
      const unfold = () => document.querySelector(":target > details")?.setAttribute("open", "");
      addEventListener("hashchange", unfold);
      unfold();
      // On paper, nothing is folded, and the figures behind a chart stand below it.
      let folds = [];
      addEventListener("beforeprint", () => {
        folds = [...document.querySelectorAll("details:not([open])")];
        for (const fold of folds) fold.open = true;
      });
      addEventListener("afterprint", () => folds.forEach((fold) => fold.removeAttribute("open")));
      const folded = (text) => String(text ?? "").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

      class SearchTable {
        constructor(element) {
          this.element = element;
          this.columns = [...element.querySelectorAll("ul li")].map((item) => ({
            name: item.textContent,
            kind: item.dataset.kind,
            isNumber: item.dataset.kind === "number",
          }));
          const width = this.columns.length;
          this.all = JSON.parse(element.querySelector("script").textContent);
          // The last values of a row may be left out.
          for (const row of this.all) while (row.length < width) row.push(null);
          const place = (kind) => this.columns.findIndex((column) => column.kind === kind);
          [this.link, this.list, this.count, this.fault] = ["link", "list", "number", "fault"].map(place);
          this.shown = this.columns.map((column, place) => place)
            .filter((place) => !["link", "list"].includes(this.columns[place].kind));
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
          this.current = 0;
          this.view.addEventListener("keydown", (event) => this.move(event));
          this.body.addEventListener("click", (event) => {
            const row = event.target.closest("button") && event.target.closest("tr");
            if (row) this.open(Number(row.getAttribute("aria-rowindex")) - 2);
          });
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
          this.keys ??= this.all.map((row) => folded(this.shown.map((place) => row[place] ?? "").join(" ")));
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
          this.current = 0;
          this.draw();
        }

        // One row at a time can be reached by Tab, so that the next Tab leaves the table; arrows go from row to row.
        move(event) {
          if (this.list < 0 || !this.rows.length || event.target.closest("thead")) return;
          const page = Math.max(1, Math.floor(this.view.clientHeight / rowHeight) - 2);
          const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
          const step = steps[event.key];
          if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
          event.preventDefault();
          this.current = Math.max(0, Math.min(this.rows.length - 1, this.current + step));
          const top = this.current * rowHeight;
          const room = this.view.clientHeight - 2 * rowHeight;
          if (top < this.view.scrollTop) this.view.scrollTop = top;
          if (top > this.view.scrollTop + room) this.view.scrollTop = top - room;
          this.draw();
          this.body.querySelector("button[tabindex='0']")?.focus({ preventScroll: true });
        }

        // All that is known of a row.
        open(place) {
          const values = this.rows[place];
          this.current = place;
          const dialog = make("dialog", undefined, this.element);
          const title = make("h3", undefined, dialog);
          make("bdi", values[0] ?? "(none)", title);
          title.id = "dialog-title";
          dialog.setAttribute("aria-labelledby", title.id);
          const close = make("button", "Close", dialog);
          close.type = "button";
          close.addEventListener("click", () => dialog.close());
          const target = values[this.link];
          if (typeof target === "string" && /^https?:\/\//i.test(target)) {
            const link = make("a", "Image", make("p", undefined, dialog));
            [link.href, link.rel, link.target] = [target, "noopener noreferrer", "_blank"];
          }
          const list = values[this.list] ?? [];
          const count = values[this.count] ?? 0;
          const items = make("ul");
          for (const text of list) make("bdi", text || "(none)", make("li", undefined, items));
          if (list.length > 0) dialog.append(items);
          const rest = list.length < count;
          if (rest) make("p", number.format(list.length) + " of " + number.format(count) + " are on this page.", dialog);
          if (this.element.dataset.command) {
            const word = "'" + String(values[0] ?? "").replaceAll("'", "'\\''") + "'";
            make("code", this.element.dataset.command + " " + word, make("p", rest ? "All of them: " : "", dialog));
          }
          dialog.addEventListener("close", () => {
            dialog.remove();
            this.draw();
            this.body.querySelector("button[tabindex='0']")?.focus({ preventScroll: true });
          });
          dialog.showModal();
        }

        draw(limit) {
          const first = limit ? 0 : Math.max(0, Math.floor(this.view.scrollTop / rowHeight) - 10);
          const last = Math.min(this.rows.length, first + (limit ?? Math.ceil(this.view.clientHeight / rowHeight) + 20));
          // What was scrolled out of sight cannot be reached by Tab; what is in sight can.
          if (!limit && (this.current < first || this.current >= last)) this.current = Math.min(first + 10, last - 1);
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
          // Rows are made again; the one that has the focus keeps it.
          const hasFocus = this.body.contains(document.activeElement);
          this.body.replaceChildren(...rows);
          if (!hasFocus) return;
          const button = this.body.querySelector("button[tabindex='0']");
          (button ?? this.view).focus({ preventScroll: true });
        }

        row(values, place) {
          const row = make("tr");
          row.setAttribute("aria-rowindex", place + 2);
          if (values[this.fault] != null) row.className = "fault";
          this.shown.forEach((column, index) => {
            const value = values[column];
            const isNumber = this.columns[column].isNumber;
            const cell = make(index === 0 ? "th" : "td", undefined, row);
            if (index === 0) cell.scope = "row";
            if (isNumber) cell.className = "number";
            const text = value === null ? "" : isNumber ? number.format(value) : String(value);
            let parent = cell;
            if (index === 0 && this.list >= 0) {
              parent = make("button", undefined, cell);
              parent.type = "button";
              parent.tabIndex = place === this.current ? 0 : -1;
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
          const places = this.columns.map((column, place) => place)
            .filter((place) => place !== this.list);
          const text = lines.map((row) => places.map((place) => quoted(row[place])).join(",") + "\r\n").join("");
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
