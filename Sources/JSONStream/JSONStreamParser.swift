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
  var feeder: TokenChunker
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
    feeder = TokenChunker(yajl: yajl, limit: limits.maximumTokenBytes)
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
    let finding = JSONByteValidator.scan(document)
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

extension JSONStreamParser {
  /// Reads one whole document from an array.
  ///
  /// - Parameter document: The bytes.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit.
  public func parse(_ document: [UInt8]) throws(JSONStreamError) {
    try document.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try parse(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads one whole document from a string.
  ///
  /// - Parameter document: The text.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit; its offset counts UTF-8 bytes.
  public func parse(_ document: String) throws(JSONStreamError) {
    try parse(Array(document.utf8))
  }

  /// Reads the next piece of a document from an array.
  ///
  /// - Parameter chunk: The bytes.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit; then again for every call until ``begin()``.
  public func append(_ chunk: [UInt8]) throws(JSONStreamError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try append(UnsafeRawBufferPointer(bytes))
    }
  }

  // MARK: - Pieces

  /// How much goes through the screen at a time, so that yajl finds it in the processor's cache.
  private static let sliceLength = 1 << 16

  /// Reads the next piece of a document, cut anywhere.
  ///
  /// - Parameter chunk: The bytes; they may change after the call.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit; then again for every call until ``begin()``.
  public func append(_ chunk: UnsafeRawBufferPointer) throws(JSONStreamError) {
    try attempt { () throws(JSONStreamError) in
      let room = limits.maximumBytes - received
      var rest = UnsafeRawBufferPointer(rebasing: chunk.prefix(room))
      while !rest.isEmpty {
        let slice = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.sliceLength))
        try advance(slice)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(slice.count))
      }
      if chunk.count > room {
        try settleTail(isEnd: false)
        throw JSONStreamError(.tooLong, byteOffset: limits.maximumBytes)
      }
    }
  }

  /// Ends a document that came in pieces.
  ///
  /// - Throws: ``JSONStreamError`` if the document is not complete, or the error of the piece that was refused.
  public func finish() throws(JSONStreamError) {
    try attempt { () throws(JSONStreamError) in
      try settleTail(isEnd: true)
      if feeder.isEmpty { throw JSONStreamError(.empty, byteOffset: received) }
      if !feeder.isComplete { throw JSONStreamError(.truncated, byteOffset: received) }
    }
    begin()
  }

  /// Does a part of the work, unless an earlier part has failed.
  private func attempt(_ work: () throws(JSONStreamError) -> Void) throws(JSONStreamError) {
    if let failure { throw failure }
    do {
      try work()
    } catch {
      failure = error
      yajl.discard()
      throw error
    }
  }

  /// Reads a slice of a piece.
  private func advance(_ slice: UnsafeRawBufferPointer) throws(JSONStreamError) {
    let taken = try completeTail(from: slice)
    let rest = UnsafeRawBufferPointer(rebasing: slice.dropFirst(taken))
    let settled = try screen(rest, at: received)
    tail.append(contentsOf: rest.dropFirst(settled))
    received += rest.count
  }

  /// Completes the sequence that the last slice cut.
  ///
  /// - Returns: How many bytes of the slice that took.
  private func completeTail(from slice: UnsafeRawBufferPointer) throws(JSONStreamError) -> Int {
    guard !tail.isEmpty else { return 0 }
    let held = tail.count
    let joined = tail + slice.prefix(JSONByteValidator.longestSequence)
    let settled = try joined.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try screen(UnsafeRawBufferPointer(bytes), at: received - held)
    }
    // A sequence that is still cut has swallowed the whole slice.
    let isCut = settled < held
    tail = isCut ? joined : []
    let taken = isCut ? slice.count : settled - held
    received += taken
    return taken
  }

  /// Checks bytes and passes on those that are in order.
  ///
  /// - Returns: How many that are; behind them is a sequence that the bytes cut.
  private func screen(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONStreamError) -> Int {
    let finding = JSONByteValidator.scan(bytes)
    try process(UnsafeRawBufferPointer(rebasing: bytes[..<finding.readable]), at: offset)
    if let fault = finding.fault {
      try feeder.conclude(isEnd: false)
      throw feeder.error(for: fault, byteOffset: offset + finding.settled)
    }
    return finding.settled
  }

  /// Passes on everything that is left, because nothing more can complete it.
  private func settleTail(isEnd: Bool) throws(JSONStreamError) {
    try tail.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try process(UnsafeRawBufferPointer(bytes), at: received - bytes.count)
    }
    try feeder.conclude(isEnd: isEnd)
  }

  private func process(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONStreamError) {
    // The mark is one character, so no piece cuts it.
    let start = offset == 0 ? bytes.lengthOfByteOrderMark : 0
    try feeder.process(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(start)), at: offset + start)
  }
}

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
