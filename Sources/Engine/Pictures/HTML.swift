internal import TerminalOutput

/// Markup of a page.
///
/// The text of a literal is markup; what is interpolated is text and is escaped, unless it is markup itself. So
/// nothing that a library holds can become an element, an attribute or a script:
///
/// ```swift
/// let name = "<b>"
/// let cell: HTML = "<td>\(name)</td>"  // <td>&lt;b&gt;</td>
/// ```
package struct HTML: Sendable, ExpressibleByStringInterpolation {
  /// The markup as text.
  package private(set) var text: String

  package init(stringLiteral text: String) { self.text = text }
  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Markup that this module has made, such as a style sheet.
  init(trusted text: String) { self.text = text }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

    package mutating func appendLiteral(_ literal: String) { text += literal }
    package mutating func appendInterpolation(_ markup: HTML) { text += markup.text }
    package mutating func appendInterpolation(_ markups: [HTML]) { markups.forEach { text += $0.text } }
    package mutating func appendInterpolation(_ text: String) { self.text += HTML.escaped(text) }
    package mutating func appendInterpolation(_ number: Int) { text += "\(number)" }

    /// A number of a drawing, to a tenth of a unit.
    package mutating func appendInterpolation(_ number: Double) {
      let tenths = number.isFinite ? (number * 10).rounded() : 0
      text += "\(tenths / 10)"
    }
  }

  package static func + (left: HTML, right: HTML) -> HTML { HTML(trusted: left.text + right.text) }

  /// A text in which no character means anything to a browser.
  ///
  /// NUL and other control characters, which HTML does not allow, are shown as what they are.
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || [0x22, 0x26, 0x27, 0x3C, 0x3E, 0x7F, 0xC2, 0xE2].contains($0) })
    else {
      return text
    }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\t": escaped.unicodeScalars.append(scalar)
      case "\n": escaped += "&#10;"
      case "\u{0}"..."\u{1F}": escaped.unicodeScalars.append(Unicode.Scalar(scalar.value + 0x2400) ?? "\u{FFFD}")
      case "\u{7F}"..."\u{9F}": escaped.unicodeScalars.append("\u{FFFD}")
      // Text of one line and one direction in the source, too: drawings go to terminals and logs.
      case _ where scalar.steersTerminals: escaped += "&#\(scalar.value);"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A name or another text of the library, whose direction cannot disturb the text around it.
  package static func name(_ text: String) -> HTML { "<bdi>\(text)</bdi>" }

  /// A number, which the page writes as the reader's language does.
  package static func number(_ number: Int) -> HTML {
    "<data value=\"\(number)\">\(NumberFormat.grouped(number))</data>"
  }

  /// A size, such as 1.2 MB.
  package static func size(_ byteCount: Int64) -> HTML {
    let units = ["bytes", "kB", "MB", "GB", "TB"]
    var (value, unit) = (Double(byteCount), 0)
    while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    let rounded = unit == 0 || value >= 100 ? value.rounded() : (value * 10).rounded() / 10
    return "<span class=\"figure\">\(measure(rounded)) \(units[unit])</span>"
  }

  /// A time, such as 12.3 s or 1 h 48 min.
  package static func duration(_ seconds: Double) -> HTML {
    guard seconds.isFinite, seconds < 60 else {
      return "<span class=\"figure\">\(NumberFormat.duration(.seconds(seconds > 0 ? min(seconds, 1e12) : 0)))</span>"
    }
    let rounded = seconds < 10 ? (seconds * 1000).rounded() / 1000 : (seconds * 10).rounded() / 10
    return "<span class=\"figure\">\(measure(rounded)) s</span>"
  }

  /// A measurement, which the page writes as the reader's language does.
  private static func measure(_ value: Double) -> HTML {
    let text = value == value.rounded() ? "\(Int(picturing: value))" : String(value)
    return "<data value=\"\(text)\">\(text)</data>"
  }

  /// A moment, which the page writes as the reader's language does.
  package static func moment(_ iso8601: String) -> HTML { "<time datetime=\"\(iso8601)\">\(iso8601)</time>" }

  /// A link to somewhere on the web; any other address is only text.
  package static func link(_ address: String, _ text: HTML) -> HTML {
    guard ["https://", "http://"].contains(where: address.lowercased().hasPrefix) else { return text }
    return "<a href=\"\(address)\" rel=\"noopener noreferrer\" target=\"_blank\">\(text)</a>"
  }

  /// A table whose first column names the row.
  package static func table(_ columns: [String], _ rows: [[HTML]], caption: String, isNumeric: Set<Int> = []) -> HTML {
    let head = columns.enumerated().map { place, name -> HTML in
      isNumeric.contains(place) ? "<th scope=\"col\" class=\"number\">\(name)</th>" : "<th scope=\"col\">\(name)</th>"
    }
    let body = rows.map { row -> HTML in
      let cells = row.enumerated().map { place, cell -> HTML in
        if place == 0 { return "<th scope=\"row\">\(cell)</th>" }
        return isNumeric.contains(place) ? "<td class=\"number\">\(cell)</td>" : "<td>\(cell)</td>"
      }
      return "<tr>\(cells)</tr>\n"
    }
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="\(caption)"><table><caption>\(caption)</caption>
      <thead><tr>\(head)</tr></thead><tbody>
      \(body)</tbody></table></div>
      """
  }
}

extension Int {
  /// The nearest whole number that a page shows for a measurement, which a file may claim to be any number.
  package init(picturing value: Double) {
    self = Int((value.isNaN ? 0 : Swift.min(Swift.max(0, value), 1e15)).rounded())
  }
}
