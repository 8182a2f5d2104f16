/// The attributes of an XML element, taken one by one.
///
/// What is left over only means something to Xcode.
struct ElementAttributes {
  /// What the element describes, for errors: "Attribute 'Track.title'".
  let subject: String
  private(set) var rest: [String: String]

  init(_ element: MarkupElement, subject: String) {
    self.subject = subject
    rest = element.attributes
  }

  /// Takes a text that must be there.
  mutating func required(_ name: String) throws(ModelFileProblem) -> String {
    guard let value = optional(name) else { throw .missingAttribute(subject: subject, attribute: name) }
    return value
  }

  /// Takes a text that may be missing; an empty one counts as missing.
  mutating func optional(_ name: String) -> String? {
    guard let value = rest.removeValue(forKey: name), !value.isEmpty else { return nil }
    return value
  }

  /// Takes a text that may be missing, and may be empty too.
  mutating func text(_ name: String) -> String? {
    rest.removeValue(forKey: name)
  }

  /// Takes a truth value.
  ///
  /// Xcode writes `YES` and `NO`; some tools write `true` and `false`.
  mutating func boolean(_ name: String) throws(ModelFileProblem) -> Bool {
    guard let value = optional(name) else { return false }
    guard let boolean = Bool(xcodeText: value) else {
      throw .badValue(subject: subject, attribute: name, value: value, expected: "YES or NO")
    }
    return boolean
  }

  /// Takes a count, which is 0 when it is missing.
  mutating func count(_ name: String) throws(ModelFileProblem) -> Int32 {
    guard let value = optional(name) else { return 0 }
    guard let count = Int32(value) else {
      throw .badValue(subject: subject, attribute: name, value: value, expected: "a whole number")
    }
    return count
  }
}

extension Bool {
  /// Reads a truth value as Xcode writes it in models.
  init?(xcodeText text: String) {
    switch text.uppercased() {
    case "YES", "TRUE", "1": self = true
    case "NO", "FALSE", "0": self = false
    default: return nil
    }
  }
}
