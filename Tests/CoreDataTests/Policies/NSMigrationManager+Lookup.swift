// swift-format-ignore-file
// As an app has it: the book example's category, in Swift.
import CoreData

extension NSMigrationManager {
    func lookup(withKey lookupKey: String) -> NSMutableDictionary {
        var userInfo = self.userInfo ?? [:]
        // Check if we've already created a userInfo dictionary
        if let lookup = userInfo[lookupKey] as? NSMutableDictionary {
            return lookup
        }
        let lookup = NSMutableDictionary()
        userInfo[lookupKey] = lookup
        self.userInfo = userInfo
        return lookup
    }
}
