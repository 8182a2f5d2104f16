import Foundation
import TestSupport
import Testing

@Suite("A list of classes as a version", .enabled(if: SwiftSource.hasToolchain))
struct SwiftTypeListTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: String..., environment: [String: String] = [:]) throws -> CommandResult {
    try SwiftSource.run(words, in: folder, environment: environment)
  }

  private func entities(_ result: CommandResult) -> Set<String> {
    Set(result.stdout.split(separator: "\n").dropFirst().compactMap { $0.split(separator: ",").first.map(String.init) })
  }

  /// Classes that no version lists, of which one refers to another.
  private func plainModels() throws -> String {
    try folder.source(
      "Models",
      [
        "Note.swift": "import SwiftData\n@Model final class Note { var text = \"\"; var folder: Folder?; init() {} }\n",
        "Folder.swift": "import SwiftData\n@Model final class Folder { var name = \"\"; init() {} }\n",
        "Draft.swift": "import SwiftData\n@Model final class Draft { var text = \"\"; init() {} }\n",
      ])
  }

  @Test func `The classes of the list are a version, with those that they refer to`() throws {
    let model = try plainModels()
    #expect(entities(try run("models", "show", model, "--format", "csv")) == ["Note", "Folder", "Draft"])
    for words in [["--types", "Note"], ["--types=Folder,Note"], ["--types", "Note, Folder"]] {
      let shown = try SwiftSource.run(["models", "show", model, "--format", "csv"] + words, in: folder)
      #expect(entities(shown) == ["Note", "Folder"], "\(shown)")
    }
    let shown = try run("models", "show", model, "--format", "csv", environment: ["TRACKS_MIGRATE_TYPES": "Draft"])
    #expect(entities(shown) == ["Draft"], "\(shown)")
  }

  @Test func `A store of the list is made, and migrated to a longer one`() throws {
    let model = try plainModels()
    let made = try run("fixture", "new", "--model", model, "--types", "Draft", "Drafts.store")
    #expect(made.status == 0, "\(made)")
    let frozen = try run("models", "freeze", model, "--types", "Draft", "--output", "Old.xcdatamodeld")
    #expect(frozen.status == 0, "\(frozen)")
    try Files.copy(folder.file("Old.xcdatamodeld/Models.xcdatamodel"), to: folder.file("Draft.xcdatamodel"))
    let diff = try run("models", "diff", "Draft.xcdatamodel", model, "--types", "Draft,Note")
    #expect(diff.stdout.contains("Note") && diff.stdout.contains("Folder"), "\(diff)")
    #expect(!diff.stdout.contains("Draft:"), "\(diff)")
    let explained = try run("models", "explain", "Drafts.store", model, "--types", "Draft")
    #expect(explained.status == 0 && explained.stdout.contains("fits"), "\(explained)")
  }

  @Test func `Beside versions, the list is the current one, and the others stay`() throws {
    let model = try folder.source(
      "App",
      [
        "Schemas.swift": """
        import SwiftData
        enum AppSchemaV1: VersionedSchema {
          static let versionIdentifier = Schema.Version(1, 0, 0)
          static var models: [any PersistentModel.Type] { [Trip.self] }
          @Model final class Trip { var name = ""; init() {} }
        }
        enum AppSchemaV2: VersionedSchema {
          static let versionIdentifier = Schema.Version(2, 0, 0)
          static var models: [any PersistentModel.Type] { [Trip.self, Stop.self] }
          @Model final class Trip { var name = ""; var place = ""; init() {} }
          @Model final class Stop { var name = ""; init() {} }
        }
        typealias Trip = AppSchemaV2.Trip
        """
      ])
    let shown = try run("models", "show", model, "--format", "csv", "--types", "AppSchemaV2.Trip")
    #expect(entities(shown) == ["Trip"], "\(shown)")
    #expect(shown.stdout.contains("\nTrip,place,"), "\(shown)")
    let named = try run("models", "show", "\(model):AppSchemaV1", "--format", "csv", "--types", "AppSchemaV2.Trip")
    #expect(named.status == 0 && !named.stdout.contains("\nTrip,place,"), "\(named)")
    // A store of an older version gets there by inference: no plan has the list.
    #expect(try run("fixture", "new", "--model", "\(model):AppSchemaV1", "Trips.store").status == 0)
    let migrated = try run("Trips.store", "--model", model, "--types", "AppSchemaV2.Trip", "--verify")
    #expect(migrated.status == 0, "\(migrated)")
    let ambiguous = try run("models", "show", model, "--types", "Trip")
    #expect(ambiguous.status == 65, "\(ambiguous)")
    let problem = "'Trip' is not the name of one class, but of 'AppSchemaV1.Trip', 'AppSchemaV2.Trip'."
    #expect(ambiguous.stderr.contains(problem), "\(ambiguous)")
  }

  @Test func `A name that is not a model class is refused with those that are`() throws {
    let model = try plainModels()
    let result = try run("models", "show", model, "--types", "Note,Tag")
    #expect(result.status == 65, "\(result)")
    let problem = "'Tag' is not one of the source's @Model classes, which are 'Draft', 'Folder', 'Note'."
    #expect(result.stderr.contains(problem) && result.stderr.contains("--types"), "\(result)")
    let empty = try run("models", "show", model, "--types", ",")
    #expect(empty.status == 64 && empty.stderr.contains("'--types' requires names of @Model classes"), "\(empty)")
  }
}
