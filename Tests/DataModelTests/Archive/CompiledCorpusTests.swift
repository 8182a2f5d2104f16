import DataModel
import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite(.enabled(if: !SharedFolder.versionInfoFiles.isEmpty, "needs ../shared/corpus"))
struct CompiledCorpusTests {
  @Test(arguments: SharedFolder.versionInfoFiles)
  func `Compiled models equal their sources and match VersionInfo`(file: String) throws {
    let compiled = try ModelBundle(path: URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false))
    let source = try ModelBundle(path: try #require(SharedFolder.source(ofCompiledModel: file)))
    let info = try PropertyList(contentsOf: Array(Data(contentsOf: URL(filePath: file))))
    let hashes = try #require(info["NSManagedObjectModel_VersionHashes"]?.dictionary)
    #expect(compiled.isCompiled && !source.isCompiled)
    #expect(compiled.versions.map(\.name) == source.versions.map(\.name))
    #expect(try compiled.currentVersion().name == source.currentVersion().name)
    #expect(Set(hashes.keys) == Set(compiled.versions.map(\.name)))
    for version in compiled.versions {
      let model = try version.model()
      let expected = try source.version(named: version.name).model()
      #expect(model.entityVersionHashesByName == expected.entityVersionHashesByName)
      let pairs = try #require(hashes[version.name]?.dictionary?.pairs)
      #expect(
        model.entityVersionHashesByName.mapValues { PropertyList.data($0.bytes) }
          == Dictionary(uniqueKeysWithValues: pairs.map { ($0.key, $0.value) }))
      if let checksum = info["NSManagedObjectModel_VersionChecksums"]?[version.name]?.string {
        #expect(Data(model.versionChecksum).base64EncodedString() == checksum)
      }
      let (left, right) = (try model.comparable(), try expected.comparable())
      for (entity, other) in zip(left.entities, right.entities) { #expect(entity == other) }
      #expect(left == right)
    }
  }
}
