import PropertyListFormat
import TestSupport
import Testing

@Suite struct HostileBinaryTests {
  /// A property list with the given objects, one-byte references and offsets, and object 0 on top.
  private static func file(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(truncatingIfNeeded: bytes.count))
      bytes += object
    }
    let table = UInt8(truncatingIfNeeded: bytes.count)
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)] + [UInt8](repeating: 0, count: 8)
    return bytes + [0, 0, 0, 0, 0, 0, 0, table]
  }

  private static let damaged: [(objects: [[UInt8]], error: PropertyListError)] = [
    ([[0xA1, 0]], .cyclicReference(object: 0)),
    ([[0xA1, 1], [0xA1, 0]], .cyclicReference(object: 0)),
    ([[0xD1, 1, 0], [0x51, 0x61]], .cyclicReference(object: 0)),
    ([[0xA1, 9]], .badReference(9)),
    ([[0xA9, 0]], .truncated(offset: 9)),
    ([[0xD1, 1, 1], [0x10, 5]], .badKey(object: 0)),
    ([[0xD2, 1, 1, 1, 1], [0x51, 0x61]], .duplicateKey("a")),
    ([[0x51, 0x80]], .badString(offset: 8)),
    ([[0x61, 0xD8, 0x00]], .badString(offset: 8)),
    ([[0x62, 0xDC, 0x00, 0xD8, 0x00]], .badString(offset: 8)),
    ([[0x15] + [UInt8](repeating: 0, count: 32)], .unknownMarker(0x15, offset: 8)),
    ([[0x70]], .unknownMarker(0x70, offset: 8)),
    ([[0xE0]], .unknownMarker(0xE0, offset: 8)),
    ([[0x0F]], .unknownMarker(0x0F, offset: 8)),
    ([[0x13, 0, 0]], .truncated(offset: 9)),
    ([[0x4F]], .truncated(offset: 9)),
    ([[0x4F, 0x51, 0]], .badInteger(offset: 8)),
    ([[0x4F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .badInteger(offset: 8)),
    ([[0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .truncated(offset: 18)),
    ([[0x6F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .truncated(offset: 8)),
    ([[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .truncated(offset: 18)),
    ([[0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]], .truncated(offset: 18)),
    ([[0x88] + [1] + [UInt8](repeating: 0, count: 8)], .badInteger(offset: 8)),
  ]

  @Test(arguments: damaged.indices)
  func `Each kind of damage is named`(index: Int) {
    let (objects, error) = Self.damaged[index]
    #expect(throws: error) { try PropertyList(binary: Self.file(objects)) }
    #expect(!error.description.isEmpty)
  }

  @Test func `Exponentially expanding containers are refused quickly`() {
    // Sixty arrays of ten times the next one: 10^60 values in less than a kilobyte.
    let laughs = (0..<60).map { [0xAA] + [UInt8](repeating: UInt8($0 + 1), count: 10) }
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in laughs + [[0x08]] {
      offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)]
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, 61] + [UInt8](repeating: 0, count: 8)
    bytes += [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 255)]
    #expect(throws: PropertyListError.tooManyObjects(limit: 1 << 20)) { try PropertyList(binary: bytes) }
  }

  @Test(arguments: [(511, true), (512, true), (513, false), (100_000, false)])
  func `Nesting is limited`(depth: Int, isAccepted: Bool) throws {
    // Each array holds the next; the innermost is empty.
    let size = depth < 250 ? 1 : 4
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    func number(_ value: Int) -> [UInt8] { (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    for index in 0..<depth {
      offsets += number(bytes.count)
      bytes += index + 1 < depth ? [0xA1] + number(index + 1) : [0xA0]
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, UInt8(size), UInt8(size)]
    for value in [depth, 0, table] { bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    if isAccepted {
      #expect(try PropertyList(binary: bytes).binary() == PropertyList(binary: bytes).binary())
    } else {
      #expect(throws: PropertyListError.tooDeep(limit: 512)) { try PropertyList(binary: bytes) }
    }
  }

  @Test func `Sets, four-byte numbers and padded references are read`() throws {
    #expect(try PropertyList(binary: Self.file([[0xC1, 1], [0x09]])) == .array([.boolean(true)]))
    #expect(try PropertyList(binary: Self.file([[0x22, 0x3F, 0x80, 0, 0]])) == .real(1))
    #expect(try PropertyList(binary: Self.file([[0x88, 0, 0, 0, 0, 0, 0, 0, 0, 5]])) == .uid(5))
    #expect(try PropertyList(binary: Self.file([[0x14] + [UInt8](repeating: 0xFF, count: 16)])) == .integer(-1))
  }

  @Test func `A truncated file throws an error`() {
    let bytes = PropertyList.dictionary(["a": .array(Samples.scalars), "b": .uid(3)]).binary()
    for length in 0..<min(bytes.count, 4000) {
      #expect(throws: PropertyListError.self) { try PropertyList(binary: Array(bytes.prefix(length))) }
    }
  }

  @Test func `Flipped bytes never cause a trap`() {
    let value = PropertyList.dictionary([
      "list": .array(Array(Samples.scalars.filter { $0.binary().count < 200 })), "more": .array([.uid(3), .null]),
      "deep": .array([.array([.dictionary(["k": .string("漢")])])]),
    ])
    let bytes = value.binary()
    for place in bytes.indices {
      for byte in [0x00, 0x01, 0x7F, 0x80, 0xFF, bytes[place] ^ 0x10, bytes[place] &+ 1] as [UInt8] {
        var flipped = bytes
        flipped[place] = byte
        _ = (try? PropertyList(contentsOf: flipped))?.binary()
      }
    }
  }

  @Test func `Random bytes never cause a trap`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    print("HostileBinaryTests seed \(seed)")
    let sample = PropertyList.array(Array(Samples.scalars.prefix(30))).binary()
    for _ in 0..<Rounds.count(1000) {
      var bytes = sample
      for _ in 0..<Int.random(in: 1..<8, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      _ = (try? PropertyList(contentsOf: bytes))?.binary()
    }
  }
}
