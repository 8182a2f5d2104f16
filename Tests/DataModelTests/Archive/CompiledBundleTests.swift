import DataModel
import Foundation
import PropertyListFormat
import Testing

/// Every test has a folder of its own, which goes when the test ends.
@Suite final class CompiledBundleTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "compiled-\(UUID())")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func write(_ content: PropertyList, to path: String) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(content.binary()).write(to: file)
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  private let model = SmallArchive().propertyList

  @Test func `A compiled bundle is opened like its source`() throws {
    for name in ["M 10", "M 2", "M"] { try write(model, to: "M.momd/\(name).mom") }
    try write(.string("another format"), to: "M.momd/M 2.omo")
    try write(
      .dictionary(["NSManagedObjectModel_CurrentVersionName": .string("M 2")]), to: "M.momd/VersionInfo.plist")
    let bundle = try ModelBundle(path: path("M.momd/"))
    #expect(bundle.isCompiled)
    #expect(bundle.versions.map(\.name) == ["M", "M 2", "M 10"])
    #expect(try bundle.currentVersion().name == "M 2")
    #expect(try bundle.version(named: "M 10.mom").model().entities.map(\.name) == ["E"])
  }

  @Test func `A single compiled model is its own only version`() throws {
    try write(model, to: "M.mom")
    let bundle = try ModelBundle(path: path("M.mom"))
    #expect(bundle.isCompiled && bundle.versions.map(\.name) == ["M"])
    #expect(try bundle.currentVersion().model() == ManagedObjectModel(contentsOfFile: path("M.mom")))
  }

  @Test func `The only version is current when VersionInfo is missing`() throws {
    try write(model, to: "M.momd/M.mom")
    #expect(try ModelBundle(path: path("M.momd")).currentVersion().name == "M")
    try write(model, to: "M.momd/N.mom")
    expectProblem(.currentVersionUnset(versions: ["M", "N"])) { () throws(ModelFileError) in
      try ModelBundle(path: self.path("M.momd")).currentVersion()
    }
  }

  @Test func `A damaged VersionInfo throws an error`() throws {
    try write(model, to: "M.momd/M.mom")
    try write(.array([]), to: "M.momd/VersionInfo.plist")
    let bundle = try ModelBundle(path: path("M.momd"))
    expectProblem(.versionInfoUnreadable) { () throws(ModelFileError) in try bundle.currentVersion() }
  }

  @Test func `Other files are not opened as compiled models`() throws {
    try write(model, to: "Empty.momd/notes.txt")
    try write(model, to: "Folder.mom/M.mom")
    try write(.string("x"), to: "Text.mom")
    expectProblem(.noVersions) { () throws(ModelFileError) in try ModelBundle(path: self.path("Empty.momd")) }
    expectProblem(.notABundle) { () throws(ModelFileError) in try ModelBundle(path: self.path("Folder.mom")) }
    expectProblem(.notAnArchive("The property list is not a keyed archive.")) { () throws(ModelFileError) in
      try ManagedObjectModel(contentsOfFile: self.path("Text.mom"))
    }
  }

  private func expectProblem<Value>(_ problem: ModelFileProblem, _ body: () throws(ModelFileError) -> Value) {
    do {
      _ = try body()
      Issue.record("expected: \(problem)")
    } catch {
      #expect(error.problem == problem)
      #expect("\(error)".hasPrefix(folder.path(percentEncoded: false)))
    }
  }
}
