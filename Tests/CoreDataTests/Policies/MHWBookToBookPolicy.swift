// swift-format-ignore-file
// As an app has it: the book example's policy, in Swift.
import CoreData
import Foundation

class MHWBookToBookPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        let modelVersion = (mapping.userInfo?["modelVersion"] as? NSString)?.integerValue
        guard modelVersion == 2 || modelVersion == 3 else {
            try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
            return
        }
        let sourceKeys = Array(sInstance.entity.attributesByName.keys)
        let sourceValues = sInstance.dictionaryWithValues(forKeys: sourceKeys)
        let destinationInstance = NSEntityDescription.insertNewObject(forEntityName: mapping.destinationEntityName!, into: manager.destinationContext)
        let destinationKeys = Array(destinationInstance.entity.attributesByName.keys)
        for key in destinationKeys {
            let value = sourceValues[key]
            // Avoid NULL values
            if let value = value, !(value is NSNull) {
                destinationInstance.setValue(value, forKey: key)
            }
        }

        if modelVersion == 2 {
            let authorLookup = manager.lookup(withKey: "authors")
            // Check if we've already created this author
            if let authorName = sInstance.value(forKey: "authorName") as? String {
                var author = authorLookup[authorName] as? NSManagedObject
                if author == nil {
                    // Create the author
                    author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: manager.destinationContext)
                    author?.setValue(authorName, forKey: "name")
                    // Store this author so that we don't create it again
                    authorLookup[authorName] = author
                }
                destinationInstance.mutableSetValue(forKey: "authors").add(author!)
            }
        } else {
            let users = (sInstance.value(forKey: "users") as? Set<NSManagedObject>) ?? []
            for user in users {
                let file = NSEntityDescription.insertNewObject(forEntityName: "File", into: manager.destinationContext)
                file.setValue(sInstance.value(forKey: "fileURL"), forKey: "fileURL")
                file.setValue(destinationInstance, forKey: "book")

                let userId = (user.value(forKey: "userId") as! NSNumber).intValue
                let request = NSFetchRequest<NSManagedObject>(entityName: "User")
                request.predicate = NSPredicate(format: "userId = %d", userId)
                let user = try manager.destinationContext.fetch(request).last
                file.setValue(user, forKey: "user")
            }
        }

        manager.associate(sourceInstance: sInstance, withDestinationInstance: destinationInstance, for: mapping)
    }
}
