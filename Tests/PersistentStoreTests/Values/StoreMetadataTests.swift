import DataModel
import Foundation
import PersistentStore
import PropertyListFormat
import TestSupport
import Testing

struct StoreMetadataTests {
  private typealias Key = StoreMetadata.Key

  @Test func `Metadata for another model keeps the app's keys, their order and the store's identity`() {
    let old = StoreMetadata(
      uuid: "ID",
      properties: [
        "zebra": .string("secret"), Key.versionIdentifiers: .array([.string("old")]), Key.storeType: .string("SQLite"),
        Key.frameworkVersion: .integer(841), Key.versionHashes: .dictionary(["Track": .data([1])]),
        "Aardvark": .dictionary(["nested": .boolean(true)]), Key.versionHashesVersion: .integer(2),
      ])
    let new = old.migrated(to: TrackModels.v2)
    #expect(new.uuid == "ID")
    #expect(new.properties.keys == old.properties.keys)
    #expect(new.properties["zebra"] == .string("secret"))
    #expect(new.properties["Aardvark"] == .dictionary(["nested": .boolean(true)]))
    #expect(new.frameworkVersion == 841)
    #expect(new.versionHashes == TrackModels.v2.entityVersionHashesByName)
    #expect(new.versionHashesVersion == 3)
    #expect(new.versionIdentifiers == [""])
    // Keys that an old framework did not write are not added.
    #expect(new.properties[Key.versionHashesDigest] == nil)
    #expect(new.properties[Key.versionChecksum] == nil)
  }

  @Test func `Existing digests are rewritten`() {
    let old = StoreMetadata.new(for: TrackModels.v1, uuid: "ID")
    let new = old.migrated(to: TrackModels.v2)
    #expect(
      new.properties[Key.versionHashesDigest]?.string
        == Data(TrackModels.v2.versionHashesDigest).base64EncodedString())
    #expect(new.properties[Key.versionChecksum]?.string == Data(TrackModels.v2.versionChecksum).base64EncodedString())
    #expect(new.properties[Key.versionChecksum] != old.properties[Key.versionChecksum])
    #expect(new == StoreMetadata.new(for: TrackModels.v2, uuid: "ID"))
  }

  @Test func `A hash that is not data is ignored`() {
    let metadata = StoreMetadata(
      uuid: "", properties: [Key.versionHashes: .dictionary(["A": .string("x"), "B": .data([7])])])
    #expect(metadata.versionHashes == ["B": VersionHash(bytes: [7])])
    #expect(StoreMetadata(uuid: "", properties: [:]).versionHashes.isEmpty)
    #expect(StoreMetadata(uuid: "", properties: [:]).versionIdentifiers.isEmpty)
    #expect(StoreMetadata(uuid: "", properties: [:]).versionHashesVersion == nil)
  }

  @Test(arguments: 0...64)
  func `Base64 matches Foundation's`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 77 &+ 250) }
    #expect(bytes.base64 == Data(bytes).base64EncodedString())
  }
}
