/// One step of a key path.
public enum KeyPathComponent: Sendable, Hashable {
  /// An attribute, a relationship, or whatever else an object has a value for.
  case key(String)
  /// `@count` and the like. All steps after an operator other than `@count` are its argument.
  case collectionOperator(CollectionOperator)
}
