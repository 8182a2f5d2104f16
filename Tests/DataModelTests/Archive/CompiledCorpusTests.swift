import DataModel
import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: !SharedFolder.versionInfoFiles.isEmpty, "needs ../shared/corpus"))
struct CompiledCorpusTests {
  @Test(arguments: SharedFolder.versionInfoFiles)
  func `Compiled models equal their sources and match VersionInfo`(file: String) throws {
    let compiled = try ModelBundle(path: URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false))
    let source = try ModelBundle(path: try #require(SharedFolder.source(ofCompiledModel: file)))
    let info = try #require(try compiled.versionInfo())
    #expect(compiled.isCompiled && !source.isCompiled)
    #expect(compiled.versions.map(\.name) == source.versions.map(\.name))
    #expect(try compiled.currentVersion().name == source.currentVersion().name)
    #expect(Set(info.versionHashes.keys) == Set(compiled.versions.map(\.name)))
    for version in compiled.versions {
      let model = try version.model()
      let expected = try source.version(named: version.name).model()
      #expect(model.entityVersionHashesByName == expected.entityVersionHashesByName)
      #expect(model.entityVersionHashesByName == info.versionHashes[version.name])
      if let checksum = info.versionChecksums[version.name] { #expect(model.versionChecksum == checksum) }
      let (left, right) = (try model.comparable(), try expected.comparable())
      for (entity, other) in zip(left.entities, right.entities) { #expect(entity == other) }
      #expect(left == right)
    }
  }
}
