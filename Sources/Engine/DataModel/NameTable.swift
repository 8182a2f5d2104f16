// Policies ask for values by name, so a name is looked up for each value of each row. Hashing it takes several times as
// long as comparing it with a few others, most of which differ in their first bytes.

/// Finds the places of names in a list, such as those of an entity's attributes.
package struct NameTable: Sendable {
  /// The names in their order.
  package let names: [String]
  /// The places of the names, if there are many; of a name that occurs twice, the first.
  private let places: [String: Int]?

  /// More names than this are found by their hashes.
  private static let fewCount = 12

  /// Makes a table of names.
  package init(_ names: [String]) {
    self.names = names
    places =
      names.count <= Self.fewCount
      ? nil : Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
  }

  /// The place of a name.
  package func place(of name: String) -> Int? {
    if let places { return places[name] }
    for place in names.indices where names[place] == name { return place }
    return nil
  }

  /// The place of a name that is likely to be at a certain one.
  package func place(of name: String, expectedAt place: Int) -> Int? {
    names.indices.contains(place) && names[place] == name ? place : self.place(of: name)
  }
}

/// Makes names unique: a name that is taken gets the suffix 1, 2, 3 and so on.
package struct UniqueNames {
  private var taken: Set<String>

  /// Begins with names that are taken.
  package init(_ taken: Set<String>) {
    self.taken = taken
  }

  /// The name, or the name with the first number that makes it unique.
  package mutating func unique(_ name: String) -> String {
    if taken.insert(name).inserted { return name }
    var number = 1
    while !taken.insert("\(name)\(number)").inserted { number += 1 }
    return "\(name)\(number)"
  }
}
