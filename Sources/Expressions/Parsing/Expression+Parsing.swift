extension Expression {
  /// Reads an expression.
  ///
  ///     try Expression(format: "$source.countries.@distinctUnionOfSets.moods")
  ///
  /// - Parameters:
  ///   - format: The text, in the language of `NSExpression(format:)`.
  ///   - arguments: What the placeholders stand for, in their order.
  /// - Throws: `FormatError`, which shows the place.
  public init(format: String, _ arguments: FormatArgument...) throws(FormatError) {
    try self.init(format: format, arguments: arguments)
  }

  /// Reads an expression, with its arguments in a list.
  public init(format: String, arguments: [FormatArgument]) throws(FormatError) {
    var parser = try Parser(format, arguments: arguments)
    let node = try parser.node()
    self = try parser.expression(node).value
    try parser.finish()
  }
}
