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
