import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import TestSupport
import Testing

@Suite struct ModelSourceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func makeBundle(_ name: String, _ versions: String..., current: String? = nil) throws -> String {
    for version in versions {
      let path = try folder.makeFolder("\(name)/\(version).xcdatamodel")
      try Files.write("<model><entity name=\"E \(version)\"/></model>", to: "\(path)/contents")
    }
    if let current {
      try Files.write(
        "<plist><dict><key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string></dict></plist>",
        to: folder.file("\(name)/.xccurrentversion"))
    }
    return folder.file(name)
  }

  private func entity(_ word: String) throws -> String? { try ModelSource(word).load().model.entities.first?.name }

  private func code(_ word: String) -> MigrationError.Code? {
    do throws(MigrationError) { _ = try ModelSource(word).load() } catch { return error.code }
    return nil
  }

  @Test func `A bundle stands for its current version, and others are named after a colon`() throws {
    let bundle = try makeBundle("My Model.xcdatamodeld", "M", "M 2", "a:b", current: "M 2")
    #expect(try entity(bundle) == "E M 2")
    #expect(try entity("\(bundle)/") == "E M 2")
    #expect(try entity("\(bundle):M") == "E M")
    #expect(try entity("\(bundle):M.xcdatamodel") == "E M")
    #expect(try entity("\(bundle):a:b") == "E a:b")
    #expect(try entity("\(bundle)/M.xcdatamodel") == "E M")
    #expect(try entity("\(bundle)/M.xcdatamodel/contents") == "E M")
    #expect(try ModelSource("\(bundle):M").load().name == "\(bundle):M")
    #expect(try ModelSource(path: bundle, versionNamed: "M").load().versionName == "M")
  }

  @Test func `An existing path is used as a path even if it contains colons`() throws {
    _ = try makeBundle("A.xcdatamodeld", "M")
    let colon = try makeBundle("A.xcdatamodeld:M", "other")
    #expect(throws: MigrationError.self) { try entity(colon) }
    let bundle = try makeBundle("B:C.xcdatamodeld", "M")
    #expect(try entity(bundle) == "E M")
    #expect(try entity("\(bundle):M") == "E M")
  }

  @Test func `Each unusable model throws an error with its code`() throws {
    let bundle = try makeBundle("A.xcdatamodeld", "M", "N")
    #expect(code(bundle) == .unknownModelVersion)
    // The file of one version has no others, and not even itself by name.
    #expect(code("\(bundle)/M.xcdatamodel/contents") == nil)
    #expect(code("\(bundle)/M.xcdatamodel/contents:N") == .unusableModel)
    #expect(code("\(bundle):O") == .unknownModelVersion)
    #expect(code(folder.file("none.xcdatamodeld")) == .missingModel)
    #expect(code(folder.file("none.xcdatamodeld:M")) == .missingModel)
    #expect(code("") == .missingModel)
    #expect(code(":") == .missingModel)
    #expect(code(folder.path) == .unusableModel)
    try Files.write("garbage", to: folder.file("x.mom"))
    #expect(code(folder.file("x.mom")) == .unusableModel)
    try Files.write("garbage", to: folder.file("x.sqlite"))
    #expect(code(folder.file("x.sqlite")) == .notADatabase)
    #expect(code("\(folder.file("x.sqlite")):v1") == .unknownModelVersion)
  }

  @Test func `of a model that is not there no more is said than that`() {
    let error = MigrationError(ModelFileError(.notFound, file: "M.mom"))
    #expect(error.code == .missingModel && error.detail == nil && error.advice == nil)
    let unset = MigrationError(ModelFileError(.currentVersionUnset(versions: ["A"]), file: "M.momd"))
    #expect(unset.detail == "the bundle does not say which of its versions is current: 'A'")
    #expect(unset.code == .unknownModelVersion && unset.advice == nil)
  }

  @Test func `An error keeps the advice of the model reader`() throws {
    let path = try folder.makeFolder("A.xcdatamodel")
    try Files.write("<model>\n<entity/></model>", to: "\(path)/contents")
    do throws(MigrationError) {
      _ = try ModelSource(path).load()
      Issue.record("no error")
    } catch {
      let message = ErrorMessage(error)
      #expect(message.problem == "'\(path)/contents' is not a usable model: line 2: entity '' has no 'name'")
      #expect(message.advice == "Add it, or save the model again in Xcode.")
    }
  }

  @Test func `A model is written to a new folder and read back unchanged`() throws {
    let model = NamedModel(model: TrackModels.v2, name: "v2", precision: .source)
    let path = folder.file("Ünï 2.xcdatamodel")
    try model.write(toNewFolder: path, from: folder.path)
    #expect(try ModelSource(path).load().model.entityVersionHashesByName == TrackModels.v2.entityVersionHashesByName)
    let before = try folder.snapshot()
    #expect(throws: MigrationError.self) { try model.write(toNewFolder: path, from: folder.path) }
    #expect(throws: MigrationError.self) {
      try model.write(toNewFolder: folder.file("none/x.xcdatamodel"), from: folder.path)
    }
    #expect(try folder.snapshot() == before)
  }
}
