package import PropertyListFormat

/// One object of an archived model.
///
/// Fields that are absent or `nil` count as missing; a field of the wrong kind is an error that names it.
package struct ArchivedObject {
  package let archive: ModelArchive
  /// The object's name in errors: "Attribute 'Track.title'".
  package let subject: String
  /// The class and its ancestors.
  package let classNames: [String]
  package let fields: PropertyListDictionary

  /// The first of these classes in the object's own list of ancestors.
  package func kind(of known: Set<String>) -> String? { classNames.first { known.contains($0) } }

  /// The class, for errors.
  package var className: String { classNames.first ?? "?" }

  /// The value of a field.
  package func value(_ key: String) throws(ModelFileProblem) -> PropertyList? {
    guard let reference = fields[key] else { return nil }
    return try archive.value(reference)
  }

  /// A text that may be missing or empty.
  package func text(_ key: String) throws(ModelFileProblem) -> String? {
    guard try value(key) != nil else { return nil }
    guard let text = try archive.text(fields[key]) else { throw unexpected(key, "a text") }
    return text
  }

  /// A text that may be missing; an empty one counts as missing.
  package func optional(_ key: String) throws(ModelFileProblem) -> String? {
    guard let text = try text(key), !text.isEmpty else { return nil }
    return text
  }

  /// A Boolean; archives omit `false`.
  package func boolean(_ key: String) throws(ModelFileProblem) -> Bool {
    switch try value(key) {
    case nil: false
    case .boolean(let value): value
    case .integer(let number) where number == 0 || number == 1: number == 1
    default: throw unexpected(key, "YES or NO")
    }
  }

  /// A number; 0 if it is missing.
  package func integer<Integer: FixedWidthInteger>(
    _ key: String, as type: Integer.Type = Integer.self
  ) throws(ModelFileProblem) -> Integer {
    guard let value = try value(key) else { return 0 }
    guard let number = value.integer, let integer = Integer(exactly: number) else {
      throw unexpected(key, "a whole number")
    }
    return integer
  }

  /// Another object that may be missing.
  package func object(_ key: String, subject: String? = nil) throws(ModelFileProblem) -> ArchivedObject? {
    guard try value(key) != nil else { return nil }
    guard let object = try archive.object(fields[key], subject: subject ?? self.subject) else {
      throw unexpected(key, "an object")
    }
    return object
  }

  /// The name of the property or entity that a field refers to.
  package func name(_ nameKey: String, of key: String) throws(ModelFileProblem) -> String? {
    try object(key)?.optional(nameKey)
  }

  package func unexpected(_ key: String, _ expected: String) -> ModelFileProblem {
    .badArchivedValue(subject: subject, key: key, expected: expected)
  }
}

extension ArchivedObject {
  /// The elements of an array or a set that may be missing, still as references.
  package func list(_ key: String) throws(ModelFileProblem) -> [PropertyList] {
    guard let collection = try collection(key, "a list") else { return [] }
    return try collection.part("NS.objects", of: key)
  }

  /// The elements of an array or a set that may be missing, all of which must be objects.
  package func objects(
    _ key: String, _ expected: String, subject: String? = nil
  ) throws(ModelFileProblem) -> [ArchivedObject] {
    try list(key).map { reference throws(ModelFileProblem) in
      guard let object = try archive.object(reference, subject: subject ?? self.subject) else {
        throw unexpected(key, expected)
      }
      return object
    }
  }

  /// The keys and values of a dictionary that may be missing; the values still are references.
  ///
  /// - Parameter skipsOtherKeys: Whether keys that are not text are skipped instead of being an error.
  package func dictionary(
    _ key: String, skipsOtherKeys: Bool = false
  ) throws(ModelFileProblem) -> [(key: String, value: PropertyList)] {
    guard let dictionary = try collection(key, "a dictionary") else { return [] }
    let (keys, values) = try dictionary.columns(of: key)
    guard keys.count == values.count else { throw unexpected(key, "a value for each key") }
    var pairs: [(key: String, value: PropertyList)] = []
    for (name, value) in zip(keys, values) {
      if let name = try archive.text(name) {
        pairs.append((name, value))
      } else if !skipsOtherKeys {
        throw unexpected(key, "a text for each key")
      }
    }
    return pairs
  }

  private func columns(of key: String) throws(ModelFileProblem) -> (keys: [PropertyList], values: [PropertyList]) {
    guard let mapping = try object("searchMapping") else {
      return (try part("NS.keys", of: key), try part("NS.objects", of: key))
    }
    // Core Data keeps the entities of a model cache in its own kind of dictionary, which may have empty places.
    let (keys, values) = (try mapping.list("keys"), try list("values"))
    guard keys.count == values.count, let empty = try text("emptyToken") else { return (keys, values) }
    var full: (keys: [PropertyList], values: [PropertyList]) = ([], [])
    for (name, value) in zip(keys, values) where try archive.text(value) != empty {
      full.keys.append(name)
      full.values.append(value)
    }
    return full
  }

  private func collection(_ key: String, _ expected: String) throws(ModelFileProblem) -> ArchivedObject? {
    guard try value(key) != nil else { return nil }
    guard let object = try archive.object(fields[key], subject: subject) else { throw unexpected(key, expected) }
    return object
  }

  /// Errors name the owner's field, which tells people more than the part of a collection.
  private func part(_ part: String, of key: String) throws(ModelFileProblem) -> [PropertyList] {
    guard let list = try value(part)?.array else { throw unexpected(key, "a collection") }
    try archive.spend(list.count)
    return list
  }
}

/// An archived `NSDecimalNumber`: a whole number of at most 128 bits and a power of ten.
struct ArchivedDecimal {
  /// The nearest floating-point number.
  let value: Double

  /// Reads the number, or returns `nil` if the object is not one.
  init?(_ object: ArchivedObject) throws(ModelFileProblem) {
    guard let mantissa = try object.value("NS.mantissa")?.data, mantissa.count == 16 else { return nil }
    let length: Int = try object.integer("NS.length")
    let exponent: Int = try object.integer("NS.exponent")
    // An order of 2 is big-endian within each pair of bytes; the least significant pair comes first.
    let isBigEndian = try object.integer("NS.mantissa.bo", as: Int.self) == 2
    let isNegative = try object.boolean("NS.negative")
    guard (0...8).contains(length), (-256...256).contains(exponent) else { return nil }
    // Without digits, the sign means not-a-number.
    guard length > 0 || !isNegative else { return nil }
    var digits: UInt128 = 0
    for index in (0..<length).reversed() {
      let (first, second) = (UInt128(mantissa[2 * index]), UInt128(mantissa[2 * index + 1]))
      digits = digits << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
    }
    // Through text, because multiplying by a power of ten would round twice.
    guard let value = Double("\(isNegative ? "-" : "")\(digits)e\(exponent)") else { return nil }
    self.value = value
  }
}

/// Distinguishes the properties that archived entities declare from those that they inherit.
///
/// A compiled model lists only the properties that an entity declares. The model in a store also lists inherited ones,
/// as copies or proxies; there, a property is an entity's own if no ancestor lists its name.
struct InheritedPropertyNames {
  /// The names of all properties of each entity, inherited ones included.
  private var names: [String: Set<String>] = [:]
  private var parents: [String: String] = [:]

  init(_ outlines: [ArchivedEntityHeader]) throws(ModelFileProblem) {
    var children: [String: [ArchivedEntityHeader]] = [:]
    for outline in outlines {
      if let parent = outline.superentityName { children[parent, default: []].append(outline) }
    }
    // Parents first. An entity that no root leads to is part of a cycle, which the model reports.
    var waiting = outlines.filter { $0.superentityName == nil }
    var count = 0
    while let outline = waiting.popLast() {
      guard names[outline.name] == nil else { continue }
      let inherited = outline.superentityName.flatMap { names[$0] } ?? []
      let all = inherited.union(outline.properties.map(\.name))
      count += all.count
      let limit = InheritanceResolver.propertyLimit
      guard count <= limit else { throw .model(.tooManyInheritedProperties(limit: limit)) }
      names[outline.name] = all
      parents[outline.name] = outline.superentityName
      waiting += children[outline.name] ?? []
    }
  }

  /// Whether an entity declares a property that it lists.
  func declares(_ property: String, _ entity: String) -> Bool {
    guard let parent = parents[entity] else { return true }
    return names[parent]?.contains(property) != true
  }

  /// Whether an entity has a property, declared or inherited.
  func has(_ property: String, _ entity: String) -> Bool {
    names[entity]?.contains(property) == true
  }
}

/// The part of an archived entity that must be known before any property is read.
struct ArchivedEntityHeader {
  let name: String
  let superentityName: String?
  /// The properties that the archive lists, possibly including inherited ones.
  let properties: [(name: String, reference: PropertyList)]
  let object: ArchivedObject

  /// Reads an entity that the model lists under a name.
  init(_ archive: ModelArchive, _ reference: PropertyList, name listed: String) throws(ModelFileProblem) {
    guard let object = try archive.object(reference, subject: "Entity '\(listed)'"),
      object.kind(of: ["NSEntityDescription"]) != nil
    else { throw .badArchivedValue(subject: "The model", key: "NSEntities", expected: "a dictionary of entities") }
    self.object = object
    name = try object.optional("NSEntityName") ?? listed
    superentityName = try object.name("NSEntityName", of: "NSSuperentity")
    properties = try object.dictionary("NSProperties").map { (name: $0.key, reference: $0.value) }
  }
}
