import CommandLineArguments
import CoreDataExpressions
import TerminalOutput
import TrackLibrary

/// A condition in Core Data's predicate format.
struct ConditionOption: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only rows that match this predicate, in Core Data's format.", valueName: "predicate",
      otherNames: ["filter", "condition", "predicate", "query", "match", "w", "after", "before", "since", "until"]))
  var condition: String?

  mutating func validate() throws {
    _ = try predicate
  }

  /// The condition, if there is one.
  var predicate: CoreDataExpressions.Predicate? {
    get throws { try reading { try CoreDataExpressions.Predicate(format: $0) } }
  }

  /// The condition on rows of a track library, if there is one.
  var filter: LibraryFilter? {
    get throws { try reading { try LibraryFilter($0) } }
  }

  private func reading<Result>(_ read: (String) throws -> Result) throws -> Result? {
    guard let condition else { return nil }
    do {
      return try read(condition)
    } catch let error as FormatError {
      let hint = ConditionHint(error).text.map { "\n\($0)" } ?? ""
      throw ValidationError(lines: "the value of '--where' is not a predicate: \(error)\(hint)")
    }
  }
}

/// The discussion of conditions, for commands that have them.
let conditionDiscussion = """
  In a condition, text stands in quotes and nil is a missing value. A date is text, such as '2023-01-31' for its \
  beginning in UTC or '2023-01-31T18:30:00+01:00'; seconds can be added to it and subtracted from it, as in now() - 86400.
  """

/// Suggests what the author of a condition that cannot be read is likely to have meant.
private struct ConditionHint {
  /// The hint in a sentence; `nil` if there is none.
  let text: String?

  init(_ error: FormatError) {
    let bytes = Array(error.format.utf8)
    let place = min(max(error.offset, 0), bytes.count)
    let before = String(decoding: bytes[..<place], as: UTF8.self)
    let after = String(decoding: bytes[place...], as: UTF8.self)
    text =
      switch error.problem {
      case .unexpected: Self.unexpected(before, after)
      case .unexpectedCharacter: Self.character(after.unicodeScalars.first)
      case .invalidNumber: Self.dateOrNumber(before, after)
      case .missingArgument, .unknownPlaceholder: "Placeholders are for code: write the value itself, text in quotes."
      case .unterminatedString, .missingName, .invalidEscape, .numberOutOfRange, .percentSign, .unusedArguments,
        .wrongArgument, .unknownCollectionOperator, .missingOperatorPath, .unknownOption, .tooDeep:
        nil
      }
  }

  private static func unexpected(_ before: String, _ after: String) -> String? {
    let (left, right) = (before.lowercased(), after.lowercased())
    if before.allSatisfy(\.isWhitespace), after.allSatisfy(\.isWhitespace) {
      return "Write a condition, such as: name == 'Björk'"
    }
    if right.firstMatch(of: /^is\b/) != nil { return "A missing value is nil: write == nil or != nil." }
    if left.contains("between"), right.hasPrefix("'") || right.hasPrefix("\"") {
      return "BETWEEN takes a list: BETWEEN {'2023-01-01', '2023-12-31'}"
    }
    if right.hasPrefix(","), left.firstMatch(of: /\bin\s*\([^()]*$/) != nil {
      return "IN takes a list in braces: IN {'a', 'b'}"
    }
    guard let first = after.first, first.isLetter || first.isNumber else { return nil }
    if let quote = before.last, "'\"".contains(quote) { return quoteWithin(before.dropLast(), quote, after) }
    guard let word = before.split(whereSeparator: \.isWhitespace).last,
      word.first?.isLetter == true
    else { return nil }
    // Not a regular expression, which would take long for a long row of spaces.
    let rest = after.split(whereSeparator: \.isWhitespace).prefix {
      !["and", "or"].contains($0.prefix(while: \.isLetter).lowercased())
    }
    return "Text needs quotes: '\(([word] + rest).joined(separator: " "))'"
  }

  /// Text that has the quote in it that it stands in.
  private static func quoteWithin(_ before: Substring, _ quote: Character, _ after: String) -> String? {
    guard let start = before.lastIndex(of: quote) else { return nil }
    let text = "\(before[before.index(after: start)...])\(quote)\(after.prefix { $0 != quote })"
    return quote == "'"
      ? "Text with an apostrophe stands in double quotes: \"\(text)\""
      : "Text with a double quote stands in single ones: '\(text)'"
  }

  private static func character(_ scalar: Unicode.Scalar?) -> String? {
    switch scalar {
    case "“", "”", "„", "‘", "’", "‚", "«", "»", "`": "Text stands in straight quotes: 'Björk' or \"Björk\""
    case ";": "A condition has no ';' at its end."
    default: nil
    }
  }

  private static func dateOrNumber(_ before: String, _ after: String) -> String? {
    before.firstMatch(of: /[0-9]{4}-[0-9]{1,2}-$/) != nil || after.firstMatch(of: /^[0-9]{4}-/) != nil
      ? "A date stands in quotes: '2023-01-31' or '2023-01-31T18:30:00'" : nil
  }
}
