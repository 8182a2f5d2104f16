/// What kind of collection a value is.
public enum CollectionKind: Sendable, Hashable {
  case array
  case orderedSet
  case set
}
