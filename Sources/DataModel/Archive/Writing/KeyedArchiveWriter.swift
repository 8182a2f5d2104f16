internal import PropertyList

/// Builds a keyed archive as `NSKeyedArchiver` lays it out.
///
/// Objects are numbered in the order in which they are added, so the same calls always give the same bytes. References
/// are values like any other: whoever adds an object puts them into its fields.
struct KeyedArchiveWriter {
  private var objects: [PropertyList] = [.string("$null")]
  private var classes: [ArchivedClass: PropertyList] = [:]
  /// Texts by their bytes: Swift would take a composed and a decomposed é for the same.
  private var texts: [[UInt8]: PropertyList] = [:]

  /// The reference to no object.
  static let null = PropertyList.uid(0)

  /// Adds a plain value.
  mutating func add(_ value: PropertyList) -> PropertyList {
    objects.append(value)
    return .uid(UInt64(objects.count - 1))
  }

  /// Adds a text; equal ones are one object.
  mutating func add(_ text: String) -> PropertyList {
    let key = Array(text.utf8)
    if let known = texts[key] { return known }
    let reference = add(.string(text))
    texts[key] = reference
    return reference
  }

  /// Adds a text, or refers to no object.
  mutating func add(optional text: String?) -> PropertyList {
    guard let text else { return Self.null }
    return add(text)
  }

  /// A number for an object that others refer to before it is known.
  mutating func reserve() -> PropertyList { add(.null) }

  /// Sets the object behind a number that was reserved.
  mutating func fill(_ reference: PropertyList, _ archivedClass: ArchivedClass, _ fields: PropertyListDictionary) {
    guard case .uid(let number) = reference else { return }
    var fields = fields
    fields["$class"] = add(archivedClass)
    objects[Int(number)] = .dictionary(fields)
  }

  /// Adds an object.
  mutating func add(_ archivedClass: ArchivedClass, _ fields: PropertyListDictionary) -> PropertyList {
    let reference = reserve()
    fill(reference, archivedClass, fields)
    return reference
  }

  /// Adds an array or a set.
  mutating func add(_ collection: ArchivedClass, _ elements: [PropertyList]) -> PropertyList {
    add(collection, ["NS.objects": .array(elements)])
  }

  /// Adds a dictionary.
  mutating func add(
    _ dictionary: ArchivedClass, pairs: [(key: String, value: PropertyList)]
  ) -> PropertyList {
    let keys = pairs.map { add($0.key) }
    return add(dictionary, ["NS.keys": .array(keys), "NS.objects": .array(pairs.map(\.value))])
  }

  /// The whole archive.
  func propertyList(root: PropertyList) -> PropertyList {
    .dictionary([
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"), "$top": .dictionary(["root": root]),
      "$objects": .array(objects),
    ])
  }

  private mutating func add(_ archivedClass: ArchivedClass) -> PropertyList {
    if let known = classes[archivedClass] { return known }
    let reference = add(
      .dictionary([
        "$classname": .string(archivedClass.rawValue), "$classes": .array(archivedClass.lineage.map { .string($0) }),
      ]))
    classes[archivedClass] = reference
    return reference
  }
}
