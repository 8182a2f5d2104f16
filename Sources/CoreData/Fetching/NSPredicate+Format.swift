extension NSPredicate {
  /// Creates a predicate from a format, such as `name == %@`.
  ///
  /// A format that cannot be read makes the fetch that uses it throw.
  ///
  /// - Parameter arguments: What the placeholders stand for: text, numbers, dates, identifiers, data, URLs, instances,
  ///   and arrays and sets of these.
  public convenience init(format predicateFormat: String, _ arguments: Any...) {
    self.init(format: predicateFormat, argumentArray: arguments)
  }

  /// Creates a predicate from a format, with its arguments in an array.
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    let predicate = FormatPredicate(PredicateContent(format: predicateFormat, arguments: arguments ?? []))
    self.init(block: { predicate.isTrue(of: $0, $1) })
    predicate.belongs(to: self)
  }
}
