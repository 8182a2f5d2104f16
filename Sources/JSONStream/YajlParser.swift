import CTracksYajl

// Hot: one feed a document, one callback an event. The callbacks get this object as a bare pointer; see YajlCallbacks.

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

  private static let notMuted = -1

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
  private var consumed: Int { handle.map { yajl_get_bytes_consumed($0) } ?? 0 }

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

// Hot: yajl calls these for every token. The context is a bare pointer to the parser, which outlives the feed that runs
// them (it is the one feeding), so nothing is retained or released on the way.

/// The functions that yajl calls.
private enum YajlCallbacks {
  /// The table, in memory that stays where it is: yajl keeps the pointer.
  ///
  /// It is written once, before anybody can see it, and never freed; that makes it safe to share.
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

  /// Runs a method of the parser behind the context; false cancels.
  @inline(__always)
  private static func on(_ context: UnsafeMutableRawPointer?, _ event: (YajlParser) -> Bool) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<YajlParser>.fromOpaque(context)._withUnsafeGuaranteedRef { event($0) ? 1 : 0 }
  }
}

/// What stopped yajl, which decides what its count of consumed bytes means.
///
/// Observed with yajl 2.1.0, which has no codes for it: only the beginning of the message tells.
private enum YajlFault {
  /// A byte that begins no token; it has been consumed.
  case strayByte
  /// A byte that does not continue its token; it has not been consumed.
  case brokenToken
  /// A whole token that is out of place; it has been consumed.
  case grammar
  /// A token after a member of an object that is neither a comma nor a brace.
  ///
  /// Here, and only here, yajl takes the length of the token back, for a string without its quotes.
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

  /// Finds the first byte that is at fault.
  ///
  /// - Parameters:
  ///   - bytes: What yajl was fed; it begins between two tokens.
  ///   - consumed: How many of the bytes yajl says it has taken.
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
    // A string that is out of place, or an empty one that is in its place: then it follows a colon.
    guard bytes[start + 1] == Byte.quote else { return start }
    let before = bytes[..<start].last { !Byte.isWhitespace($0) } ?? preceding
    return before == UInt8(ascii: ":") ? consumed : start
  }
}
