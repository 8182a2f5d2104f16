/// Says why a document is not JSON, or more than the limits allow, and where.
public struct JSONStreamError: Error, Equatable, Sendable {
  /// What is wrong.
  public let code: Code

  /// Where the first offending byte is, counted from the first byte of the document, byte-order mark included.
  ///
  /// For a document that ends too early this is its length. A string, number or literal is read whole before its place
  /// is looked at: one that is malformed is at fault for that, even where it would be out of place.
  public let byteOffset: Int

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: What is wrong.
  ///   - byteOffset: Where the first offending byte is.
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
  /// What can be wrong with a document.
  ///
  /// The raw values are stable: reports may store them.
  public enum Code: String, CaseIterable, Sendable {
    /// There is nothing but whitespace.
    case empty
    /// A byte does not fit the grammar.
    case syntax
    /// The document ends before its value does.
    case truncated
    /// Something other than whitespace follows the value.
    case trailingBytes
    /// The bytes are not UTF-8 by Unicode's table 3-7.
    case invalidUTF8
    /// A `\u` escape names one half of a surrogate pair without the other.
    case loneSurrogate
    /// Objects and arrays nest deeper than ``JSONStreamLimits/maximumDepth``.
    case tooDeep
    /// A number or the document is longer than the limits allow.
    case tooLong

    /// What a person reads.
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
