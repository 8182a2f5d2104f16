/// The form of a name that carries a number which the model does not tell: `Z_23USERS1`.
///
/// It is a prefix, perhaps the number of an entity, a stem, and perhaps the number that Core Data appends to a name that
/// was taken.
struct NamePattern: Hashable {
  let prefix: String
  let hasEntityNumber: Bool
  let stem: String
  var mayHaveSuffix = true

  /// What the numbers in a name are.
  struct Match: Hashable {
    var entityNumber = 0
    /// 0 for a name that was free.
    var suffix = 0
  }

  /// The numbers in a name, if it has this form.
  func match(_ name: String) -> Match? {
    var rest = Array(name.uppercased().utf8)[...]
    guard rest.starts(with: prefix.uppercased().utf8) else { return nil }
    rest = rest.dropFirst(prefix.uppercased().utf8.count)
    let stem = Array(stem.uppercased().utf8)
    guard hasEntityNumber else { return match(rest, stem: stem, entityNumber: 0) }
    let digits = rest.prefix { Self.isDigit($0) }
    // The stem may begin with digits too.
    for count in stride(from: digits.count, to: 0, by: -1) {
      guard let number = Self.number(rest.prefix(count)) else { continue }
      if let match = match(rest.dropFirst(count), stem: stem, entityNumber: number) { return match }
    }
    return nil
  }

  private func match(_ rest: ArraySlice<UInt8>, stem: [UInt8], entityNumber: Int) -> Match? {
    guard rest.starts(with: stem) else { return nil }
    let suffix = rest.dropFirst(stem.count)
    if suffix.isEmpty { return Match(entityNumber: entityNumber) }
    guard mayHaveSuffix, let number = Self.number(suffix) else { return nil }
    return Match(entityNumber: entityNumber, suffix: number)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    bytes.allSatisfy(isDigit) ? Int(String(decoding: bytes, as: UTF8.self)) : nil
  }
}
