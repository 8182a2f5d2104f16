// Hot: `parse` of a small document is one pass of the screen and one call of yajl.

/// Reads JSON documents and reports their parts to a visitor, without ever building a tree.
///
/// It accepts what RFC 8259 does and nothing else: valid UTF-8, one value, paired surrogates. A leading byte-order mark
/// is skipped. Neither the events nor the error depend on how a document is cut into pieces. Memory is bounded by
/// ``JSONStreamLimits/maximumTokenBytes``, whatever the size of the document.
///
/// A parser serves any number of documents, one after the other. The visitor may not use it during a call.
///
/// ```swift
/// let parser = JSONStreamParser(visitor: visitor)
/// try parser.parse("{\"title\": \"Song\"}")
/// ```
public final class JSONStreamParser {
  let limits: JSONStreamLimits
  let yajl: YajlParser
  var feeder: TokenFeeder
  /// The beginning of a character or escape that the last piece cut.
  var tail: [UInt8] = []
  /// How many bytes of the document have come.
  var received = 0
  /// Why the document is refused, if it is.
  var failure: JSONStreamError?

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - visitor: Who receives the events.
  ///   - limits: How much a document may ask.
  public init(visitor: JSONVisitor, limits: JSONStreamLimits = .init()) {
    // Again through the initializer, because the properties can be set to anything.
    let limits = JSONStreamLimits(
      maximumDepth: limits.maximumDepth, maximumTokenBytes: limits.maximumTokenBytes, maximumBytes: limits.maximumBytes)
    self.limits = limits
    yajl = YajlParser(visitor: visitor, maximumDepth: limits.maximumDepth)
    feeder = TokenFeeder(yajl: yajl, limit: limits.maximumTokenBytes)
    yajl.begin()
  }

  /// Reads one whole document.
  ///
  /// Whatever becomes of it, the parser can be used again at once for the next.
  ///
  /// - Parameter document: The bytes; they are read in place.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit.
  public func parse(_ document: UnsafeRawBufferPointer) throws(JSONStreamError) {
    begin()
    // No token of such a document can be too long, so yajl may have it as it is.
    if document.count <= min(limits.maximumTokenBytes, limits.maximumBytes) {
      do {
        try parseWhole(document)
      } catch {
        yajl.discard()
        throw error
      }
    } else {
      try append(document)
      try finish()
    }
  }

  /// Starts a document that comes in pieces, and forgets the one before it.
  public func begin() {
    yajl.begin()
    // All of this is still as it should be if no pieces came.
    guard received > 0 || failure != nil else { return }
    feeder.begin()
    tail.removeAll(keepingCapacity: true)
    received = 0
    failure = nil
  }

  private func parseWhole(_ document: UnsafeRawBufferPointer) throws(JSONStreamError) {
    let finding = ByteScreen.scan(document)
    let start = document.lengthOfByteOrderMark
    let end = finding.fault == nil ? document.count : finding.readable
    let text = UnsafeRawBufferPointer(rebasing: document[start..<end])
    try yajl.feed(text, at: start)
    if let fault = finding.fault { throw yajl.error(for: fault, byteOffset: finding.settled) }
    if yajl.isComplete { return }
    try yajl.flush(after: text, at: start)
    if yajl.isComplete { return }
    throw JSONStreamError(text.allSatisfy(Byte.isWhitespace) ? .empty : .truncated, byteOffset: document.count)
  }
}
