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
