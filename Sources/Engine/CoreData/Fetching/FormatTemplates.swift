internal import CoreDataExpressions
internal import Synchronization

// A policy makes a predicate for every instance that it looks up, always with the same few formats. Parsing a format
// takes several times as long as the fetch.

/// A format whose last argument is text that something must equal, such as `name == %@`.
final class EqualityTemplate: Sendable {
  private let comparison: Comparison
  /// The property that must equal the text, if that is all there is to it.
  let key: String?

  init(_ comparison: Comparison) {
    self.comparison = comparison
    if case .keyPath(.evaluatedObject, let path) = comparison.left, path.count == 1, case .key(let name) = path[0],
      comparison.options.isEmpty, comparison.modifier == .direct
    {
      key = name
    } else {
      key = nil
    }
  }

  /// The predicate for a text.
  func predicate(_ text: String) -> CoreDataExpressions.Predicate {
    .compare(
      comparison.left, .equal, .constant(.string(text)), options: comparison.options, modifier: comparison.modifier)
  }
}

/// Formats such as `name == %@` and `%K == %@`, which are parsed only once.
enum FormatTemplates {
  private struct Entry: Sendable {
    let format: String
    /// The argument before the text, a key.
    let key: String?
    /// `nil` for a format that must be parsed each time.
    let template: EqualityTemplate?
  }

  /// No format can contain this name.
  private static let placeholder = CoreDataExpressions.Expression.variable("argument 0")

  /// Some apps write values into their formats, so the number of formats is unlimited.
  private static let limit = 64

  /// Nearly all apps have so few that comparing them takes less than a hash.
  private static let table = Mutex<[Entry]>([])

  /// The template of a format, if its arguments are a text to compare something with, and before it at most a key.
  static func template(_ format: String, _ arguments: [Any]) -> (template: EqualityTemplate, text: String)? {
    guard let last = arguments.last, let text = Unwrapping.exactly(String.self, last) else { return nil }
    if arguments.count == 1 { return template(format, key: nil, text).map { ($0, text) } }
    guard arguments.count == 2, let key = Unwrapping.exactly(String.self, arguments[0]) else { return nil }
    return template(format, key: key, text).map { ($0, text) }
  }

  private static func template(_ format: String, key: String?, _ text: String) -> EqualityTemplate? {
    table.withLock { table in
      if let known = table.first(where: { $0.format == format && $0.key == key }) { return known.template }
      // Any other first argument is a value, of which there may be as many as there are rows.
      guard table.count < limit, key == nil || format.hasPrefix("%K") else { return nil }
      let made = make(format, key, text)
      table.append(Entry(format: format, key: key, template: made))
      return made
    }
  }

  private static func make(_ format: String, _ key: String?, _ text: String) -> EqualityTemplate? {
    let first = key.map { [FormatArgument.string($0)] } ?? []
    guard
      case .comparison(let comparison)? = try? CoreDataExpressions.Predicate(
        format: format, arguments: first + [.expression(placeholder)]), comparison.comparisonOperator == .equal,
      comparison.right == placeholder
    else { return nil }
    let made = EqualityTemplate(comparison)
    // A format that uses the argument in another way, such as %d, does not take text.
    let parsed = try? CoreDataExpressions.Predicate(format: format, arguments: first + [.string(text)])
    return parsed == made.predicate(text) ? made : nil
  }
}
