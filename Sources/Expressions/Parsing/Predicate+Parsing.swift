extension Predicate {
  /// Reads a predicate.
  ///
  ///     try Predicate(format: "artist.name ==[c] %@ AND rating > %d", "Bob", 3)
  ///
  /// - Parameters:
  ///   - format: The text, in the language of `NSPredicate(format:)`.
  ///   - arguments: What the placeholders stand for, in their order.
  /// - Throws: `FormatError`, which shows the place.
  public init(format: String, _ arguments: FormatArgument...) throws(FormatError) {
    try self.init(format: format, arguments: arguments)
  }

  /// Reads a predicate, with its arguments in a list.
  public init(format: String, arguments: [FormatArgument]) throws(FormatError) {
    var parser = try Parser(format, arguments: arguments)
    let node = try parser.node()
    self = try parser.predicate(node).value
    try parser.finish()
  }
}
