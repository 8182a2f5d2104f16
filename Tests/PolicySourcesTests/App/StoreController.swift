// swift-format-ignore-file
//  What apps write around their stores: contexts, errors, progress, and a look into the file with SQLite.

import CoreData
import Foundation
import SQLite3

private let SQLITE_TRANSIENT = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

final class StoreController: @unchecked Sendable {
    let container: NSPersistentContainer
    private(set) var saves: [Set<NSManagedObject>] = []
    private(set) var storeChanges = 0
    private var observers: [NSObjectProtocol] = []

    init(container: NSPersistentContainer) {
        self.container = container
        observers.append(NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorStoresDidChange, object: container.persistentStoreCoordinator, queue: nil
        ) { [weak self] notification in
            if notification.userInfo?[NSAddedPersistentStoresKey] is [NSPersistentStore] { self?.storeChanges += 1 }
        })
        observers.append(NotificationCenter.default.addObserver(
            forName: NSManagedObjectContext.didSaveObjectsNotification, object: nil, queue: nil
        ) { [weak self] notification in
            let key = NSManagedObjectContext.NotificationKey.insertedObjects.rawValue
            self?.saves.append(notification.userInfo?[key] as? Set<NSManagedObject> ?? [])
        })
    }

    deinit {
        observers.forEach(NotificationCenter.default.removeObserver)
    }

    func makeContexts() -> [NSManagedObjectContext] {
        let contexts = [NSManagedObjectContext(.privateQueue), NSManagedObjectContext(.mainQueue)]
        contexts.forEach { $0.persistentStoreCoordinator = container.persistentStoreCoordinator }
        return contexts
    }

    /// What a person is told of an error.
    static func reason(of error: Error) -> String {
        switch error {
        case CocoaError.validationMissingMandatoryProperty: return "something is missing"
        case CocoaError.persistentStoreIncompatibleVersionHash: return "another version"
        case let error as CocoaError where error.code == .managedObjectMerge || error.code == .persistentStoreSaveConflicts:
            return "changed twice: \(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] ?? "")"
        default: break
        }
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else { return error.domain == NSSQLiteErrorDomain ? "SQLite" : "other" }
        switch error.code {
        case NSManagedObjectMergeError, NSManagedObjectConstraintMergeError: return "conflict"
        case NSPersistentStoreOpenError, NSPersistentStoreTimeoutError: return "cannot be opened"
        case NSMigrationMissingMappingModelError, NSMigrationConstraintViolationError: return "cannot be migrated"
        case NSValidationMultipleErrorsError:
            return (error.userInfo[NSDetailedErrorsKey] as? [NSError])?.description ?? "several"
        default: return error.code == NSSQLiteError ? "SQLite" : "\(error.userInfo[NSAffectedObjectsErrorKey] ?? "")"
        }
    }

    /// Migrates with a progress bar.
    static func migrate(
        _ manager: NSMigrationManager, from source: URL, to destination: URL, with mapping: NSMappingModel,
        progress: @escaping (Float) -> Void
    ) throws -> [String] {
        var entities: [String] = []
        let observations = [
            manager.observe(\.migrationProgress, options: [.new]) { manager, change in
                assert(change.newValue == manager.migrationProgress)
                progress(change.newValue ?? -1)
            },
            manager.observe(\.currentEntityMapping) { manager, _ in
                if let name = manager.currentEntityMapping.name { entities.append(name) }
            },
        ]
        defer { observations.forEach { $0.invalidate() } }
        try manager.migrateStore(
            from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: destination,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        return entities
    }

    /// Reads a text without Core Data.
    static func titles(in url: URL, from title: String) -> [String] {
        var database: OpaquePointer?
        guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            fatalError(String(cString: sqlite3_errmsg(database)))
        }
        defer { sqlite3_close(database) }
        var statement: OpaquePointer?
        let sql = "SELECT ZTITLE FROM ZNOTE WHERE ZTITLE >= ? ORDER BY 1"
        guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
        defer { sqlite3_finalize(statement) }
        sqlite3_bind_text(statement, 1, title, -1, SQLITE_TRANSIENT)
        var titles: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            titles.append(String(cString: sqlite3_column_text(statement, 0)))
        }
        return titles
    }
}
