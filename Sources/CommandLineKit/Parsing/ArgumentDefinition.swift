/// An argument of a type: its description, and how to make the value of the property from what was given.
struct ArgumentDefinition {
  var info: ArgumentInfo

  /// Makes the value, in a ``ParsedBox`` of the property's type; nil if it was not given and has no default.
  ///
  /// - Throws: ``InvalidValue``.
  var value: ([Occurrence]) throws -> Any?
}

/// Carries a value through `Any`: an optional that is cast from `Any` directly would lose a level.
struct ParsedBox<Value> {
  var value: Value
}

/// A property wrapper that contributes arguments to the type it is used in.
protocol ArgumentProvider {
  /// The arguments, for a property whose path starts with `prefix`.
  func definitions(property: String, prefix: String) -> [ArgumentDefinition]
}
