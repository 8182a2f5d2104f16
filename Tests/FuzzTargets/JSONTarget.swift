internal import JSONStream

/// Documents: the answer must not depend on how they are cut.
enum JSONTarget {
  static func read(_ bytes: [UInt8]) throws {
    for limits in [JSONStreamLimits(), JSONStreamLimits(maximumDepth: 5, maximumTokenBytes: 7, maximumBytes: 200)] {
      let whole = answer(limits) { parser throws(JSONStreamError) in try parser.parse(bytes) }
      for step in [1, 3, 64] {
        let pieces = answer(limits) { parser throws(JSONStreamError) in
          parser.begin()
          for start in stride(from: 0, to: bytes.count, by: step) {
            try parser.append(Array(bytes[start..<min(start + step, bytes.count)]))
          }
          try parser.finish()
        }
        try promise(whole == pieces, "\(whole) became \(pieces) in pieces of \(step)")
      }
      try promise(bytes.count >= whole.offset ?? 0, "an error beyond the end: \(whole)")
    }
  }

  private struct Answer: Equatable {
    var code: JSONStreamError.Code?
    var offset: Int?
    var events: [UInt64]
  }

  private static func answer(
    _ limits: JSONStreamLimits, _ body: (JSONStreamParser) throws(JSONStreamError) -> Void
  ) -> Answer {
    let visitor = EventHash()
    let parser = JSONStreamParser(visitor: visitor, limits: limits)
    do throws(JSONStreamError) {
      try body(parser)
      return Answer(events: [visitor.hash, visitor.count])
    } catch {
      // What is reported before an error may be more or less.
      return Answer(code: error.code, offset: error.byteOffset, events: [])
    }
  }
}

/// A fingerprint of what a document reports.
private final class EventHash: JSONVisitor {
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var count: UInt64 = 0

  private func add(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer? = nil) {
    count += 1
    mix(kind)
    bytes?.forEach { mix($0) }
  }

  private func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

  // Whole documents are read another way first, and pieces by yajl.
  override var canStartOver: Bool { true }
  override func startOver() { (hash, count) = (0xCBF2_9CE4_8422_2325, 0) }
  override func startObject() { add(1) }
  override func endObject() { add(2) }
  override func startArray() { add(3) }
  override func endArray() { add(4) }
  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    add(5, utf8)
    return utf8.first == UInt8(ascii: "s") ? .skip : .enter
  }
  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { add(isTruncated ? 6 : 7, utf8) }
  override func number(_ text: UnsafeRawBufferPointer) { add(8, text) }
  override func boolean(_ value: Bool) { add(value ? 9 : 10) }
  override func null() { add(11) }
}
