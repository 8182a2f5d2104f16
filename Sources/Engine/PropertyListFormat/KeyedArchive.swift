/// The unresolved content of a keyed archive, as `NSKeyedArchiver` writes it.
///
/// Objects refer to each other by number and may form cycles, so references are resolved one at a time, with
/// ``object(_:)``.
package struct KeyedArchive: Sendable, Hashable {
  /// The class that wrote the archive.
  package let archiver: String
  /// The entry points by name; most archives have one, `root`.
  package let top: PropertyListDictionary
  /// All archived objects.
  ///
  /// The first one represents `nil`.
  package let objects: [PropertyList]

  /// Finds the parts of a keyed archive.
  ///
  /// - Throws: `PropertyListError.notAnArchive` if a part is missing.
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

  /// Returns the archived object that a value refers to; other values are returned unchanged.
  ///
  /// - Returns: `nil` if the reference represents `nil` or is dangling.
  package func object(_ value: PropertyList?) -> PropertyList? {
    guard case .uid(let number) = value else { return value }
    guard number > 0, let index = Int(exactly: number), index < objects.count else { return nil }
    return objects[index]
  }

  /// The archived object of an entry point.
  package func root(_ name: String = "root") -> PropertyList? { object(top[name]) }
}

/// Builds a keyed archive as `NSKeyedArchiver` lays it out.
///
/// Objects are numbered in the order in which they are added, so the same calls always give the same bytes. References
/// are plain values, which callers put into the fields of other objects.
package struct KeyedArchiveWriter {
  private var objects: [PropertyList] = [.string("$null")]
  private var classes: [String: PropertyList] = [:]
  /// Texts by their bytes: as Swift strings, a composed and a decomposed é are equal.
  private var texts: [[UInt8]: PropertyList] = [:]

  /// The reference to no object.
  package static let null = PropertyList.uid(0)

  /// Creates an empty archive.
  package init() {}

  /// Adds a plain value.
  package mutating func add(_ value: PropertyList) -> PropertyList {
    objects.append(value)
    return .uid(UInt64(objects.count - 1))
  }

  /// Adds a text; equal ones are one object.
  package mutating func add(_ text: String) -> PropertyList {
    let key = Array(text.utf8)
    if let known = texts[key] { return known }
    let reference = add(.string(text))
    texts[key] = reference
    return reference
  }

  /// Adds a text, or refers to no object.
  package mutating func add(optional text: String?) -> PropertyList {
    guard let text else { return Self.null }
    return add(text)
  }

  /// Reserves a number for an object that others refer to before its fields are known.
  package mutating func reserve() -> PropertyList { add(.null) }

  /// Sets an object whose number was reserved.
  ///
  /// - Parameter classNames: The class and its ancestors, except `NSObject`.
  package mutating func fill(_ reference: PropertyList, _ classNames: [String], _ fields: PropertyListDictionary) {
    guard case .uid(let number) = reference else { return }
    var fields = fields
    fields["$class"] = addClass(classNames + ["NSObject"])
    objects[Int(number)] = .dictionary(fields)
  }

  /// The whole archive.
  package func propertyList(root: PropertyList) -> PropertyList {
    .dictionary([
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"), "$top": .dictionary(["root": root]),
      "$objects": .array(objects),
    ])
  }

  private mutating func addClass(_ names: [String]) -> PropertyList {
    if let known = classes[names[0]] { return known }
    let reference = add(.dictionary(["$classname": .string(names[0]), "$classes": .array(names.map { .string($0) })]))
    classes[names[0]] = reference
    return reference
  }
}
