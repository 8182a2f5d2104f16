import TestSupport
import Testing

@testable import Migration

/// Values by primary keys, which a store may choose as it likes.
struct KeyMapTests {
  @Test(arguments: 1...20)
  func `Values are kept as in a dictionary and come in the order of their keys`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (map, model) = (KeyMap<Int>(), [Int64: Int]())
    #expect(map.isEmpty)
    for value in 0..<2000 {
      let key = anyKey(&generator)
      let new = Bool.random(using: &generator) ? value : nil
      if Bool.random(using: &generator) { map[key] = new } else { map.update(key) { $0 = new } }
      model[key] = new
      let other = Int64.random(in: -100...3100, using: &generator)
      #expect(map[other] == model[other])
      #expect(map.contains(other) == (model[other] != nil))
    }
    var found: [(Int64, Int)] = []
    map.forEach { found.append(($0, $1)) }
    #expect(found.map(\.0) == model.keys.sorted())
    #expect(found.allSatisfy { model[$0] == $1 })
    #expect(!map.isEmpty)
  }

  /// Most keys are near each other; some are where no other is.
  private func anyKey(_ generator: inout SeededGenerator) -> Int64 {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0: Int64.random(in: Int64.min...Int64.max, using: &generator)
    case 1: Int64.random(in: -200...100_000, using: &generator)
    default: Int64.random(in: 0...3000, using: &generator)
    }
  }

  @Test func `The greatest and the least key have values like all others`() {
    var map = KeyMap<String>()
    for key in [Int64.max, .min, 0, -1, 1 << 40, 63, 64] { map[key] = "\(key)" }
    for key in [Int64.max, .min, 0, -1, 1 << 40, 63, 64] { #expect(map[key] == "\(key)") }
    var keys: [Int64] = []
    map.forEach { key, _ in keys.append(key) }
    #expect(keys == [.min, -1, 0, 63, 64, 1 << 40, .max])
  }
}
