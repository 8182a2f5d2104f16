internal import DataModel

/// Descriptions by name, for what is looked up with each value.
final class DescriptionTable<Description: AnyObject> {
  private let table: NameTable
  private let descriptions: [Description]

  init(_ byName: [String: Description]) {
    let sorted = byName.sorted { $0.key < $1.key }
    table = NameTable(sorted.map(\.key))
    descriptions = sorted.map(\.value)
  }

  subscript(name: String) -> Description? { table.place(of: name).map { descriptions[$0] } }
}

/// A list of keys, for dictionaries with a value for each.
///
/// Policies ask for the same keys again and again. A dictionary that is made from another one with the same keys needs
/// none of their hashes.
final class KeyList {
  let keys: [String]
  /// The places of the keys; of a key that occurs twice, the last.
  private let places: [String: Int]

  init(_ keys: [String]) {
    self.keys = keys
    places = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { $1 })
  }

  /// The values by their keys, of which there is one for each; they are moved and not copied.
  func dictionary(taking values: inout [Any]) -> [String: Any] {
    places.mapValues { place in
      var value: Any = ()
      swap(&value, &values[place])
      return value
    }
  }
}
