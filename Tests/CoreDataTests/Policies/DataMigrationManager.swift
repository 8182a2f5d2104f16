// swift-format-ignore-file
// As an app has it: the notes example's migration manager, without the stack and with its files given.
import Foundation
import CoreData

class DataMigrationManager {
  let bundle: Bundle
  let storeURL: URL
  let modelName: String

  init(modelNamed: String, bundle: Bundle, storeURL: URL) {
    self.modelName = modelNamed
    self.bundle = bundle
    self.storeURL = storeURL
  }

  /// The app's own policies are found without a list; this one stands in a mapping model with another module.
  var policies: [NSEntityMigrationPolicy.Type] = []

  private func store(
    at storeURL: URL,
    isCompatibleWithModel model: NSManagedObjectModel
  ) -> Bool {
    let storeMetadata = metadataForStoreAtURL(storeURL: storeURL)

    return model.isConfiguration(
      withName: nil,
      compatibleWithStoreMetadata:storeMetadata
    )
  }

  private func metadataForStoreAtURL(
    storeURL: URL
  ) -> [String: Any] {
    let metadata: [String: Any]
    do {
      metadata = try NSPersistentStoreCoordinator
      .metadataForPersistentStore(
        ofType: NSSQLiteStoreType,
        at: storeURL,
        options: nil
      )
    } catch {
      metadata = [:]
      print("Error retrieving metadata for store at URL: \(storeURL): \(error)")
    }
    return metadata
  }

  var storeModel: NSManagedObjectModel? {
    NSManagedObjectModel.modelVersionsFor(modelNamed: modelName, in: bundle)
      .first {
          self.store(at: storeURL, isCompatibleWithModel: $0)
      }
  }

  private lazy var currentModel: NSManagedObjectModel =
      .model(named: self.modelName, in: bundle)

  private func migrateStoreAt(
    URL storeURL: URL,
    fromModel from: NSManagedObjectModel,
    toModel to: NSManagedObjectModel,
    mappingModel: NSMappingModel? = nil
  ) -> Bool {
    // 1
    let migrationManager =
      NSMigrationManager(sourceModel: from, destinationModel: to)
    for policy in policies { migrationManager.policies.register(policy) }

    // 2
    var migrationMappingModel: NSMappingModel
    if let mappingModel = mappingModel {
      migrationMappingModel = mappingModel
    } else {
      migrationMappingModel = try! NSMappingModel
      .inferredMappingModel(
          forSourceModel: from, destinationModel: to)
    }

    // 3
    let targetURL = storeURL.deletingLastPathComponent()
    let destinationName = storeURL.lastPathComponent + "~1"
    let destinationURL = targetURL
      .appendingPathComponent(destinationName)

    // 4
    let success: Bool
    do {
      try migrationManager.migrateStore(
        from: storeURL,
        sourceType: NSSQLiteStoreType,
        options: nil,
        with: migrationMappingModel,
        toDestinationURL: destinationURL,
        destinationType: NSSQLiteStoreType,
        destinationOptions: nil
      )
      success = true
    } catch {
      success = false
      print("Migration failed: \(error)")
    }
    // 5
    if success {
      let fileManager = FileManager.default
      do {
          try fileManager.removeItem(at: storeURL)
          try fileManager.moveItem(
            at: destinationURL,
            to: storeURL
          )
      } catch {
        print("Error migrating \(error)")
      }
    }
    return success
  }

  func performMigration() -> Bool {
    let versions = NSManagedObjectModel.modelVersionsFor(modelNamed: modelName, in: bundle)
    if let storeModel = self.storeModel, storeModel != currentModel,
      let index = versions.firstIndex(of: storeModel) {
      let destinationModel = versions[index + 1]
      let mappingModel = NSMappingModel(
        from: [bundle],
        forSourceModel: storeModel,
        destinationModel: destinationModel
      )

      let success = migrateStoreAt(
        URL: storeURL,
        fromModel: storeModel,
        toModel: destinationModel,
        mappingModel: mappingModel
      )

      return success && performMigration()
    }
    return store(at: storeURL, isCompatibleWithModel: currentModel)
  }
}

extension NSManagedObjectModel {
  private class func modelURLs(
    in modelFolder: String, _ bundle: Bundle
  ) -> [URL] {
    let folder = bundle.bundleURL.appendingPathComponent("\(modelFolder).xcdatamodeld")
    let urls = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (urls ?? []).filter { $0.pathExtension == "xcdatamodel" }
      .sorted { $0.deletingPathExtension().path < $1.deletingPathExtension().path }
  }

  class func modelVersionsFor(
    modelNamed modelName: String, in bundle: Bundle
  ) -> [NSManagedObjectModel] {
    modelURLs(in: modelName, bundle)
      .compactMap(NSManagedObjectModel.init)
  }

  class func model(
    named modelName: String,
    in bundle: Bundle = .main
  ) -> NSManagedObjectModel {
    bundle
      .url(forResource: modelName, withExtension: "xcdatamodeld")
      .flatMap(NSManagedObjectModel.init)
        ?? NSManagedObjectModel()
  }
}

func == (
  firstModel: NSManagedObjectModel,
  otherModel: NSManagedObjectModel
) -> Bool {
  firstModel.entitiesByName == otherModel.entitiesByName
}
