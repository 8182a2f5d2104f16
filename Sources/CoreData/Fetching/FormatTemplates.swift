internal import Expressions
internal import Synchronization

// A policy makes a predicate for every instance that it looks for, always of the same few formats. To read a format
// takes several times as long as the fetch.

/// Formats such as `name == %@`, which are read once.
enum FormatTemplates {
  /// No format can contain this name.
  private static let placeholder = Expressions.Expression.variable("argument 0")

  /// Some apps write values into their formats: there is no end to those.
  private static let limit = 64

  /// What formats say with the placeholder, or `nil` for those that must be read each time.
  private static let table = Mutex<[String: Comparison?]>([:])

  /// The predicate of a format whose only argument is a text, if it says that something equals the text.
  static func predicate(_ format: String, _ text: String) -> Expressions.Predicate? {
    let known = table.withLock { table in
      if let known = table[format] { return known }
      guard table.count < limit else { return nil }
      // What says something else of this text, such as %d, is not for texts.
      let made = template(format).flatMap { made in
        (try? Expressions.Predicate(format: format, .string(text))) == predicate(made, text) ? made : nil
      }
      table[format] = .some(made)
      return made
    }
    return known.map { predicate($0, text) }
  }

  private static func predicate(_ template: Comparison, _ text: String) -> Expressions.Predicate {
    .compare(template.left, .equal, .constant(.string(text)), options: template.options, modifier: template.modifier)
  }

  private static func template(_ format: String) -> Comparison? {
    guard
      case .comparison(let comparison)? = try? Expressions.Predicate(
        format: format, arguments: [.expression(placeholder)]), comparison.comparisonOperator == .equal,
      comparison.right == placeholder
    else { return nil }
    return comparison
  }
}
