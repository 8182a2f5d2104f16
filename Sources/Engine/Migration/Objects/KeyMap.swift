/// Values by primary key.
///
/// Keys of a store are close together. Values are therefore stored in pages, which take little more memory than the
/// values themselves.
struct KeyMap<Value> {
  private typealias Page = [Value?]

  /// The pages of the keys from 0 on, one after the other; those without a value are empty.
  ///
  /// New instances get the keys from 1 on, so nearly all values are here, where finding a page takes no hash.
  private var near: [Page] = []
  /// The other pages, by their numbers.
  private var far: [Int64: Page] = [:]

  /// Large enough that finding the page costs little, small enough that isolated keys do not cost much.
  private static var pageSize: Int { 64 }

  var isEmpty: Bool { near.isEmpty && far.isEmpty }

  subscript(key: Int64) -> Value? {
    get {
      if let page = nearPlace(key) {
        let slot = Self.slot(key)
        return slot < near[page].count ? near[page][slot] : nil
      }
      return far.isEmpty ? nil : far[Self.page(key)]?[Self.slot(key)]
    }
    set { update(key) { $0 = newValue } }
  }

  /// Whether there is a value for a key, without a copy of it.
  func contains(_ key: Int64) -> Bool {
    guard let page = nearPlace(key) else { return !far.isEmpty && self[key] != nil }
    let slot = Self.slot(key)
    return slot < near[page].count && near[page][slot] != nil
  }

  /// Changes the value of a key where it lies.
  ///
  /// What `_modify` yields from takes memory of its own for each call.
  @inline(__always)
  mutating func update(_ key: Int64, _ change: (inout Value?) -> Void) {
    makeRoom(key)
    if let page = nearPlace(key) {
      if near[page].isEmpty { near[page] = Self.emptyPage }
      change(&near[page][Self.slot(key)])
    } else {
      change(&far[Self.page(key), default: Self.emptyPage][Self.slot(key)])
    }
  }

  /// Calls a closure with the values in the order of their keys.
  func forEach(_ body: (Int64, Value) throws -> Void) rethrows {
    // Far keys may also be negative.
    let farPages = far.keys.sorted()
    for page in farPages where page < 0 { try forEach(of: far[page] ?? [], page, body) }
    for (page, values) in near.enumerated() { try forEach(of: values, Int64(page), body) }
    for page in farPages where page >= 0 { try forEach(of: far[page] ?? [], page, body) }
  }

  private func forEach(of values: Page, _ page: Int64, _ body: (Int64, Value) throws -> Void) rethrows {
    for (slot, value) in values.enumerated() {
      if let value { try body(page << 6 | Int64(slot), value) }
    }
  }

  /// Returns the place of a key's page among the near ones.
  private func nearPlace(_ key: Int64) -> Int? {
    let page = Self.page(key)
    return page >= 0 && page < near.count ? Int(page) : nil
  }

  /// Makes pages as far as a key, unless these would be many more than there are.
  private mutating func makeRoom(_ key: Int64) {
    let page = Self.page(key)
    // Once there are far pages, near ones must not pass them.
    guard far.isEmpty, page >= near.count, page <= near.count * 2 + 16 else { return }
    near.append(contentsOf: repeatElement([], count: Int(page) + 1 - near.count))
  }

  private static var emptyPage: Page { Array(repeating: nil, count: pageSize) }

  private static func page(_ key: Int64) -> Int64 { key >> 6 }

  private static func slot(_ key: Int64) -> Int { Int(key & 63) }
}

/// Primary keys in the order in which they were assigned, which is nearly always consecutive.
struct KeyRuns {
  private var runs: [ClosedRange<Int64>] = []
  private(set) var count = 0

  mutating func append(_ key: Int64) {
    count += 1
    if let last = runs.last, last.upperBound < key, last.upperBound + 1 == key {
      runs[runs.count - 1] = last.lowerBound...key
    } else {
      runs.append(key...key)
    }
  }

  func forEach(_ body: (Int64) throws -> Void) rethrows {
    for run in runs { for key in run { try body(key) } }
  }
}
