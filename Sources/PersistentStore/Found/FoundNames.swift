/// The names of a file's tables, or of a table's columns, as they are spelled there.
struct FoundNames {
  let names: [String]
  private let bySQLName: [[UInt8]: String]

  init(_ names: [String]) {
    self.names = names
    bySQLName = Dictionary(names.map { ($0.sqlNameKey, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The name that stands for an expected one: the same to SQLite, or else the only one that differs by case alone.
  ///
  /// How Core Data writes letters beyond ASCII in capitals is not known for certain.
  func name(for expected: String) -> String? {
    if let name = bySQLName[expected.sqlNameKey] { return name }
    let folded = expected.uppercased()
    let similar = names.filter { $0.uppercased() == folded }
    return similar.count == 1 ? similar.first : nil
  }
}

extension String {
  /// What two names have in common that SQLite takes for one: it ignores the case of ASCII letters, and nothing else.
  var sqlNameKey: [UInt8] {
    utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 + 32 : $0 }
  }
}
