/// A word that could not be converted to the type of its property.
struct InvalidValue: Error {
  var word: String
  var name: OptionName?

  /// What a `transform` closure threw.
  var reason: (any Error)?
}
