/// Receives the events of one document, in the order in which it is written.
///
/// Override what you need: each default does nothing, and every key is entered. It is an open class, not a protocol, so
/// that the C callbacks of the parser reach it by one virtual call.
///
/// Byte buffers are valid during the call only, and may hold NUL. What a document reported before an error stands; a
/// visitor that must not act on half a document waits until the parser has returned.
///
/// ```swift
/// final class KeyCounter: JSONVisitor {
///   var count = 0
///   override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
///     count += 1
///     return .enter
///   }
/// }
/// ```
open class JSONVisitor {
  /// Creates a visitor that ignores everything.
  public init() {}

  /// Called at `{`.
  open func startObject() {}

  /// Called at `}`.
  open func endObject() {}

  /// Called at `[`.
  open func startArray() {}

  /// Called at `]`.
  open func endArray() {}

  /// Called for each key of an object, repeated ones included.
  ///
  /// A key that is longer than ``JSONStreamLimits/maximumTokenBytes`` is not reported, and neither is its value.
  ///
  /// - Parameter utf8: The key with its escapes resolved.
  /// - Returns: `.skip` to have the value of this key checked but not reported.
  open func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit { .enter }

  /// Called for each string that is a value.
  ///
  /// - Parameters:
  ///   - utf8: The string with its escapes resolved.
  ///   - isTruncated: Whether the string was longer than ``JSONStreamLimits/maximumTokenBytes``, so that `utf8` is only
  ///     its beginning, cut between two characters.
  open func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {}

  /// Called for each number.
  ///
  /// - Parameter text: The number exactly as written; it never went through `Double`.
  open func number(_ text: UnsafeRawBufferPointer) {}

  /// Called for `true` and `false`.
  open func boolean(_ value: Bool) {}

  /// Called for `null`.
  open func null() {}
}

/// What a visitor wants of the value that follows a key.
public enum JSONVisit: Sendable {
  /// Report the value.
  case enter
  /// Check the value, but report nothing of it.
  case skip
}
