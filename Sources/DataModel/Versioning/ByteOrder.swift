extension StringProtocol {
  /// Whether this text sorts before the other by the value of its UTF-8 bytes.
  ///
  /// Core Data sorts names so (uppercase before `_` before lowercase); Swift's own `<` compares normalised scalars.
  package func precedesByBytes(_ other: some StringProtocol) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
