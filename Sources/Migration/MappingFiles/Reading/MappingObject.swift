/// One object of an `xcmapping.xml`, which is a Core Data store in XML.
struct MappingObject {
  struct Attribute {
    let type: String
    var text: String
    let line: Int
  }

  /// The entity in capital letters: `XDDEVENTITYMAPPING`.
  let type: String
  let identifier: String
  let line: Int
  /// The attributes; those without a value are missing.
  var attributes: [String: Attribute] = [:]
  /// What each relationship leads to.
  var relationships: [String: [String]] = [:]

  /// The object for messages.
  var subject: String { "the object '\(identifier)' of type \(type)" }

  /// A text that may be missing; an empty one counts as missing.
  func text(_ name: String) -> String? {
    guard let text = attributes[name]?.text, !text.isEmpty else { return nil }
    return text
  }
}
