extension ArgumentDefinition {
  /// The arguments of all wrapped properties of a type, in the order they are written.
  static func all(of type: any ParsableArguments.Type, prefix: String = "") -> [ArgumentDefinition] {
    Mirror(reflecting: type.init()).children.flatMap { child -> [ArgumentDefinition] in
      // The storage of a wrapped property is named like the property, after an underscore.
      guard let label = child.label, let provider = child.value as? any ArgumentProvider else { return [] }
      return provider.definitions(property: String(label.drop { $0 == "_" }), prefix: prefix)
    }
  }
}
