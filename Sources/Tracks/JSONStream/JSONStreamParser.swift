// Hot path: `parse` of a small document is one pass of `PlainDocument`, or of the validator and one call of yajl.

/// Reads JSON documents and reports their parts to a visitor, without building a tree.
///
/// It accepts exactly what RFC 8259 allows: valid UTF-8, one value, paired surrogates. A leading byte-order mark is
/// skipped. Neither the events nor the error depend on how a document is split into pieces. Memory is bounded by
/// ``JSONStreamLimits/maximumTokenBytes``, regardless of the size of the document.
///
/// A parser can read any number of documents, one after the other. The visitor must not use it during a call.
///
/// ```swift
/// let parser = JSONStreamParser(visitor: visitor)
/// try parser.parse("{\"title\": \"Song\"}")
/// ```
public final class JSONStreamParser {
  let limits: JSONStreamLimits
  let yajl: YajlParser
  /// Whether documents may be read by ``PlainDocument`` first.
  private let canStartOver: Bool
  var feeder: TokenChunker
  /// The beginning of a character or escape that was cut at the end of the last piece.
  var tail: [UInt8] = []
  /// The number of bytes received.
  var received = 0
  /// The reason why the document was rejected, if it was.
  var failure: JSONStreamError?

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - visitor: The receiver of the events.
  ///   - limits: The limits for a document.
  public init(visitor: JSONVisitor, limits: JSONStreamLimits = .init()) {
    // Passed through the initializer again, because the properties can be set to any value.
    let limits = JSONStreamLimits(
      maximumDepth: limits.maximumDepth, maximumTokenBytes: limits.maximumTokenBytes, maximumBytes: limits.maximumBytes)
    self.limits = limits
    yajl = YajlParser(visitor: visitor, maximumDepth: limits.maximumDepth)
    canStartOver = visitor.canStartOver
    feeder = TokenChunker(yajl: yajl, limit: limits.maximumTokenBytes)
    yajl.begin()
  }

  /// Reads one complete document.
  ///
  /// Even after an error, the parser can be used immediately for the next document.
  ///
  /// - Parameter document: The bytes, which are read in place.
  /// - Throws: ``JSONStreamError`` for the first invalid byte.
  public func parse(_ document: UnsafeRawBufferPointer) throws(JSONStreamError) {
    begin()
    guard document.count <= min(limits.maximumTokenBytes, limits.maximumBytes) else {
      try append(document)
      return try finish()
    }
    if canStartOver {
      if PlainDocument.read(document, for: yajl.visitor, maximumDepth: limits.maximumDepth) { return }
      yajl.visitor.startOver()
    }
    // No token of such a document can be too long, so yajl can read it directly.
    do throws(JSONStreamError) {
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
    } catch {
      yajl.discard()
      throw error
    }
  }

  /// Starts a document that arrives in pieces, and discards the previous one.
  public func begin() {
    yajl.begin()
    // If no pieces were received, nothing needs to be reset.
    guard received > 0 || failure != nil else { return }
    feeder.begin()
    tail.removeAll(keepingCapacity: true)
    received = 0
    failure = nil
  }
}

extension JSONStreamParser {
  /// Reads one complete document from an array.
  ///
  /// - Parameter document: The bytes.
  /// - Throws: ``JSONStreamError`` for the first invalid byte.
  public func parse(_ document: [UInt8]) throws(JSONStreamError) {
    try document.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try parse(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads one complete document from a string.
  ///
  /// - Parameter document: The text.
  /// - Throws: ``JSONStreamError`` for the first invalid byte; its offset counts UTF-8 bytes.
  public func parse(_ document: String) throws(JSONStreamError) {
    try parse(Array(document.utf8))
  }

  /// Reads the next piece of a document from an array.
  ///
  /// - Parameter chunk: The bytes.
  /// - Throws: ``JSONStreamError`` for the first invalid byte, and again for every call until ``begin()``.
  public func append(_ chunk: [UInt8]) throws(JSONStreamError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try append(UnsafeRawBufferPointer(bytes))
    }
  }

  // MARK: - Pieces

  /// The number of bytes validated at a time, so that yajl finds them in the processor's cache.
  private static let sliceLength = 1 << 16

  /// Reads the next piece of a document, which may be split anywhere.
  ///
  /// - Parameter chunk: The bytes, which may change after the call.
  /// - Throws: ``JSONStreamError`` for the first invalid byte, and again for every call until ``begin()``.
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

  /// Ends a document that arrived in pieces.
  ///
  /// - Throws: ``JSONStreamError`` if the document is incomplete, or the error of the piece that was rejected.
  public func finish() throws(JSONStreamError) {
    try attempt { () throws(JSONStreamError) in
      try settleTail(isEnd: true)
      if feeder.isEmpty { throw JSONStreamError(.empty, byteOffset: received) }
      if !feeder.isComplete { throw JSONStreamError(.truncated, byteOffset: received) }
    }
    begin()
  }

  /// Performs one step, unless an earlier step failed.
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

  /// Completes the sequence that was cut at the end of the last slice.
  ///
  /// - Returns: The number of bytes of the slice used.
  private func completeTail(from slice: UnsafeRawBufferPointer) throws(JSONStreamError) -> Int {
    guard !tail.isEmpty else { return 0 }
    let held = tail.count
    let joined = tail + slice.prefix(JSONByteValidator.longestSequence)
    let settled = try joined.withUnsafeBufferPointer { (bytes) throws(JSONStreamError) in
      try screen(UnsafeRawBufferPointer(bytes), at: received - held)
    }
    // A sequence that is still incomplete has consumed the whole slice.
    let isCut = settled < held
    tail = isCut ? joined : []
    let taken = isCut ? slice.count : settled - held
    received += taken
    return taken
  }

  /// Checks bytes and passes on the valid ones.
  ///
  /// - Returns: The number of valid bytes, which an incomplete sequence may follow.
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
    // The byte-order mark is one character, so it is never split.
    let start = offset == 0 ? bytes.lengthOfByteOrderMark : 0
    try feeder.process(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(start)), at: offset + start)
  }
}

/// Limits for the documents that a parser reads.
///
/// Negative values are treated as zero.
public struct JSONStreamLimits: Sendable {
  /// The maximum nesting depth of objects and arrays; more is ``JSONStreamError/Code-swift.enum/tooDeep``.
  public var maximumDepth: Int

  /// The maximum number of bytes, as written, of a string or number.
  ///
  /// A longer string is reported truncated to its first bytes; a longer number is
  /// ``JSONStreamError/Code-swift.enum/tooLong``. The parser's memory use is a small multiple of this limit.
  public var maximumTokenBytes: Int

  /// The maximum number of bytes of a document; more is ``JSONStreamError/Code-swift.enum/tooLong``.
  public var maximumBytes: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - maximumDepth: The maximum nesting depth of objects and arrays.
  ///   - maximumTokenBytes: The number of bytes above which a string is truncated and a number is rejected.
  ///   - maximumBytes: The maximum number of bytes of a document.
  public init(maximumDepth: Int = 1_000_000, maximumTokenBytes: Int = 1 << 20, maximumBytes: Int = .max) {
    self.maximumDepth = max(0, maximumDepth)
    self.maximumTokenBytes = max(0, maximumTokenBytes)
    self.maximumBytes = max(0, maximumBytes)
  }
}
