internal import Foundation

/// The functions that expressions call on a policy with `FUNCTION($entityPolicy, "name:", …)`.
///
/// Core Data finds a policy's `@objc` methods by their selectors. Here the class gets an override of
/// `perform(_:with:manager:)` that calls them, on the line of its opening brace.
struct PolicyFunctions {
  /// The override of one class.
  struct Override {
    /// The place after the opening brace, in the code.
    let place: String.Index
    let className: String
    let text: String
  }

  let overrides: [Override]

  /// Finds the policies in code without strings and comments.
  init(_ code: String) {
    let declaration =
      /((?:@objcMembers\s+)?)((?:\w+\s+)*)\bclass\s+(\w+)\s*:\s*(?:[^{}]*,\s*)?NSEntityMigrationPolicy\b[^{}]*\{/
    overrides = code.matches(of: PolicySource.plain(declaration)).compactMap { match in
      let body = Self.body(code[match.range.upperBound...])
      guard !body.contains(PolicySource.plain(/\bfunc\s+perform\s*\(\s*_\s+selector\b/)) else { return nil }
      let functions = Self.functions(in: body, isMembers: !match.output.1.isEmpty)
      guard !functions.isEmpty else { return nil }
      let isPublic = match.output.2.split(whereSeparator: \.isWhitespace).contains { $0 == "public" || $0 == "open" }
      return Override(
        place: match.range.upperBound, className: String(match.output.3),
        text: Self.text(functions, isPublic: isPublic))
    }
  }

  private struct Function {
    let selector: String
    let name: String
    let labels: [String]
  }

  private static func text(_ functions: [Function], isPublic: Bool) -> String {
    let cases = functions.map { function in
      let arguments = function.labels.enumerated().map { place, label in
        "\(label == "_" ? "" : "\(label): ")functionArgument(arguments, \(place), of: selector)"
      }
      let word = arguments.isEmpty ? "" : "try "
      return
        "case \"\(function.selector)\": return \(word)functionResult(self.\(function.name)(\(arguments.joined(separator: ", "))))"
    }
    return " \(isPublic ? "public " : "")override func perform(_ selector: String, with arguments: [Any?], "
      + "manager: NSMigrationManager) throws -> Any? { switch selector { \(cases.joined(separator: "; ")); "
      + "default: return try super.perform(selector, with: arguments, manager: manager) } }"
  }

  /// The code up to the closing brace.
  private static func body(_ code: Substring) -> Substring {
    var depth = 1
    let end = code.firstIndex { character in
      if character == "{" { depth += 1 } else if character == "}" { depth -= 1 }
      return depth == 0
    }
    return code[..<(end ?? code.endIndex)]
  }

  /// The methods that Objective-C knows and that give a value.
  private static func functions(in body: Substring, isMembers: Bool) -> [Function] {
    let method =
      /(@objc(?:\(([\w:]+)\))?\s+)?((?:\w+\s+)*)\bfunc\s+(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*->\s*[^{}]+\{/
    return body.matches(of: PolicySource.plain(method)).compactMap { match in
      let before = body[..<match.range.lowerBound]
      let isMember = before.count { $0 == "{" } == before.count { $0 == "}" }
      let modifiers = match.output.3.split(whereSeparator: \.isWhitespace)
      guard isMember, match.output.1 != nil || isMembers && !modifiers.contains("private"),
        !modifiers.contains(where: { ["static", "class", "override"].contains($0) })
      else { return nil }
      let parameters = match.output.5.split(separator: ",").map {
        $0.prefix { $0 != ":" }.split(whereSeparator: \.isWhitespace)
      }
      let labels = parameters.compactMap { $0.first.map(String.init) }
      let name = String(match.output.4)
      return Function(
        selector: match.output.2.map(String.init) ?? ObjectiveCName(name, labels: labels).selector, name: name,
        labels: labels)
    }
  }
}

/// A method's name in Objective-C, as Swift derives it.
struct ObjectiveCName {
  let selector: String

  init(_ name: String, labels: [String]) {
    guard let first = labels.first else {
      selector = name
      return
    }
    var beginning = name
    if first != "_" {
      let word = first.prefix(1).uppercased() + first.dropFirst()
      let hasPreposition =
        Self.prepositions.contains(Self.firstWord(of: first)) || Self.prepositions.contains(Self.lastWord(of: name))
      beginning += (hasPreposition ? "" : "With") + word
    }
    selector = "\(beginning):" + labels.dropFirst().map { $0 == "_" ? ":" : "\($0):" }.joined()
  }

  private static func firstWord(of text: String) -> String {
    let rest = text.dropFirst().prefix { !$0.isUppercase }
    return (text.prefix(1) + rest).lowercased()
  }

  private static func lastWord(of text: String) -> String {
    guard let start = text.lastIndex(where: \.isUppercase) else { return text.lowercased() }
    return text[start...].lowercased()
  }

  /// The words before which the Swift compiler adds no "With" (lib/Basic/PartsOfSpeech.def).
  private static let prepositions: Set<String> = [
    "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for", "from", "given",
    "in",
    "including", "inside", "into", "matching", "of", "on", "passing", "preceding", "since", "to", "until", "using",
    "via",
    "when", "with", "within",
  ]
}
