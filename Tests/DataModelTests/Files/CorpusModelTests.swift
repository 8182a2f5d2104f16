import DataModel
import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite(.enabled(if: !SharedFolder.modelFiles.isEmpty, "needs ../shared/corpus"))
struct CorpusModelTests {
  @Test(arguments: SharedFolder.modelFiles)
  func `Xcode's files are read and written back unchanged`(file: String) throws {
    let bytes = try Files.bytes(file)
    let model = try ManagedObjectModel(contentsOfFile: file)
    #expect(!model.entities.isEmpty)
    // Positions in the diagram are not part of the model.
    let text = String(decoding: bytes, as: UTF8.self)
    let layout = /\n    <elements>.*<\/elements>/.dotMatchesNewlines()
    #expect(try model.xml() == text.replacing(layout, with: ""))
  }

  @Test(arguments: SharedFolder.versionInfoFiles)
  func `Hashes and checksums equal those of the compiled models`(file: String) throws {
    let info = try PropertyList(contentsOf: Files.bytes(file))
    let versions = try #require(info["NSManagedObjectModel_VersionHashes"]?.dictionary)
    let bundle = try ModelBundle(path: try #require(SharedFolder.source(ofCompiledModel: file)))
    #expect(try bundle.currentVersion().name == info["NSManagedObjectModel_CurrentVersionName"]?.string)
    #expect(versions.keys.sorted() == bundle.versions.map(\.name).sorted())
    for (name, hashes) in zip(versions.keys, versions.values) {
      let expected = Dictionary(
        uniqueKeysWithValues: try #require(hashes.dictionary).pairs.compactMap { pair in
          pair.value.data.map { (pair.key, VersionHash(bytes: $0)) }
        })
      let model = try bundle.version(named: name).model()
      #expect(model.entityVersionHashesByName == expected)
      #expect(model.isCompatible(withVersionHashes: expected))
      if let checksum = info["NSManagedObjectModel_VersionChecksums"]?[name]?.string {
        #expect(Data(model.versionChecksum).base64EncodedString() == checksum)
      }
    }
  }
}
