internal import DataModel
package import Migration
internal import MigrationDiagnostics

/// Turns attachments of version 3 into image attachments of version 4.
///
/// Attributes are set by the expressions of the attribute mappings. Besides, the picture's own header gives width and
/// height, and the note that the attachment belongs to gives the caption. A picture that is absent or cannot be
/// understood leaves width and height at their defaults, and is counted; its bytes are kept whatever they are.
package final class AttachmentToImageAttachmentMigrationPolicyV3toV4: EntityMigrationPolicy {
  /// The name that mapping models use.
  package static let className = "AttachmentToImageAttachmentMigrationPolicyV3toV4"

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
  /// - Throws: An error if there is none, or one without a name, because the mapping model was not finished.
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

/// The beginning of a note, used as the caption of its picture.
///
/// A caption has at most 80 UTF-16 units, as `NSString` counts. If the 80th unit is the first half of a surrogate pair,
/// the whole pair is left out and the caption has 79 units. Characters composed of several scalars may be cut, as
/// `substring(to:)` does. Shorter notes are used whole, and a note without a body produces an empty caption.
enum Caption {
  static let limit = 80

  static func of(_ body: String?) -> String {
    var caption = String.UnicodeScalarView()
    var length = 0
    for scalar in (body ?? "").unicodeScalars {
      length += UTF16.width(scalar)
      guard length <= limit else { break }
      caption.append(scalar)
    }
    return String(caption)
  }
}

/// The names of what the policies of notes count, in `MigrationStatistics`.
package enum NoteCounter {
  /// Attachments whose width and height are left at their defaults for this reason.
  package static func unknownSize(_ problem: PictureProblem) -> String { "unknown_size.\(problem.rawValue)" }

  /// Captions that are shorter than the body that they begin.
  package static let shortenedCaptions = "shortened_captions"
}
