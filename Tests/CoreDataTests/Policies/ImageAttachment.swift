// swift-format-ignore-file
// The app's classes, without the properties, which need Objective-C.
import CoreData

class Attachment: NSManagedObject {}

class ImageAttachment: Attachment {}
