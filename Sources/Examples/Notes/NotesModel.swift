public import DataModel

/// The versions of the note library's data model, as `SampleData/Notes/Notes.xcdatamodeld` has them for Xcode.
public enum NotesModel {
  /// `Note` alone.
  public static let v1 = ManagedObjectModel.example(EntityDescription("Note", attributes: note))

  /// A note may have a picture.
  public static let v2 = ManagedObjectModel.example(
    EntityDescription("Note", attributes: note + [image(isOptional: true)]))

  /// A note may have several attachments, which are pictures.
  public static let v3 = ManagedObjectModel.example(
    noteWithAttachments,
    EntityDescription(
      "Attachment", attributes: [dateCreated, image(isOptional: false)], relationships: [noteOfAttachment]))

  /// Pictures are one kind of attachment.
  public static let v4 = ManagedObjectModel.example(
    noteWithAttachments,
    EntityDescription("Attachment", attributes: [dateCreated], relationships: [noteOfAttachment]),
    EntityDescription(
      "ImageAttachment", superentityName: "Attachment",
      attributes: [
        AttributeDescription("caption", .string, isOptional: false),
        AttributeDescription("height", .float, isOptional: false, defaultValue: .double(0)),
        image(isOptional: true),
        AttributeDescription("width", .float, isOptional: false, defaultValue: .double(0)),
      ]))

  /// All versions, in order.
  public static let all = [v1, v2, v3, v4]

  private static let dateCreated = AttributeDescription("dateCreated", .date, isOptional: false)
  private static let note = [
    AttributeDescription("body", .string), dateCreated,
    AttributeDescription("displayIndex", .integer64, isOptional: false, defaultValue: .integer(0)),
    AttributeDescription("title", .string, isOptional: false),
  ]
  private static let noteWithAttachments = EntityDescription(
    "Note", attributes: note, relationships: [RelationshipDescription("attachments", to: "Attachment", inverse: "note")]
  )
  private static let noteOfAttachment = RelationshipDescription("note", to: "Note", inverse: "attachments", maxCount: 1)

  private static func image(isOptional: Bool) -> AttributeDescription {
    AttributeDescription("image", .transformable, isOptional: isOptional, valueTransformerName: "ImageTransformer")
  }
}
