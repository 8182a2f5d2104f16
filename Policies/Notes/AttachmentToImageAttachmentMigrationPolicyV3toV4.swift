internal import DataModel
internal import Diagnostics
public import Migration

/// Turns attachments of version 3 into image attachments of version 4.
///
/// Attributes are set by the expressions of the attribute mappings. Besides, the picture's own header gives width and
/// height, and the note that the attachment belongs to gives the caption. A picture that is absent or cannot be
/// understood leaves width and height at their defaults, and is counted; its bytes are kept whatever they are.
public final class AttachmentToImageAttachmentMigrationPolicyV3toV4: EntityMigrationPolicy {
  /// The name that mapping models use.
  public static let className = "AttachmentToImageAttachmentMigrationPolicyV3toV4"

  override public func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let newAttachment = try manager.destinationContext.insertNewObject(forEntityName: "ImageAttachment")
    try traversePropertyMappings(of: mapping) { attribute in
      guard let expression = attribute.valueExpression,
        let value = try manager.value(of: expression, source: sInstance).attributeValue
      else { return }
      newAttachment.setValue(value, forKey: attribute.name)
    }
    setSize(of: newAttachment, from: sInstance, manager)
    setCaption(of: newAttachment, from: sInstance, manager)
    manager.associate(sourceInstance: sInstance, withDestinationInstance: newAttachment, for: mapping)
  }

  /// Calls a block with each attribute mapping.
  ///
  /// - Throws: An error where there is none, or one without a name: the mapping model was not finished.
  private func traversePropertyMappings(
    of mapping: EntityMapping, _ block: (PropertyMapping) throws -> Void
  ) throws {
    let subject = MigrationError.Subject(entity: mapping.destinationEntityName, name: mapping.name)
    guard !mapping.attributeMappings.isEmpty else {
      throw MigrationError(.policyFailed, subject, detail: "No Attribute Mappings found!")
    }
    for attribute in mapping.attributeMappings {
      guard !attribute.name.isEmpty else {
        throw MigrationError(.policyFailed, subject, detail: "Attribute destination not configured properly")
      }
      try block(attribute)
    }
  }

  private func setSize(of attachment: ManagedObject, from source: ManagedObject, _ manager: MigrationManager) {
    do throws(PictureProblem) {
      guard let image = source.value(forKey: "image") else { throw .absent }
      guard case .data(let bytes) = image else { throw .unknownFormat }
      let size = try PictureSize(of: bytes)
      attachment.setValue(.double(Double(size.width)), forKey: "width")
      attachment.setValue(.double(Double(size.height)), forKey: "height")
    } catch {
      let counter = NoteCounter.unknownSize(error)
      manager.statistics.count(counter)
      manager.statistics.addExample("attachment \(source.objectID.primaryKey)", to: counter)
    }
  }

  private func setCaption(of attachment: ManagedObject, from source: ManagedObject, _ manager: MigrationManager) {
    var body: String?
    if case .string(let text)? = source.instances(forKey: "note").first?.value(forKey: "body") { body = text }
    let caption = Caption.of(body)
    attachment.setValue(.string(caption), forKey: "caption")
    if let body, caption.utf8.count < body.utf8.count { manager.statistics.count(NoteCounter.shortenedCaptions) }
  }
}
