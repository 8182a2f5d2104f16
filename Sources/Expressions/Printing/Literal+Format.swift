extension Literal {
  /// The literal as the format language writes it.
  var format: String {
    switch self {
    case .null: "nil"
    case .boolean(let value): value ? "YES" : "NO"
    case .integer(let value): String(value)
    // There is no literal for infinity: it can only be made in code, and is still readable then.
    case .real(let value): value.isFinite ? String(value) : "CAST(\"\(value)\", \"NSNumber\")"
    case .string(let value): Self.quoted(value)
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\0"..<" ", "\u{7F}"..<"\u{A0}": result += "\\x" + HexadecimalText.encode([UInt8(scalar.value)])
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
