/// What stands in the brackets of `collection[…]`.
public indirect enum CollectionIndex: Sendable, Hashable {
  /// `[FIRST]`.
  case first
  /// `[LAST]`.
  case last
  /// `[SIZE]`: how many elements there are.
  case size
  /// A position counted from 0, or the key of a dictionary.
  case position(Expression)
}
