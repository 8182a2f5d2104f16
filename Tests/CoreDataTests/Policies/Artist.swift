// swift-format-ignore-file
// The class that Xcode generates, without the properties, which need Objective-C.
import Foundation
import CoreData

public class Artist: NSManagedObject, Identifiable {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Artist> {
        return NSFetchRequest<Artist>(entityName: "Artist")
    }
}
