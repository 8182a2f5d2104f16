internal import DataModel
internal import Foundation
package import TerminalOutput

/// A page that needs nothing but itself: no request goes anywhere, and no script but its own can run.
package struct Page: Sendable {
  /// A part of the page, to which its contents lead.
  package struct Section: Sendable {
    package let id: StaticString
    package let title: String
    package let body: HTML

    package init(_ id: StaticString, _ title: String, _ body: HTML) {
      (self.id, self.title, self.body) = (id, title, body)
    }
  }

  private let title: String
  private let subtitle: HTML
  private let sections: [Section]
  private let footer: HTML

  package init(_ title: String, subtitle: HTML, _ sections: [Section], footer: HTML) {
    (self.title, self.subtitle, self.sections, self.footer) = (title, subtitle, sections, footer)
  }

  /// The page.
  package var html: HTML {
    let contents = sections.map { section -> HTML in
      "<li><a href=\"#\(HTML(trusted: "\(section.id)"))\">\(section.title)</a></li>\n"
    }
    let bodies = sections.map { section -> HTML in
      let id = HTML(trusted: "\(section.id)")
      return """
        <section id="\(id)" aria-labelledby="\(id)-title"><h2 id="\(id)-title">\(section.title)</h2>
        \(section.body)
        </section>

        """
    }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <style>\(HTML(trusted: Self.style))</style>
      </head>
      <body>
      <a class="skip" href="#main">Skip to the report</a>
      <header><h1>\(title)</h1>
      <p>\(subtitle)</p></header>
      <nav aria-label="Contents"><ol>
      \(contents)</ol></nav>
      <main id="main" tabindex="-1">
      \(bodies)</main>
      <footer><p>\(footer)</p></footer>
      <script>\(HTML(trusted: Self.script))</script>
      </body>
      </html>

      """
  }

  /// Figures side by side, each with what it was before, if that is known.
  package static func cards(_ figures: [(name: String, value: HTML, before: HTML?)]) -> HTML {
    let cards = figures.map { figure -> HTML in
      let before: HTML = figure.before.map { "<dd class=\"before\">before: \($0)</dd>" } ?? ""
      return "<div><dt>\(figure.name)</dt><dd>\(figure.value)</dd>\(before)</div>\n"
    }
    return "<dl class=\"cards\">\(cards)</dl>"
  }

  /// A large table of which only the visible rows are elements, with a search and columns that sort.
  ///
  /// - Parameters:
  ///   - columns: The names; those of numbers sort as numbers.
  ///   - rows: The values, in the order of the columns.
  ///   - links: The column whose value is an address to which that of the first column leads.
  ///   - total: The number of rows that there are; the table may have fewer.
  package static func search(
    _ name: String, columns: [(name: String, isNumber: Bool)], rows: [[FieldValue]], links: Int? = nil, total: Int,
    more: HTML
  ) -> HTML {
    var json: [UInt8] = []
    for row in rows {
      json += json.isEmpty ? Array("[".utf8) : Array(",\n".utf8)
      json += Array("[".utf8)
      for (place, value) in row.enumerated() {
        if place > 0 { json.append(UInt8(ascii: ",")) }
        JSONText.append(value, to: &json)
      }
      json.append(UInt8(ascii: "]"))
    }
    json += rows.isEmpty ? Array("[]".utf8) : Array("]".utf8)
    // Only "<" could end the element or begin a comment in it; in a JSON text it is inside of strings only.
    let data = String(decoding: json, as: UTF8.self).replacing("<", with: "\\u003c")
    let heads = columns.map { column -> HTML in
      column.isNumber ? "<li data-number>\(column.name)</li>" : "<li>\(column.name)</li>"
    }
    let link: HTML = links.map { " data-link=\"\($0)\"" } ?? ""
    return """
      <div class="search" data-name="\(name)" data-total="\(total)"\(link)>
      <ul hidden>\(heads)</ul>
      <script type="application/json">\(HTML(trusted: data))</script>
      <noscript><p>This table needs JavaScript, which is part of this file.</p></noscript>
      </div>
      <p class="note">\(more)</p>
      """
  }

  /// The browser's permissions: apply this style sheet and run this script, and nothing else.
  private static var policy: String {
    func hash(_ text: String) -> String { "'sha256-\(Data(Digest.sha256(Array(text.utf8))).base64EncodedString())'" }
    return """
      default-src 'none'; style-src \(hash(style)); script-src \(hash(script)); base-uri 'none'; form-action 'none'
      """
  }
}
