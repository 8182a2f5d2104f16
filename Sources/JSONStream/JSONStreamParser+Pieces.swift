extension JSONStreamParser {
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
    let joined = tail + slice.prefix(ByteScreen.longestSequence)
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
    let finding = ByteScreen.scan(bytes)
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
