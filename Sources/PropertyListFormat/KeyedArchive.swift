/// The unresolved content of a keyed archive, as `NSKeyedArchiver` writes it.
///
/// Objects refer to each other by numbers and may form cycles, so nothing is resolved here: ask for one object at a
/// time with ``object(_:)``.
package struct KeyedArchive: Sendable, Hashable {
  /// The class that wrote the archive.
  package let archiver: String
  /// The entry points by name; most archives have one, `root`.
  package let top: PropertyListDictionary
  /// All archived objects.
  ///
  /// The first one stands for `nil`.
  package let objects: [PropertyList]

  /// Finds the parts of a keyed archive.
  ///
  /// - Throws: `PropertyListError.notAnArchive` where a part is missing.
  package init(_ propertyList: PropertyList) throws(PropertyListError) {
    guard let archiver = propertyList["$archiver"]?.string, let top = propertyList["$top"]?.dictionary,
      let objects = propertyList["$objects"]?.array
    else { throw .notAnArchive }
    self.archiver = archiver
    self.top = top
    self.objects = objects
  }

  /// Reads a keyed archive from the bytes of a property list.
  package init(contentsOf bytes: [UInt8]) throws(PropertyListError) {
    try self.init(PropertyList(contentsOf: bytes))
  }

  /// The archived object that a value refers to; a value that is no reference stands for itself.
  ///
  /// - Returns: Nothing where the reference stands for `nil` or leads nowhere.
  package func object(_ value: PropertyList?) -> PropertyList? {
    guard case .uid(let number) = value else { return value }
    guard number > 0, let index = Int(exactly: number), index < objects.count else { return nil }
    return objects[index]
  }

  /// The archived object of an entry point.
  package func root(_ name: String = "root") -> PropertyList? { object(top[name]) }
}
