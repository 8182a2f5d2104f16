// swift-format-ignore-file
//  An app's policy as Xcode compiles it, with what only Apple's systems have.

import CoreData
import Foundation
import UIKit
import os.log

private let logger = Logger(subsystem: "com.example.app", category: "migration")

@objc(NoteToNotePolicy)
final class NoteToNotePolicy: NSEntityMigrationPolicy {
    /* "@objc" and #keyPath(Note.title) in a comment stay. */
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        guard let note = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first else { return }
        let title = sInstance.value(forKey: #keyPath(Note.title)) as? String ?? "none"
        note.setValue(title + " @objc", forKey: #keyPath(Note.title))
        os_log("Migrated %{public}@", log: .default, type: .debug, title)
        logger.debug("Migrated \(title, privacy: .public), \(#keyPath(Note.body))")
    }

    @objc func length(of title: NSString?) -> NSNumber { NSNumber(value: title?.length ?? 0) }
    static let action = #selector(NoteToNotePolicy.length(of:))
}
