/// What a visitor wants of the value that follows a key.
public enum JSONVisit: Sendable {
  /// Report the value.
  case enter
  /// Check the value, but report nothing of it.
  case skip
}
