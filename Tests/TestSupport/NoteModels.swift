package import DataModel

/// Two versions of a small model of notes.
package enum NoteModels {
  private static func texts(_ names: String...) -> [AttributeDescription] {
    names.map { AttributeDescription($0, .string) }
  }

  package static let source = TrackModels.model([
    EntityDescription(
      "Note",
      attributes: texts("title", "body", "headline") + [AttributeDescription("summary", .string, isTransient: true)],
      relationships: [
        RelationshipDescription("folder", to: "Folder", inverse: "notes", maxCount: 1),
        RelationshipDescription("files", to: "File", inverse: "note"),
      ]),
    EntityDescription(
      "Folder", attributes: texts("name"),
      relationships: [RelationshipDescription("notes", to: "Note", inverse: "folder")]),
    EntityDescription(
      "File", attributes: texts("path"),
      relationships: [RelationshipDescription("note", to: "Note", inverse: "files", maxCount: 1)]),
  ])

  /// Files have subentities five deep, and `headline` has become `caption`.
  package static let destination = TrackModels.model(
    [
      EntityDescription(
        "Note",
        attributes: texts("title", "body", "summary") + [
          AttributeDescription("caption", .string, renamingIdentifier: "headline"),
          AttributeDescription("passing", .string, isTransient: true),
        ],
        relationships: [
          RelationshipDescription("folder", to: "Folder", inverse: "notes", maxCount: 1),
          RelationshipDescription("files", to: "File", inverse: "note"),
          RelationshipDescription("tags", to: "Tag", inverse: "notes"),
          RelationshipDescription("recent", to: "File", isTransient: true),
        ]),
      EntityDescription(
        "Folder", attributes: texts("name"),
        relationships: [RelationshipDescription("notes", to: "Note", inverse: "folder")]),
      EntityDescription(
        "File", attributes: texts("path"),
        relationships: [RelationshipDescription("note", to: "Note", inverse: "files", maxCount: 1)]),
      EntityDescription(
        "Tag", attributes: texts("name"),
        relationships: [RelationshipDescription("notes", to: "Note", inverse: "tags")]),
    ]
      + (1...4).map { EntityDescription("File\($0)", superentityName: $0 == 1 ? "File" : "File\($0 - 1)") })
}
