import Foundation
import TestSupport
import Testing

/// Faults of SwiftData's versions and plans are found before the app finds them.
@Suite("Guards of SwiftData's plans", .enabled(if: SwiftSource.hasToolchain, "needs a Swift toolchain"))
struct SwiftPlanGuardTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String...) throws -> CommandResult { try SwiftSource.run(words, in: folder) }

  /// Versions of a class `Trip` by their properties, with a plan.
  private func write(
    _ versions: [String], identifiers: [String] = ["1, 0, 0", "2, 0, 0", "3, 0, 0", "4, 0, 0"],
    schemas: String, stages: String, _ rest: String = ""
  ) throws {
    let schemaTexts = zip(versions, identifiers).enumerated().map { index, version in
      """
      enum V\(index + 1): VersionedSchema {
        static let versionIdentifier = Schema.Version(\(version.1))
        static let models: [any PersistentModel.Type] = [Trip.self]
        @Model class Trip { \(version.0); init() {} }
        enum Kind: String, Codable { case work }
      }
      """
    }
    let plan = """
      enum Plan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [\(schemas)] }
        static var stages: [MigrationStage] { [\(stages)] }
      }
      """
    let text = "import SwiftData\n\(schemaTexts.joined(separator: "\n"))\n\(plan)\n\(rest)\n"
    _ = try folder.source("Models", ["Schemas.swift": text])
  }

  private func lightweight(_ from: Int, _ to: Int) -> String {
    ".lightweight(fromVersion: V\(from).self, toVersion: V\(to).self)"
  }

  private func custom(_ from: Int, _ to: Int) -> String {
    ".custom(fromVersion: V\(from).self, toVersion: V\(to).self, willMigrate: nil, didMigrate: nil)"
  }

  @Test func `A plan in order has no finding, and each version is frozen once`() throws {
    let names = ["var n = 0", "var n = 0; var m = 0", "var n = 0; var m = 0; var k: Int?"]
    let schemas = "V1.self, V2.self, V3.self"
    try write(names, schemas: schemas, stages: "\(lightweight(1, 2)), \(custom(2, 3))")
    let result = try run("models", "guard", "Models", "--update")
    #expect(result.status == 0 && result.stdout == "Nothing found: 3 versions, current 'V3'.\n", "\(result)")

    #expect(try run("models", "freeze", "Models:V1", "--output", "App.xcdatamodeld").status == 0)
    let frozen = try run("models", "freeze", "Models", "--output", "App.xcdatamodeld/")
    #expect(frozen.stderr == "Recorded in 'App.xcdatamodeld': 'V2', 'V3'.\n", "\(frozen)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("App.xcdatamodeld")).sorted()
    #expect(files == [".xccurrentversion", "V1.xcdatamodel", "V2.xcdatamodel", "V3.xcdatamodel"])
    #expect(mkfifo(folder.file("Pipe.json"), 0o600) == 0)
    let pipe = try run("models", "freeze", "Models", "--output", "Pipe.json")
    #expect(pipe.status == 66 && pipe.stderr.contains("it is not a file"), "\(pipe)")
    #expect(try run("models", "freeze", "Models", "--output", "App.json").status == 0)
    for version in ["V1", "V2", "V3"] {
      let hashes = try SwiftSource.hashes(of: "Models:\(version)", in: folder)
      #expect(try SwiftSource.hashes(of: "App.xcdatamodeld:\(version)", in: folder) == hashes)
    }
    #expect(try run("models", "show", "App.xcdatamodeld").stdout.contains("V1, V2, V3 (current)"))

    // A change of a version that has shipped is found against each, and is frozen in none.
    try write(
      ["var n = 0; var more = 0"] + names.dropFirst(), schemas: schemas, stages: "\(lightweight(1, 2)), \(custom(2, 3))"
    )
    let before = try Files.text(folder.file("App.xcdatamodeld/V1.xcdatamodel/contents"))
    for words in [
      ["guard", "Models"], ["guard", "Models", "--against", "App.xcdatamodeld"],
      ["guard", "Models", "--against", "App.json"], ["freeze", "Models", "--output", "App.xcdatamodeld"],
      ["freeze", "Models", "--output", "App.json"],
    ] {
      let result = try SwiftSource.run(["models"] + words, in: folder)
      #expect(result.status == 3, "\(result)")
      #expect(result.stdout.contains("error: V1: it has shipped and was changed: 'Trip' differs"), "\(result)")
    }
    #expect(try Files.text(folder.file("App.xcdatamodeld/V1.xcdatamodel/contents")) == before)
  }

  @Test func `Stages that are missing, misplaced or impossible are found`() throws {
    try write(
      ["var n = 0", "var n = 1", "var n = 0; var kind: Kind", "var n = 0; var kind: Kind?"],
      identifiers: ["1, 0, 0", "2, 0, 0", "2, 0, 0", "3, 0, 0"],
      schemas: "V1.self, V2.self, V3.self", stages: "\(lightweight(2, 3)), \(custom(1, 2)), \(lightweight(1, 3))",
      "@Model class Loose { init() {} }")
    let result = try run("models", "guard", "Models")
    #expect(result.status == 3, "\(result)")
    for line in [
      "error: V2: it has the same version hashes as 'V1', so that SwiftData stops at start if a plan has both",
      "error: V2: the '.custom' stage from 'V1' to it is between equal version hashes, which SwiftData refuses",
      "error: V2: the stage of 'Plan' from 'V1' to it comes after a later one",
      "error: V3: the stage of 'Plan' from 'V1' to it is between versions that do not follow each other in 'schemas'",
      "error: V3: the '.lightweight' stage from 'V2' to it cannot be inferred: 'Trip.kind': the new attribute is required",
      "error: V4: 'Plan' does not name it: SwiftData does not open stores of it (error 134504)",
      "warning: V3: its version identifier 2.0.0 is not greater than that of 'V2'",
      "warning: no version lists 'Loose': a container of these classes has no version",
    ] {
      #expect(result.stdout.contains(line), "\(line)\nin\n\(result)")
    }
    try write(["var n = 0", "var m = 0"], schemas: "V1.self, V2.self", stages: "")
    let missing = try run("models", "guard", "Models")
    #expect(missing.stdout.contains("error: V2: 'Plan' has no stage from 'V1' to it"), "\(missing)")
  }

  @Test func `A required composite without a value is neither safe nor migrated`() throws {
    try write(
      ["var n = 0", "var n = 0; var kind: Kind", "var n = 0; var m = 0; var kind: Kind?"],
      schemas: "V1.self, V2.self", stages: lightweight(1, 2))
    #expect(try run("fixture", "new", "--model", "Models:V1", "App.store", "--rows", "5").status == 0)
    let migrated = try run("App.store", "--model", "Models:V2")
    #expect(migrated.status != 0, "\(migrated)")
    #expect(migrated.stderr.contains("'Trip.kind': the new attribute is required"), "\(migrated)")
    #expect(try run("rehearse", "Models:V2").status == 3)
    // From the version in which it may be missing, it depends on the rows.
    let diff = try run("models", "diff", "Models:V3", "Models:V2")
    #expect(diff.stdout.contains("'Trip.kind': it was optional and is required now"), "\(diff)")
  }

  @Test func `Classes without a version are named`() throws {
    _ = try folder.source("Models", ["Trip.swift": "import SwiftData\n@Model class Trip { var n = 0; init() {} }\n"])
    let result = try run("models", "guard", "Models")
    #expect(result.stdout.contains("warning: the current schema has no version"), "\(result)")
  }
}
