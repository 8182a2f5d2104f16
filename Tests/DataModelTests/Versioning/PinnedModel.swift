import DataModel
import Testing

/// A small model with the hashes that Core Data computed for such entities.
struct PinnedModel: Sendable, CustomTestStringConvertible {
  let name: String
  let entities: [EntityDescription]
  let hashes: [String: String]

  init(_ name: String, _ entities: [EntityDescription], _ hashes: [String: String]) {
    self.name = name
    self.entities = entities
    self.hashes = hashes
  }

  var testDescription: String { name }
}

/// An attribute that must have a value.
func required(_ name: String, _ type: AttributeType) -> AttributeDescription {
  AttributeDescription(name, type, isOptional: false)
}

/// An attribute that may be without a value.
func optional(_ name: String, _ type: AttributeType) -> AttributeDescription {
  AttributeDescription(name, type)
}

/// An entity that only serves as the other end of relationships.
func stub(_ name: String, _ relationships: RelationshipDescription...) -> EntityDescription {
  EntityDescription(name, relationships: relationships)
}
