// Hot: one call an event. What is skipped is dropped here, before any virtual call; every method answers whether to go on.

extension YajlParser {
  @inline(__always)
  func startObject() -> Bool {
    guard open() else { return false }
    if mutedDepth == YajlParser.notMuted { visitor.startObject() }
    return true
  }

  @inline(__always)
  func endObject() -> Bool {
    if close() { visitor.endObject() }
    return true
  }

  @inline(__always)
  func startArray() -> Bool {
    guard open() else { return false }
    if mutedDepth == YajlParser.notMuted { visitor.startArray() }
    return true
  }

  @inline(__always)
  func endArray() -> Bool {
    if close() { visitor.endArray() }
    return true
  }

  @inline(__always)
  func key(_ utf8: UnsafeRawBufferPointer) -> Bool {
    guard mutedDepth == YajlParser.notMuted else { return true }
    // Half a key could be mistaken for another one.
    if isTruncating || visitor.key(utf8) == .skip { mutedDepth = depth }
    return true
  }

  @inline(__always)
  func string(_ utf8: UnsafeRawBufferPointer) -> Bool {
    scalar { visitor.string(utf8, isTruncated: isTruncating) }
  }

  @inline(__always)
  func number(_ text: UnsafeRawBufferPointer) -> Bool {
    scalar { visitor.number(text) }
  }

  @inline(__always)
  func boolean(_ value: Bool) -> Bool {
    scalar { visitor.boolean(value) }
  }

  @inline(__always)
  func null() -> Bool {
    scalar { visitor.null() }
  }

  /// Reports a value that holds no others, unless it is skipped.
  @inline(__always)
  private func scalar(_ report: () -> Void) -> Bool {
    if mutedDepth != YajlParser.notMuted {
      if depth == mutedDepth { mutedDepth = YajlParser.notMuted }
      return true
    }
    if depth == 0 {
      guard !isComplete else { return false }
      endValue()
    }
    report()
    return true
  }

  /// Counts an object or array that opens, unless it may not.
  @inline(__always)
  private func open() -> Bool {
    guard depth < depthLimit else { return false }
    depth &+= 1
    return true
  }

  /// Counts an object or array that closes, and tells whether to report it.
  @inline(__always)
  private func close() -> Bool {
    depth &-= 1
    if depth == 0 { endValue() }
    guard mutedDepth != YajlParser.notMuted else { return true }
    if depth == mutedDepth { mutedDepth = YajlParser.notMuted }
    return false
  }

  /// Remembers where the document's value ended, so that nothing may follow it.
  @inline(never)
  private func endValue() {
    valueEnd = consumed
    depthLimit = 0
  }
}
