/// The reason why a document is not valid JSON or exceeds the limits, and the position.
public struct JSONStreamError: Error, Equatable, Sendable {
  /// The kind of the error.
  public let code: Code

  /// The offset of the first invalid byte, counted from the first byte of the document, including any byte-order mark.
  ///
  /// For a document that ends too early, this is its length. A string, number or literal is read whole before its
  /// position is checked: a malformed one is reported as malformed, even if it is also misplaced.
  public let byteOffset: Int

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: What is wrong.
  ///   - byteOffset: The offset of the first invalid byte.
  public init(_ code: Code, byteOffset: Int) {
    self.code = code
    self.byteOffset = byteOffset
  }
}

extension JSONStreamError: CustomStringConvertible {
  /// The error as a phrase, such as "the JSON ends too early, at byte 12".
  public var description: String { "\(code.phrase), at byte \(byteOffset)" }
}

extension JSONStreamError {
  /// The possible problems of a document.
  ///
  /// The raw values are stable, because reports may store them.
  public enum Code: String, CaseIterable, Sendable {
    /// The document contains only whitespace.
    case empty
    /// A byte does not match the grammar.
    case syntax
    /// The document ends before its value does.
    case truncated
    /// Something other than whitespace follows the value.
    case trailingBytes
    /// The bytes are not valid UTF-8 according to Unicode's table 3-7.
    case invalidUTF8
    /// A `\u` escape encodes one half of a surrogate pair without the other.
    case loneSurrogate
    /// Objects and arrays are nested deeper than ``JSONStreamLimits/maximumDepth``.
    case tooDeep
    /// A number or the document is longer than the limits allow.
    case tooLong

    /// The error as text for people.
    var phrase: String {
      switch self {
      case .empty: "there is no JSON value"
      case .syntax: "the JSON is malformed"
      case .truncated: "the JSON ends too early"
      case .trailingBytes: "something follows the JSON value"
      case .invalidUTF8: "the JSON is not valid UTF-8"
      case .loneSurrogate: "the JSON escapes half a surrogate pair"
      case .tooDeep: "the JSON is nested too deeply"
      case .tooLong: "the JSON is longer than the limit"
      }
    }
  }
}
