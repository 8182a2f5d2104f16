import PropertyListFormat
import TestSupport
import Testing

@Suite struct BinaryRoundTripTests {
  @Test(arguments: Samples.all.indices)
  func `A written value reads back equal and is written the same again`(index: Int) throws {
    let value = Samples.all[index]
    let bytes = value.binary()
    let read = try PropertyList(binary: bytes)
    #expect(read == value)
    #expect(read.binary() == bytes)
    #expect(try PropertyList(contentsOf: bytes) == value)
  }

  @Test func `Random values survive a round trip`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let value = PropertyList.random(depth: 4, using: &generator)
      let bytes = value.binary()
      try #require(try PropertyList(binary: bytes) == value, "seed \(seed)")
      try #require(try PropertyList(binary: bytes).binary() == bytes, "seed \(seed)")
    }
  }

  @Test func `Equal scalars are written once, and equal containers each time`() {
    let text = PropertyList.string("a text of some length")
    #expect(PropertyList.array([text, text]).binary().count == PropertyList.array([text]).binary().count + 1)
    // Two empty arrays take two objects and two offsets, in addition to the outer array.
    #expect(PropertyList.array([.array([]), .array([])]).binary().count == 8 + 3 + 1 + 1 + 3 + 32)
  }

  @Test func `Strings that only look the same stay distinct`() throws {
    let value = PropertyList.array([.string("\u{E9}"), .string("e\u{301}")])
    let strings = try #require(try PropertyList(binary: value.binary()).array).compactMap(\.string)
    #expect(strings.map { Array($0.unicodeScalars).count } == [1, 2])
  }
}
