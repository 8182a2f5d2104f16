import PropertyListFormat

/// Walks two keyed archives at once and lists every difference between their objects.
///
/// Objects are numbered differently in any two archives, and dictionaries and sets have no order. So what counts is
/// that both lead to the same objects in the same ways: an object of one archive always stands for the same object of
/// the other. Plain values may be shared or not.
struct ArchiveComparison {
  private let left: KeyedArchive
  private let right: KeyedArchive
  private var partners: [UInt64: UInt64] = [:]
  private var partnersOfRight: [UInt64: UInt64] = [:]
  private var waiting: [(left: PropertyList?, right: PropertyList?, path: String)] = []
  private var differences: [String] = []

  /// The differences, as "path: what the left archive has | what the right one has".
  static func differences(_ left: [UInt8], _ right: [UInt8]) throws -> [String] {
    differences(try KeyedArchive(contentsOf: left), try KeyedArchive(contentsOf: right))
  }

  /// The differences between archives that were read already.
  static func differences(_ left: KeyedArchive, _ right: KeyedArchive) -> [String] {
    var comparison = ArchiveComparison(left: left, right: right)
    return comparison.run()
  }

  private init(left: KeyedArchive, right: KeyedArchive) {
    (self.left, self.right) = (left, right)
  }

  private mutating func run() -> [String] {
    if left.archiver != right.archiver { report("$archiver", left.archiver, right.archiver) }
    if left.top.keys != right.top.keys { report("$top", "\(left.top.keys)", "\(right.top.keys)") }
    waiting = [(left.top["root"], right.top["root"], "model")]
    while let pair = waiting.popLast() { compare(pair.left, pair.right, pair.path) }
    return differences.sorted()
  }

  private mutating func report(_ path: String, _ left: String, _ right: String) {
    differences.append("\(path): \(left) | \(right)")
  }

  private mutating func compare(_ first: PropertyList?, _ second: PropertyList?, _ path: String) {
    let (object, other) = (left.object(first), right.object(second))
    guard let fields = object?.dictionary, let otherFields = other?.dictionary else {
      if object != other || (first == nil) != (second == nil) {
        report(path, Self.text(object, first), Self.text(other, second))
      }
      return
    }
    if let number = first?.uid, let otherNumber = second?.uid {
      switch (partners[number], partnersOfRight[otherNumber]) {
      case (otherNumber, number): return
      case (nil, nil): (partners[number], partnersOfRight[otherNumber]) = (otherNumber, number)
      default:
        // Collections may be shared where they are equal; objects of the model have one identity.
        if !Self.isCollection(left, fields) { return report(path, "object \(number)", "another than \(otherNumber)") }
      }
    }
    compareFields(fields, otherFields, Self.name(left, fields) ?? path)
  }

  private mutating func compareFields(
    _ fields: PropertyListDictionary, _ otherFields: PropertyListDictionary, _ path: String
  ) {
    let (names, otherNames) = (Self.classNames(left, fields), Self.classNames(right, otherFields))
    if names != otherNames { report(path, names.first ?? "no class", otherNames.first ?? "no class") }
    if (fields["NS.keys"] == nil) != (otherFields["NS.keys"] == nil) { report(path, "keys", "no keys") }
    if fields["NS.keys"] != nil, otherFields["NS.keys"] != nil {
      return compareElements(Self.dictionary(left, fields), Self.dictionary(right, otherFields), path)
    }
    if names.contains("NSSet"), otherNames.contains("NSSet") {
      return compareElements(Self.set(left, fields), Self.set(right, otherFields), path)
    }
    if let list = fields["NS.objects"]?.array, let otherList = otherFields["NS.objects"]?.array {
      if list.count != otherList.count { report(path, "\(list.count) elements", "\(otherList.count)") }
      for (index, (element, other)) in zip(list, otherList).enumerated() {
        waiting.append((element, other, "\(path)[\(index)]"))
      }
      return
    }
    for key in Set(fields.keys).union(otherFields.keys).sorted() where key != "$class" {
      waiting.append((fields[key], otherFields[key], "\(path).\(key)"))
    }
  }

  private mutating func compareElements(
    _ elements: [String: PropertyList], _ others: [String: PropertyList], _ path: String
  ) {
    for key in Set(elements.keys).union(others.keys).sorted() {
      waiting.append((elements[key], others[key], "\(path).\(key)"))
    }
  }
}
