// swift-format-ignore-file
//  A migrator as many apps have one: step by step, each version to the next, in a temporary place.

import CoreData
import Foundation
import os.log

enum StoreVersion: String, CaseIterable {
    case version1 = "Notes"
    case version2 = "Notes 2"
    case version3 = "Notes 3"

    static var current: StoreVersion {
        guard let latest = allCases.last else { fatalError("no model versions found") }
        return latest
    }

    func next() -> StoreVersion? {
        switch self {
        case .version1: return .version2
        case .version2: return .version3
        case .version3: return nil
        }
    }
}

protocol StoreMigratorProtocol {
    func requiresMigration(at storeURL: URL, toVersion version: StoreVersion) -> Bool
    func migrateStore(at storeURL: URL, toVersion version: StoreVersion)
}

@objcMembers
final class StoreMigrator: NSObject, StoreMigratorProtocol {
    private let bundle: Bundle
    private let log = OSLog(subsystem: "com.example.app", category: #keyPath(Note.title))
    private(set) var steps: [String] = []

    init(bundle: Bundle) {
        self.bundle = bundle
    }

    @nonobjc func requiresMigration(at storeURL: URL, toVersion version: StoreVersion) -> Bool {
        guard let metadata = NSPersistentStoreCoordinator.metadata(at: storeURL) else {
            return false
        }
        return StoreVersion.compatible(with: metadata, in: bundle) != version
    }

    @nonobjc func migrateStore(at storeURL: URL, toVersion version: StoreVersion) {
        forceWALCheckpointing(at: storeURL)

        var currentURL = storeURL
        for step in migrationSteps(at: storeURL, toVersion: version) {
            let manager = NSMigrationManager(sourceModel: step.source, destinationModel: step.destination)
            let destinationURL = URL(fileURLWithPath: NSTemporaryDirectory(), isDirectory: true)
                .appendingPathComponent(UUID().uuidString)
            do {
                try manager.migrateStore(
                    from: currentURL, sourceType: NSSQLiteStoreType, options: nil, with: step.mapping,
                    toDestinationURL: destinationURL, destinationType: NSSQLiteStoreType, destinationOptions: nil)
            } catch let error {
                fatalError("failed attempting to migrate from \(step.name), error: \(error)")
            }
            if currentURL != storeURL {
                // Destroy intermediate step's store
                NSPersistentStoreCoordinator.destroyStore(at: currentURL)
            }
            currentURL = destinationURL
            os_log("migrated %{public}@", log: log, type: .info, step.name)
            steps.append(step.name)
        }
        NSPersistentStoreCoordinator.replaceStore(at: storeURL, withStoreAt: currentURL)
        if currentURL != storeURL {
            NSPersistentStoreCoordinator.destroyStore(at: currentURL)
        }
    }

    private struct Step {
        let name: String
        let source: NSManagedObjectModel
        let destination: NSManagedObjectModel
        let mapping: NSMappingModel
    }

    private func migrationSteps(at storeURL: URL, toVersion destination: StoreVersion) -> [Step] {
        guard let metadata = NSPersistentStoreCoordinator.metadata(at: storeURL),
              var source = StoreVersion.compatible(with: metadata, in: bundle) else {
            fatalError("unknown store version at URL \(storeURL)")
        }
        var steps = [Step]()
        while source != destination, let next = source.next() {
            let (old, new) = (NSManagedObjectModel.model(source, in: bundle), NSManagedObjectModel.model(next, in: bundle))
            guard let mapping = NSMappingModel(from: [bundle], forSourceModel: old, destinationModel: new)
                    ?? (try? NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)) else {
                fatalError("no mapping model")
            }
            steps.append(Step(name: "\(source.rawValue) - \(next.rawValue)", source: old, destination: new, mapping: mapping))
            source = next
        }
        return steps
    }

    func forceWALCheckpointing(at storeURL: URL) {
        guard let metadata = NSPersistentStoreCoordinator.metadata(at: storeURL),
              let currentModel = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata) else {
            return
        }
        do {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: currentModel)
            let options = [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: options)
            try coordinator.remove(store)
        } catch let error {
            fatalError("failed to force WAL checkpointing, error: \(error)")
        }
    }
}

private extension StoreVersion {
    static func compatible(with metadata: [String: Any], in bundle: Bundle) -> StoreVersion? {
        return allCases.first {
            NSManagedObjectModel.model($0, in: bundle)
                .isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        }
    }
}

private extension NSManagedObjectModel {
    static func model(_ version: StoreVersion, in bundle: Bundle) -> NSManagedObjectModel {
        let url = bundle.bundleURL.appendingPathComponent("Notes.xcdatamodeld/\(version.rawValue).xcdatamodel")
        guard let model = NSManagedObjectModel(contentsOf: url) else {
            fatalError("unable to load model at URL: \(url)")
        }
        return model
    }
}

extension NSPersistentStoreCoordinator {
    static func metadata(at storeURL: URL) -> [String: Any]? {
        return try? NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: storeURL, options: nil)
    }

    static func destroyStore(at storeURL: URL) {
        do {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
            try coordinator.destroyPersistentStore(at: storeURL, ofType: NSSQLiteStoreType, options: nil)
        } catch let error {
            fatalError("failed to destroy persistent store at \(storeURL), error: \(error)")
        }
    }

    static func replaceStore(at targetURL: URL, withStoreAt sourceURL: URL) {
        do {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
            try coordinator.replacePersistentStore(
                at: targetURL, destinationOptions: nil, withPersistentStoreFrom: sourceURL, sourceOptions: nil,
                ofType: NSSQLiteStoreType)
        } catch let error {
            fatalError("failed to replace persistent store at \(targetURL) with \(sourceURL), error: \(error)")
        }
    }
}
