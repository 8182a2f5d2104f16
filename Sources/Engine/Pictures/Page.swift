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

  /// Something to know or to do, and the command that shows more of it.
  package struct Finding: Sendable {
    package let text: HTML
    /// The section that has more; `nil` if none has.
    package let section: StaticString?
    package let command: String?

    package init(_ text: HTML, in section: StaticString? = nil, command: String? = nil) {
      (self.text, self.section, self.command) = (text, section, command)
    }
  }

  private let title: String
  private let subtitle: HTML
  /// The outcome in a sentence.
  private let verdict: HTML
  private let findings: [Finding]
  private let sections: [Section]

  package init(
    _ title: String, subtitle: HTML, verdict: HTML, findings: [Finding] = [], _ sections: [Section]
  ) {
    (self.title, self.subtitle, self.verdict) = (title, subtitle, verdict)
    (self.findings, self.sections) = (findings, sections)
  }

  /// The page.
  package var html: HTML {
    let contents = sections.map { section -> HTML in
      "<li><a href=\"#\(HTML(trusted: "\(section.id)"))\">\(section.title)</a></li>\n"
    }
    let bodies = sections.map { section -> HTML in
      let id = HTML(trusted: "\(section.id)")
      return """
        <section id="\(id)" aria-labelledby="\(id)-title"><details open><summary><h2 id="\(id)-title">\(section.title)</h2></summary>
        \(section.body)
        </details></section>

        """
    }
    let list: HTML = findings.isEmpty ? "" : "<ul class=\"findings\">\(findings.map(Self.item))</ul>"
    let navigation: HTML =
      sections.isEmpty ? "" : "<nav aria-label=\"Contents\"><ol>\n\(contents)</ol></nav>"
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
      \(navigation)
      <main id="main" tabindex="-1">
      <p class="verdict">\(verdict)</p>
      \(list)
      \(bodies)</main>
      <footer><p>This page holds all that it shows, and loads nothing.</p></footer>
      <script>\(HTML(trusted: Self.script))</script>
      </body>
      </html>

      """
  }

  private static func item(_ finding: Finding) -> HTML {
    let text: HTML =
      finding.section.map { "<a href=\"#\(HTML(trusted: "\($0)"))\">\(finding.text)</a>" } ?? finding.text
    // A line ends between words: behind the hyphens of an option, it would be another command.
    let command: HTML =
      finding.command.map { command in
        let words = command.split(separator: " ", omittingEmptySubsequences: false).enumerated()
          .map { place, word -> HTML in "\(place == 0 ? "" : " ")<span>\(String(word))</span>" }
        return ": <code class=\"command\">\(words)</code>"
      } ?? ""
    return "<li>\(text)\(command)</li>\n"
  }

  /// Figures side by side, each with what it was before, if that is known.
  package static func cards(_ figures: [(name: String, value: HTML, before: HTML?)]) -> HTML {
    let cards = figures.map { figure -> HTML in
      let before: HTML = figure.before.map { "<dd class=\"before\">before: \($0)</dd>" } ?? ""
      return "<div><dt>\(figure.name)</dt><dd>\(figure.value)</dd>\(before)</div>\n"
    }
    return "<dl class=\"cards\">\(cards)</dl>"
  }

  /// A column of a large table.
  package struct Column: Sendable {
    package enum Kind: String, Sendable {
      case text
      case number
      /// The reason for which a row is marked, if it has any.
      case fault
      /// An address to which the details of a row lead.
      case link
      /// The list of a row's details: some of those that the first column with a number counts.
      case list
    }

    package let name: String
    package let kind: Kind

    package init(_ name: String, _ kind: Kind = .text) { (self.name, self.kind) = (name, kind) }
  }

  /// A large table of which only the visible rows are elements, with a search and columns that sort.
  ///
  /// - Parameters:
  ///   - rows: The values, in the order of the columns; the last ones of a row may be missing.
  ///   - total: The number of rows that there are; the table may have fewer.
  ///   - command: Shows all details of a row, whose name in the first column follows it; `nil` if no command does.
  package static func search(
    _ name: String, columns: [Column], rows: [[FieldValue]], total: Int, command: String? = nil, more: HTML
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
    let heads = columns.map { column -> HTML in "<li data-kind=\"\(column.kind.rawValue)\">\(column.name)</li>" }
    let details: HTML = command.map { " data-command=\"\($0)\"" } ?? ""
    return """
      <div class="search" data-name="\(name)" data-total="\(total)"\(details)>
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
