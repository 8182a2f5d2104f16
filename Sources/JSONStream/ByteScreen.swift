// Hot: every byte of every document passes here before yajl sees it. Hence raw pointers, words of eight bytes, and
// wrapping additions, whose operands are indices into one buffer and so cannot overflow.

/// Finds what yajl lets pass and JSON does not.
///
/// yajl 2.1.0 takes overlong and surrogate UTF-8, turns an escaped lone surrogate into "?", and counts vertical tab and
/// form feed as whitespace. The screen keeps no state: it stops before a sequence that the buffer cuts, and the caller
/// brings the sequence back with what follows it.
enum ByteScreen {
  /// How far the bytes are in order.
  struct Finding {
    /// How many bytes are checked: all, or those before the fault, or those before a cut sequence.
    var settled: Int
    /// What is wrong with the byte after them, if anything is.
    var fault: JSONStreamError.Code?

    /// Where yajl has to stop reading because of the fault.
    ///
    /// It gets the backslash of a lone surrogate, because outside a string that is the greater fault.
    var readable: Int { fault == .loneSurrogate ? settled + 1 : settled }
  }

  /// The longest sequence that must be seen as a whole: two `\u` escapes.
  static let longestSequence = 12

  /// Checks bytes that begin at the beginning of a sequence.
  static func scan(_ bytes: UnsafeRawBufferPointer) -> Finding {
    guard let base = bytes.baseAddress else { return Finding(settled: 0) }
    let count = bytes.count
    var index = 0
    while index < count {
      if index &+ Block.length <= count, !Block.hasSuspects(base, index) {
        index &+= Block.length
        continue
      }
      // To the end of this block in smaller steps; in text that is full of suspects, blocks would only cost.
      let end = min(index &+ Block.length, count)
      while index < end {
        if index &+ 8 <= count {
          let flags = Word(base, index).suspects
          index &+= flags == 0 ? 8 : Word.position(of: flags)
          if flags == 0 { continue }
        }
        switch sequence(base, index, count) {
        case .whole(let length): index &+= length
        case .cut: return Finding(settled: index)
        case .faulty(let code): return Finding(settled: index, fault: code)
        }
      }
    }
    return Finding(settled: count)
  }

  /// What begins at a byte.
  enum Sequence {
    case whole(Int)
    case cut
    case faulty(JSONStreamError.Code)
  }

  /// Measures the character or escape at an index that is less than the count.
  @inline(__always)
  static func sequence(_ base: UnsafeRawPointer, _ index: Int, _ count: Int) -> Sequence {
    let byte = base.load(fromByteOffset: index, as: UInt8.self)
    if byte >= 0x80 { return character(byte, base + index, count &- index) }
    if byte == Byte.backslash { return escape(base + index, count &- index) }
    return byte == 0x0b || byte == 0x0c ? .faulty(.syntax) : .whole(1)
  }
}
