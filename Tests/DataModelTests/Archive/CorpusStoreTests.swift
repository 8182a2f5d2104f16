import DataModel
import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite(.enabled(if: !SharedFolder.stores.isEmpty, "needs ../shared/corpus"))
struct CorpusStoreTests {
  @Test(arguments: SharedFolder.stores)
  func `The cached model of a store has the hashes in the store's metadata`(path: String) throws {
    let store = try CorpusStore(path)
    let metadata = try store.metadata()
    guard let cache = try store.modelCache() else {
      // Models are kept since framework version 637.
      #expect(try #require(metadata["NSPersistenceFrameworkVersion"]?.integer) < 637)
      return
    }
    let model = try ManagedObjectModel(modelCache: cache)
    let hashes = try #require(metadata["NSStoreModelVersionHashes"]?.dictionary).pairs.compactMap { pair in
      pair.value.data.map { (pair.key, VersionHash(bytes: $0)) }
    }
    #expect(model.entityVersionHashesByName == Dictionary(uniqueKeysWithValues: hashes))
    if let digest = metadata["NSStoreModelVersionHashesDigest"]?.string {
      #expect(Data(model.versionHashesDigest).base64EncodedString() == digest)
    }
    if let checksum = metadata["NSStoreModelVersionChecksumKey"]?.string {
      #expect(Data(model.versionChecksum).base64EncodedString() == checksum)
    }
    #expect(metadata["NSStoreModelVersionIdentifiers"]?.array?.compactMap(\.string) == model.versionIdentifiers)
  }

  /// Renaming identifiers and class names of the samples were edited between the model and the store.
  @Test(arguments: SharedFolder.stores)
  func `The cached model of a store equals its source`(path: String) throws {
    guard let cache = try CorpusStore(path).modelCache() else { return }
    let model = try ManagedObjectModel(modelCache: cache).comparable()
    for file in SharedFolder.modelFiles {
      let source = try ManagedObjectModel(contentsOfFile: file).comparable()
      guard model.isCompatible(withVersionHashes: source.entityVersionHashesByName) else { continue }
      for (entity, expected) in zip(model.entities, source.entities) {
        #expect(entity.superentityName == expected.superentityName)
        #expect(entity.uniquenessConstraints == expected.uniquenessConstraints)
        #expect(entity.ownAttributes.map(\.defaultValue) == expected.ownAttributes.map(\.defaultValue))
        #expect(entity.ownAttributes.map(\.type) == expected.ownAttributes.map(\.type))
        #expect(entity.ownRelationships.map(\.deleteRule) == expected.ownRelationships.map(\.deleteRule))
        #expect(entity.ownRelationships.map(\.inverseEntityName) == expected.ownRelationships.map(\.inverseEntityName))
        // Core Data adds an index under the name of its only property to one that has another name.
        #expect(expected.fetchIndexes.allSatisfy(entity.fetchIndexes.contains))
      }
    }
  }
}
