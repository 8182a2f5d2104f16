package import PropertyList

/// One object of an archived model.
///
/// Fields that are absent or `nil` count as missing; a field of the wrong kind is an error that names it.
package struct ArchivedObject {
  package let archive: ModelArchive
  /// What the object describes, for errors: "Attribute 'Track.title'".
  package let subject: String
  /// The class and its ancestors.
  package let classNames: [String]
  package let fields: PropertyListDictionary

  /// The nearest of the object's class and its ancestors that is among these.
  package func kind(of known: Set<String>) -> String? { classNames.first { known.contains($0) } }

  /// The class, for errors.
  package var className: String { classNames.first ?? "?" }

  /// Whatever stands in a field.
  package func value(_ key: String) throws(ModelFileProblem) -> PropertyList? {
    guard let reference = fields[key] else { return nil }
    return try archive.value(reference)
  }

  /// A text that may be missing, and may be empty too.
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

  /// A truth value; archives leave out what is false.
  package func boolean(_ key: String) throws(ModelFileProblem) -> Bool {
    switch try value(key) {
    case nil: false
    case .boolean(let value): value
    case .integer(let number) where number == 0 || number == 1: number == 1
    default: throw unexpected(key, "YES or NO")
    }
  }

  /// A number, which is 0 when it is missing.
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

  /// The name of a property or entity that another object has.
  package func name(_ nameKey: String, of key: String) throws(ModelFileProblem) -> String? {
    try object(key)?.optional(nameKey)
  }

  package func unexpected(_ key: String, _ expected: String) -> ModelFileProblem {
    .badArchivedValue(subject: subject, key: key, expected: expected)
  }
}
