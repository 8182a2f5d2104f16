/// How names and texts are written inside the formats of expressions and predicates.
enum FormatText {
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Names that are words of the format language too are marked by `#`, as Apple's predicate guide says.
  static func keyPath(_ path: String) -> String {
    path.split(separator: ".", omittingEmptySubsequences: false)
      .map { reservedWords.contains($0.uppercased()) ? "#\($0)" : String($0) }
      .joined(separator: ".")
  }

  private static let reservedWords: Set = [
    "AND", "OR", "IN", "NOT", "ALL", "ANY", "SOME", "NONE", "LIKE", "CASEINSENSITIVE", "CI", "MATCHES", "CONTAINS",
    "BEGINSWITH", "ENDSWITH", "BETWEEN", "NULL", "NIL", "SELF", "TRUE", "YES", "FALSE", "NO", "FIRST", "LAST", "SIZE",
    "ANYKEY", "SUBQUERY", "FETCH", "CAST", "TRUEPREDICATE", "FALSEPREDICATE", "UTI-CONFORMS-TO", "UTI-EQUALS",
  ]
}
