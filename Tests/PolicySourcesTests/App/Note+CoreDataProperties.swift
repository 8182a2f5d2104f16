// swift-format-ignore-file
import Foundation
import CoreData

@objc(Note)
public class Note: NSManagedObject {}

extension Note {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Note> { NSFetchRequest<Note>(entityName: "Note") }

    @NSManaged public var title: String?  // the headline
    @NSManaged public var body: String?
    @NSManaged public var dateCreated: Date
    @NSManaged public var displayIndex: Int64
    @NSManaged public var attachments: NSSet?
}

// MARK: Generated accessors for attachments
extension Note {
    @objc(addAttachmentsObject:)
    @NSManaged public func addToAttachments(_ value: Attachment)

    @objc(removeAttachments:)
    @NSManaged public func removeFromAttachments(_ values: NSSet)
}

@objc(Attachment)
public class Attachment: NSManagedObject {
    @NSManaged public var dateCreated: Date?
    @NSManaged public var image: Data?
    @NSManaged public var note: Note?
}
