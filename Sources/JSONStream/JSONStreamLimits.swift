/// How much a document may ask of the parser.
///
/// Values below zero count as zero.
public struct JSONStreamLimits: Sendable {
  /// How deep objects and arrays may nest; deeper is ``JSONStreamError/Code-swift.enum/tooDeep``.
  public var maximumDepth: Int

  /// How many bytes, as written, a string or number may have.
  ///
  /// A longer string is reported by its first bytes, as truncated; a longer number is
  /// ``JSONStreamError/Code-swift.enum/tooLong``. The parser's memory is a small multiple of this limit.
  public var maximumTokenBytes: Int

  /// How many bytes a document may have; longer is ``JSONStreamError/Code-swift.enum/tooLong``.
  public var maximumBytes: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - maximumDepth: How deep objects and arrays may nest.
  ///   - maximumTokenBytes: How many bytes a string or number may have before it is cut or refused.
  ///   - maximumBytes: How many bytes a document may have.
  public init(maximumDepth: Int = 1_000_000, maximumTokenBytes: Int = 1 << 20, maximumBytes: Int = .max) {
    self.maximumDepth = max(0, maximumDepth)
    self.maximumTokenBytes = max(0, maximumTokenBytes)
    self.maximumBytes = max(0, maximumBytes)
  }
}
