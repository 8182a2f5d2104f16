// How a text from a file or a command line is written where its characters would mean something. Each place has one rule,
// here or where the whole format is: `visible` for terminals and lines (VisibleText), CSVWriter, JSONObject, `HTML` for
// pages and drawings, `Diagram` for Mermaid and Graphviz, `XMLEscaping` for XML.

extension String {
  /// The text in Markdown, in one line in which no character has a meaning, be it of Markdown, of HTML or of a table.
  package var markdown: String {
    var escaped = ""
    for scalar in visible.unicodeScalars {
      switch scalar {
      case "\\", "`", "*", "_", "[", "]", "|", "#", "~", "!", "@": escaped += "\\"
      case "&", "<", ">":
        escaped += scalar == "&" ? "&amp;" : scalar == "<" ? "&lt;" : "&gt;"
        continue
      default: break
      }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }
}

/// A workflow command of GitHub, which its log shows beside a file.
package struct WorkflowCommand {
  /// The command: `error`, `warning` or `notice`.
  private let name: String
  private let properties: [(name: String, value: String)]
  private let message: String

  /// Makes a command.
  package init(_ name: String, properties: [(name: String, value: String)], message: String) {
    (self.name, self.properties, self.message) = (name, properties, message)
  }

  /// The line of the log.
  package var line: String {
    let list = properties.map { "\($0.name)=\(Self.escaped($0.value, "%,:"))" }.joined(separator: ",")
    return "::\(name) \(list)::\(Self.escaped(message, "%"))"
  }

  private static func escaped(_ text: String, _ special: String) -> String {
    String(
      text.visible.map { character in
        special.contains(character)
          ? character.utf8.map { "%\(String($0, radix: 16, uppercase: true))" }.joined() : String(character)
      }.joined())
  }
}
