/// Receives the events of one document, in document order.
///
/// Override the methods you need: by default, each does nothing, and every key is entered. It is an open class, not a
/// protocol, so that the parser's C callbacks reach it with one virtual call.
///
/// Byte buffers are valid only during the call, and may contain NUL. Events reported before an error remain valid; a
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

  /// Called for each key of an object, including repeated ones.
  ///
  /// A key longer than ``JSONStreamLimits/maximumTokenBytes`` is not reported, and neither is its value.
  ///
  /// - Parameter utf8: The key with its escapes resolved.
  /// - Returns: `.skip` to check but not report the value of this key, `.skipUnlessNull` to report only a `null`.
  open func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit { .enter }

  /// Called for each string value.
  ///
  /// - Parameters:
  ///   - utf8: The string with its escapes resolved.
  ///   - isTruncated: Whether the string was longer than ``JSONStreamLimits/maximumTokenBytes``, so that `utf8` is only
  ///     its beginning, cut between two characters.
  open func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {}

  /// Called for each number.
  ///
  /// - Parameter text: The number exactly as written, without conversion to `Double`.
  open func number(_ text: UnsafeRawBufferPointer) {}

  /// Called for `true` and `false`.
  open func boolean(_ value: Bool) {}

  /// Called for `null`.
  open func null() {}

  /// Whether the visitor can forget what it has seen of a document; then most documents are read twice as fast.
  open var canStartOver: Bool { false }

  /// Called when the document is read again from its start, because there is something doubtful in it.
  ///
  /// Only called if ``canStartOver`` is true.
  open func startOver() {}
}

/// The treatment of the value that follows a key.
public enum JSONVisit: Sendable {
  /// Report the value.
  case enter
  /// Check the value, but do not report it.
  case skip
  /// Check the value, and report it only if it is `null`.
  case skipUnlessNull
}
