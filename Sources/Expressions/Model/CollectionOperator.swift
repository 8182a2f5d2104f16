/// What a key path can ask of a whole collection.
public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
  case count
  case sum
  case average = "avg"
  case minimum = "min"
  case maximum = "max"
  case unionOfObjects
  case distinctUnionOfObjects
  case unionOfArrays
  case distinctUnionOfArrays
  case unionOfSets
  case distinctUnionOfSets

  /// Whether a key path must follow: what to add up, compare or collect.
  public var needsPath: Bool { self != .count }
}
