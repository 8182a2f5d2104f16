internal import DataModel
internal import Expressions
public import Migration
internal import Policies

/// The mapping models between the versions of the note library.
public enum NotesMapping {
  /// From version 1 to 2, as it is inferred: the picture is new and optional.
  public static var v1ToV2: MappingModel {
    MappingModel(entityMappings: [.example(from: ("Note", NotesModel.v1), to: ("Note", NotesModel.v2))])
  }

  /// From version 2 to 3: each note that has a picture also becomes an attachment.
  ///
  /// Notes have no mapping of their `attachments`, for the inverse makes the link.
  public static var v2ToV3: MappingModel {
    let (v2, v3) = (NotesModel.v2, NotesModel.v3)
    var attachments = EntityMapping.example(
      from: ("Note", v2), to: ("Attachment", v3),
      relationships: [
        PropertyMapping(
          name: "note",
          valueExpression: .destinationInstances(entityMappingNamed: "NoteToNote", sourceInstances: .source))
      ])
    attachments.filterPredicate = .compare(.key("image"), .notEqual, .null)
    return MappingModel(entityMappings: [.example(from: ("Note", v2), to: ("Note", v3)), attachments])
  }

  /// From version 3 to 4: every attachment becomes an image attachment, of which its policy finds out more.
  ///
  /// There is no mapping of attachments to attachments, and none for what the policy sets.
  public static var v3ToV4: MappingModel {
    let (v3, v4) = (NotesModel.v3, NotesModel.v4)
    var attachments = EntityMapping.example(
      from: ("Attachment", v3), to: ("ImageAttachment", v4),
      policy: AttachmentToImageAttachmentMigrationPolicyV3toV4.className, relationships: [.relationship("note")])
    attachments.attributeMappings.removeAll { ["caption", "height", "width"].contains($0.name) }
    return MappingModel(entityMappings: [
      .example(from: ("Note", v3), to: ("Note", v4), relationships: [.relationship("attachments")]), attachments,
    ])
  }
}
