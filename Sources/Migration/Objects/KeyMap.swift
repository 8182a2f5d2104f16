/// Values by primary keys.
///
/// Keys of a store lie close together. So values lie in pages, which take little more room than the values themselves.
struct KeyMap<Value> {
  private var pages: [Int64: [Value?]] = [:]

  /// Enough that the way to the page costs little, few enough that lone keys do not cost much.
  private static var pageSize: Int { 64 }

  var isEmpty: Bool { pages.isEmpty }

  subscript(key: Int64) -> Value? {
    get { pages[Self.page(key)]?[Self.slot(key)] }
    _modify { yield &pages[Self.page(key), default: Self.emptyPage][Self.slot(key)] }
  }

  /// Hands out the values in the order of their keys.
  func forEach(_ body: (Int64, Value) throws -> Void) rethrows {
    for page in pages.keys.sorted() {
      for (slot, value) in (pages[page] ?? []).enumerated() {
        if let value { try body(page << 6 | Int64(slot), value) }
      }
    }
  }

  private static var emptyPage: [Value?] { Array(repeating: nil, count: pageSize) }

  private static func page(_ key: Int64) -> Int64 { key >> 6 }

  private static func slot(_ key: Int64) -> Int { Int(key & 63) }
}
