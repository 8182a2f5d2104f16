internal import PropertyList

/// One object of an archived model.
///
/// Fields that are absent or `nil` count as missing; a field of the wrong kind is an error that names it.
struct ArchivedObject {
  let archive: ModelArchive
  /// What the object describes, for errors: "Attribute 'Track.title'".
  let subject: String
  /// The class and its ancestors.
  let classNames: [String]
  let fields: PropertyListDictionary

  /// The nearest of the object's class and its ancestors that is among these.
  func kind(of known: Set<String>) -> String? { classNames.first { known.contains($0) } }

  /// The class, for errors.
  var className: String { classNames.first ?? "?" }

  /// Whatever stands in a field.
  func value(_ key: String) throws(ModelFileProblem) -> PropertyList? {
    guard let reference = fields[key] else { return nil }
    return try archive.value(reference)
  }

  /// A text that may be missing, and may be empty too.
  func text(_ key: String) throws(ModelFileProblem) -> String? {
    guard try value(key) != nil else { return nil }
    guard let text = try archive.text(fields[key]) else { throw unexpected(key, "a text") }
    return text
  }

  /// A text that may be missing; an empty one counts as missing.
  func optional(_ key: String) throws(ModelFileProblem) -> String? {
    guard let text = try text(key), !text.isEmpty else { return nil }
    return text
  }

  /// A truth value; archives leave out what is false.
  func boolean(_ key: String) throws(ModelFileProblem) -> Bool {
    switch try value(key) {
    case nil: false
    case .boolean(let value): value
    case .integer(let number) where number == 0 || number == 1: number == 1
    default: throw unexpected(key, "YES or NO")
    }
  }

  /// A number, which is 0 when it is missing.
  func integer<Integer: FixedWidthInteger>(
    _ key: String, as type: Integer.Type = Integer.self
  ) throws(ModelFileProblem) -> Integer {
    guard let value = try value(key) else { return 0 }
    guard let number = value.integer, let integer = Integer(exactly: number) else {
      throw unexpected(key, "a whole number")
    }
    return integer
  }

  /// Another object that may be missing.
  func object(_ key: String, subject: String? = nil) throws(ModelFileProblem) -> ArchivedObject? {
    guard try value(key) != nil else { return nil }
    guard let object = try archive.object(fields[key], subject: subject ?? self.subject) else {
      throw unexpected(key, "an object")
    }
    return object
  }

  /// The name of a property or entity that another object has.
  func name(_ nameKey: String, of key: String) throws(ModelFileProblem) -> String? {
    try object(key)?.optional(nameKey)
  }

  func unexpected(_ key: String, _ expected: String) -> ModelFileProblem {
    .badArchivedValue(subject: subject, key: key, expected: expected)
  }
}
