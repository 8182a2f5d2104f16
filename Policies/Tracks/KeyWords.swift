/// The first and the last bytes of a text, eight of each, by which keys are compared.
struct KeyWords: Equatable, BitwiseCopyable {
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  private(set) var count: UInt32 = 0

  init() {}

  @inline(__always)
  init(_ utf8: UnsafeRawBufferPointer) {
    guard let base = utf8.baseAddress, utf8.count > 0 else { return }
    count = UInt32(clamping: utf8.count)
    if utf8.count >= 8 {
      first = base.loadUnaligned(as: UInt64.self)
      last = base.loadUnaligned(fromByteOffset: utf8.count &- 8, as: UInt64.self)
    } else if utf8.count >= 4 {
      first = UInt64(base.loadUnaligned(as: UInt32.self))
      last = UInt64(base.loadUnaligned(fromByteOffset: utf8.count &- 4, as: UInt32.self))
    } else {
      first = UInt64(utf8[0]) | UInt64(utf8[utf8.count / 2]) << 8
      last = UInt64(utf8[utf8.count &- 1])
    }
  }

  /// Whether there are no bytes between them, so that equal words are equal texts.
  var areWhole: Bool {
    @inline(__always)
    get { count <= 16 }
  }

  /// The hash at which a search begins, for a table of any size.
  var hash: Int {
    @inline(__always)
    get { Int(truncatingIfNeeded: ((first ^ (last &<< 29 | last &>> 35)) &* 0x9E37_79B9_7F4A_7C15) &>> 48) }
  }
}
