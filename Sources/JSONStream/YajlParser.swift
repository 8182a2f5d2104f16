// Hot: one feed a document, one callback an event. The callbacks get this object as a bare pointer; see YajlCallbacks.

import CYajl

/// Owns a yajl handle and feeds it; the only caller of yajl.
///
/// One handle reads many documents: yajl is told to accept several values, and this class stops it at a second one.
final class YajlParser {
  let visitor: JSONVisitor
  let maximumDepth: Int
  private var handle: yajl_handle?
  /// Whether the handle has read something since the last document.
  private var isMidway = false
  private var isFeeding = false
  /// The last byte of the earlier feeds that is not whitespace.
  private var preceding: UInt8 = 0

  /// How many objects and arrays are open.
  var depth = 0
  /// How deep they may get; nothing may open after the end of the document's value.
  var depthLimit = 0
  /// The depth of the value that is being skipped, or `notMuted`.
  var mutedDepth = YajlParser.notMuted
  /// Whether the string that yajl is being fed was cut.
  var isTruncating = false
  /// Where in the bytes being fed the document's value ended, or -1.
  var valueEnd = -1

  static let notMuted = -1

  init(visitor: JSONVisitor, maximumDepth: Int) {
    self.visitor = visitor
    self.maximumDepth = maximumDepth
  }

  deinit { discard() }

  /// Whether the document's value has ended.
  var isComplete: Bool { valueEnd >= 0 }

  /// Prepares for a new document; a handle that did not finish its last one is replaced.
  func begin() {
    if isMidway, !isComplete { discard() }
    isMidway = false
    depth = 0
    depthLimit = maximumDepth
    mutedDepth = YajlParser.notMuted
    isTruncating = false
    valueEnd = -1
    preceding = 0
  }

  /// Frees the handle, because what it has in its buffers is of no use any more.
  func discard() {
    precondition(!isFeeding, "A visitor may not use the parser that is calling it.")
    if let handle { yajl_free(handle) }
    handle = nil
  }

  /// Reads bytes that follow those of the last call.
  ///
  /// - Parameters:
  ///   - bytes: A piece of the document that has passed the screen.
  ///   - offset: Where in the document the piece begins.
  /// - Throws: ``JSONStreamError`` for the first byte that does not fit.
  func feed(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONStreamError) {
    var rest = 0
    if !isComplete {
      let status = parse(bytes)
      if !isComplete { return try check(status, bytes, at: offset) }
      rest = valueEnd
    }
    while rest < bytes.count, Byte.isWhitespace(bytes[rest]) { rest += 1 }
    if rest < bytes.count { throw JSONStreamError(.trailingBytes, byteOffset: offset + rest) }
  }

  /// Tells yajl that the token it may hold has ended with the document.
  ///
  /// - Parameters:
  ///   - bytes: The piece that was fed last and ended inside a token.
  ///   - offset: Where in the document the piece begins.
  /// - Throws: ``JSONStreamError`` if the token is out of place, or only a part of one.
  func flush(after bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONStreamError) {
    let status = withUnsafeBytes(of: Byte.space) { parse($0) }
    guard !isComplete, status == yajl_status_error else { return }
    let end = offset + bytes.count
    guard [.grammar, .afterMember].contains(fault()) else { throw JSONStreamError(.truncated, byteOffset: end) }
    throw JSONStreamError(.syntax, byteOffset: offset + TokenScan.start(ofTokenThrough: bytes.count, in: bytes))
  }

  /// The error of a byte that the screen has found at fault after all that was fed.
  ///
  /// A byte that fits nowhere is one too many where the value has ended.
  func error(for fault: JSONStreamError.Code, byteOffset: Int) -> JSONStreamError {
    // The blank ends a number; a string or half a literal it does not.
    if fault == .syntax, !isComplete, depth == 0 { _ = withUnsafeBytes(of: Byte.space) { parse($0) } }
    return JSONStreamError(fault == .syntax && isComplete ? .trailingBytes : fault, byteOffset: byteOffset)
  }

  private func parse(_ bytes: UnsafeRawBufferPointer) -> yajl_status {
    precondition(!isFeeding, "A visitor may not use the parser that is calling it.")
    guard let base = bytes.baseAddress else { return yajl_status_ok }
    isFeeding = true
    isMidway = true
    defer { isFeeding = false }
    return yajl_parse(openHandle(), base.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  private func openHandle() -> yajl_handle {
    if let handle { return handle }
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard let handle = yajl_alloc(YajlCallbacks.table, nil, context) else { fatalError("Out of memory.") }
    _ = cyajl_enable(handle, yajl_allow_multiple_values)
    // The screen has done it, and more strictly.
    _ = cyajl_enable(handle, yajl_dont_validate_strings)
    self.handle = handle
    return handle
  }

  /// How many of the bytes being fed yajl has taken; during a callback, the end of the token that it is about.
  var consumed: Int { handle.map { yajl_get_bytes_consumed($0) } ?? 0 }

  private func fault() -> YajlFault { handle.map(YajlFault.init) ?? .grammar }

  private func check(
    _ status: yajl_status, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(JSONStreamError) {
    switch status {
    case yajl_status_ok: preceding = bytes.last { !Byte.isWhitespace($0) } ?? preceding
    case yajl_status_client_canceled:
      // Only a bracket is refused, and it is one byte.
      throw JSONStreamError(.tooDeep, byteOffset: offset + max(0, consumed - 1))
    default:
      let index = fault().index(in: bytes, consumed: consumed, preceding: preceding)
      throw JSONStreamError(.syntax, byteOffset: offset + index)
    }
  }
}
