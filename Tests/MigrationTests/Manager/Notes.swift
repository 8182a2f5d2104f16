import CoreDataExpressions
import DataModel
import Migration
import TestSupport

/// Notes with an image, which become notes and attachments.
enum Notes {
  static let old = TrackModels.model([
    EntityDescription("Note", attributes: [.init("body", .string), .init("image", .binaryData)])
  ])
  static let new = TrackModels.model([
    EntityDescription(
      "Note", attributes: [.init("body", .string)],
      relationships: [RelationshipDescription("attachments", to: "Attachment", inverse: "note")]),
    EntityDescription(
      "Attachment",
      attributes: [.init("image", .binaryData), .init("caption", .string, defaultValue: .string("none"))],
      relationships: [RelationshipDescription("note", to: "Note", inverse: "attachments", maxCount: 1)]),
  ])

  static let rows = [
    "INSERT INTO ZNOTE (Z_PK, Z_ENT, ZBODY, ZIMAGE) VALUES (3, 1, 'a', x'01'), (5, 1, 'b', NULL), (9, 1, 'c', x'02')"
  ]

  static func attribute(_ name: String, _ format: String) throws -> PropertyMapping {
    PropertyMapping(name: name, valueExpression: try Expression(format: format))
  }
}
