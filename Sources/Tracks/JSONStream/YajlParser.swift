import CTracksYajl

// Hot path: one feed per document, one callback per event. The callbacks receive this object as a bare pointer; see
// YajlCallbacks.

/// Owns a yajl handle and feeds it; the only caller of yajl.
///
/// One handle reads many documents: yajl is configured to accept several values, and this class stops it at a second
/// one.
final class YajlParser {
  let visitor: JSONVisitor
  let maximumDepth: Int
  private var handle: yajl_handle?
  /// Whether the handle has read anything since the last document.
  private var isMidway = false
  private var isFeeding = false
  /// The last byte of earlier feeds that is not whitespace.
  private var preceding: UInt8 = 0

  /// The number of open objects and arrays.
  var depth = 0
  /// The maximum nesting depth; nothing may open after the end of the document's value.
  var depthLimit = 0
  /// The depth of the value that is being skipped, or `notMuted`.
  var mutedDepth = YajlParser.notMuted
  /// Whether only `null` is reported of the value that is being skipped.
  private var mutesAllButNull = false
  /// Whether the string being fed to yajl was truncated.
  var isTruncating = false
  /// The offset in the bytes being fed at which the document's value ended, or -1.
  var valueEnd = -1

  private static let notMuted = -1

  init(visitor: JSONVisitor, maximumDepth: Int) {
    self.visitor = visitor
    self.maximumDepth = maximumDepth
  }

  deinit { discard() }

  /// Whether the document's value has ended.
  var isComplete: Bool { valueEnd >= 0 }

  /// Prepares for a new document; a handle that did not finish its last document is replaced.
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

  /// Frees the handle, because the content of its buffers is no longer useful.
  func discard() {
    precondition(!isFeeding, "A visitor may not use the parser that is calling it.")
    if let handle { yajl_free(handle) }
    handle = nil
  }

  /// Reads bytes that follow those of the last call.
  ///
  /// - Parameters:
  ///   - bytes: A piece of the document that has been validated.
  ///   - offset: The offset of the piece in the document.
  /// - Throws: ``JSONStreamError`` for the first invalid byte.
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

  /// Tells yajl that a pending token has ended with the document.
  ///
  /// - Parameters:
  ///   - bytes: The piece that was fed last and ended inside a token.
  ///   - offset: The offset of the piece in the document.
  /// - Throws: ``JSONStreamError`` if the token is misplaced or incomplete.
  func flush(after bytes: UnsafeRawBufferPointer, at offset: Int) throws(JSONStreamError) {
    let status = withUnsafeBytes(of: Byte.space) { parse($0) }
    guard !isComplete, status == yajl_status_error else { return }
    let end = offset + bytes.count
    guard [.grammar, .afterMember].contains(fault()) else { throw JSONStreamError(.truncated, byteOffset: end) }
    throw JSONStreamError(.syntax, byteOffset: offset + TokenScan.start(ofTokenThrough: bytes.count, in: bytes))
  }

  /// The error for a byte that the validator rejected after everything that was fed.
  ///
  /// After the end of the value, a byte that is invalid anywhere is reported as an extra byte.
  func error(for fault: JSONStreamError.Code, byteOffset: Int) -> JSONStreamError {
    // A blank ends a number, but not a string or an incomplete literal.
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
    // The validator has done it, and more strictly.
    _ = cyajl_enable(handle, yajl_dont_validate_strings)
    self.handle = handle
    return handle
  }

  /// The number of bytes consumed by yajl; during a callback, the end of the token that it reports.
  private var consumed: Int { handle.map { yajl_get_bytes_consumed($0) } ?? 0 }

  private func fault() -> YajlFault { handle.map(YajlFault.init) ?? .grammar }

  private func check(
    _ status: yajl_status, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(JSONStreamError) {
    switch status {
    case yajl_status_ok: preceding = bytes.last { !Byte.isWhitespace($0) } ?? preceding
    case yajl_status_client_canceled:
      // Only brackets are refused, and they are one byte.
      throw JSONStreamError(.tooDeep, byteOffset: offset + max(0, consumed - 1))
    default:
      let index = fault().index(in: bytes, consumed: consumed, preceding: preceding)
      throw JSONStreamError(.syntax, byteOffset: offset + index)
    }
  }
}

// Hot path: one call per event. Skipped events are dropped here, before any virtual call; every method returns whether
// to continue.
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
    // Part of a key could be mistaken for another key.
    let visit = isTruncating ? .skip : visitor.key(utf8)
    if visit != .enter { mutedDepth = depth }
    mutesAllButNull = visit == .skipUnlessNull
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
    if mutesAllButNull, depth == mutedDepth { mutedDepth = YajlParser.notMuted }
    return scalar { visitor.null() }
  }

  /// Reports a value that contains no others, unless it is skipped.
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

  /// Counts an opening object or array, unless it is not allowed.
  @inline(__always)
  private func open() -> Bool {
    guard depth < depthLimit else { return false }
    depth &+= 1
    return true
  }

  /// Counts a closing object or array, and returns whether to report it.
  @inline(__always)
  private func close() -> Bool {
    depth &-= 1
    if depth == 0 { endValue() }
    guard mutedDepth != YajlParser.notMuted else { return true }
    if depth == mutedDepth { mutedDepth = YajlParser.notMuted }
    return false
  }

  /// Records where the document's value ended, so that nothing may follow it.
  @inline(never)
  private func endValue() {
    valueEnd = consumed
    depthLimit = 0
  }
}

// Hot path: yajl calls these for every token. The context is a bare pointer to the parser, which outlives the feed that
// calls them (it is the object that feeds), so nothing is retained or released on the way.

/// The functions that yajl calls.
private enum YajlCallbacks {
  /// The table, at a fixed address because yajl keeps the pointer.
  ///
  /// It is written once, before it is shared, and never freed, which makes sharing it safe.
  nonisolated(unsafe) static let table: UnsafePointer<yajl_callbacks> = {
    let table = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
    table.initialize(
      to: yajl_callbacks(
        yajl_null: { context in on(context) { $0.null() } },
        yajl_boolean: { context, value in on(context) { $0.boolean(value != 0) } },
        yajl_integer: nil,
        yajl_double: nil,
        yajl_number: { context, text, count in
          on(context) { $0.number(UnsafeRawBufferPointer(start: text, count: count)) }
        },
        yajl_string: { context, text, count in
          on(context) { $0.string(UnsafeRawBufferPointer(start: text, count: count)) }
        },
        yajl_start_map: { context in on(context) { $0.startObject() } },
        yajl_map_key: { context, text, count in
          on(context) { $0.key(UnsafeRawBufferPointer(start: text, count: count)) }
        },
        yajl_end_map: { context in on(context) { $0.endObject() } },
        yajl_start_array: { context in on(context) { $0.startArray() } },
        yajl_end_array: { context in on(context) { $0.endArray() } }))
    return UnsafePointer(table)
  }()

  /// Calls a method of the context's parser; false cancels.
  @inline(__always)
  private static func on(_ context: UnsafeMutableRawPointer?, _ event: (YajlParser) -> Bool) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<YajlParser>.fromOpaque(context)._withUnsafeGuaranteedRef { event($0) ? 1 : 0 }
  }
}

/// The reason why yajl stopped, which determines the meaning of its count of consumed bytes.
///
/// Observed with yajl 2.1.0, which has no codes for it: only the beginning of the message distinguishes the reasons.
private enum YajlFault {
  /// A byte that cannot begin a token; it has been consumed.
  case strayByte
  /// A byte that does not continue its token; it has not been consumed.
  case brokenToken
  /// A complete but misplaced token; it has been consumed.
  case grammar
  /// A token after a member of an object that is neither a comma nor a brace.
  ///
  /// Here, and only here, yajl subtracts the length of the token, for a string without its quotes.
  case afterMember

  init(_ handle: yajl_handle) {
    guard let message = yajl_get_error(handle, 0, nil, 0) else {
      self = .grammar
      return
    }
    defer { yajl_free_error(handle, message) }
    let text = String(cString: message)
    if text.hasPrefix("lexical error: invalid char in json text") {
      self = .strayByte
    } else if text.hasPrefix("lexical error") {
      self = .brokenToken
    } else {
      self = text.hasPrefix("parse error: after key and value") ? .afterMember : .grammar
    }
  }

  /// Finds the first invalid byte.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that were fed to yajl, starting between two tokens.
  ///   - consumed: The number of bytes that yajl reports as consumed.
  ///   - preceding: The last byte before them that is not whitespace.
  func index(in bytes: UnsafeRawBufferPointer, consumed: Int, preceding: UInt8) -> Int {
    switch self {
    case .strayByte: max(0, consumed - 1)
    case .brokenToken: consumed
    case .grammar: TokenScan.start(ofTokenThrough: consumed, in: bytes)
    case .afterMember: indexAfterMember(in: bytes, consumed: consumed, preceding: preceding)
    }
  }

  private func indexAfterMember(in bytes: UnsafeRawBufferPointer, consumed: Int, preceding: UInt8) -> Int {
    let start = TokenScan.start(ofTokenThrough: consumed, in: bytes)
    guard start == consumed - 2, bytes[start] == Byte.quote else { return consumed }
    // A misplaced string, or an empty one in the right place: then it follows a colon.
    guard bytes[start + 1] == Byte.quote else { return start }
    let before = bytes[..<start].last { !Byte.isWhitespace($0) } ?? preceding
    return before == UInt8(ascii: ":") ? consumed : start
  }
}
