internal import Migration

/// Names of which each is looked up several times, most of them found.
private struct Names {
  static let count = 500_000

  let texts: [String]

  init() {
    var state: UInt64 = 42
    texts = (0..<Self.count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return ["DJ Solir", "Sölíř", "ゲマ・そら"][Int(state >> 60) % 3] + " \((state >> 33) % 100_000)"
    }
  }
}

/// The lookup table, and what the standard library has for the same.
func lookupCases() -> [Case] {
  let names = Names().texts
  let keys = names.map { Array($0.utf8) }
  let unit = Case.Unit.nanoseconds(of: Names.count)
  return [
    Case("lookup: LookupTable", unit) {
      Timing({ LookupTable() }) { table in
        for key in keys {
          _ = key.withUnsafeBytes { key in table.value(forKey: key) { Int64(table.count) } }
        }
      }
    },
    Case("lookup: Dictionary of String", unit) {
      Timing({}) {
        var table: [String: Int64] = [:]
        for name in names where table[name] == nil { table[name] = Int64(table.count) }
      }
    },
    Case("lookup: Dictionary of [UInt8]", unit) {
      Timing({}) {
        var table: [[UInt8]: Int64] = [:]
        for key in keys where table[key] == nil { table[key] = Int64(table.count) }
      }
    },
  ]
}
