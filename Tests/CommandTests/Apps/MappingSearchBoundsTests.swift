import Foundation
import TestSupport
import Testing

/// Mapping models around a linked model, and those behind the bounds of the search, by the real command.
@Suite("Where mapping models are searched for")
struct MappingSearchBoundsTests {
  private static let notes = Readme.root + "/SampleData/Notes"

  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("A.sqlite")
    try Files.copy(Self.notes + "/library-v2.sqlite", to: store)
  }

  private func run(_ arguments: String...) throws -> CommandResult {
    try CommandRunner(arguments, folder: folder.path).run()
  }

  /// Copies the model into a folder and its mapping models into another; returns the model's path.
  private func project(_ model: String, maps: String) throws -> String {
    let path = try folder.makeFolder(model) + "/Notes.xcdatamodeld"
    try Files.copy(Self.notes + "/Notes.xcdatamodeld", to: path)
    let folder = try folder.makeFolder(maps)
    for name in ["Notes_v2_to_v3.xcmappingmodel", "Notes_v3_to_v4.xcmappingmodel"] {
      try Files.copy("\(Self.notes)/\(name)", to: "\(folder)/\(name)")
    }
    return path
  }

  @Test(arguments: ["Notes.xcdatamodeld", "Other.xcdatamodeld"])
  func `Every command finds the mapping models around the target of a linked model`(name: String) throws {
    let model = try project("m", maps: "m")
    let link = try folder.makeFolder("w") + "/\(name)"
    try Files.link(link, to: "../m/Notes.xcdatamodeld")
    let (rehearsal, guarded, lint) = (
      try run("rehearse", "--model", link, "--rows", "4"), try run("models", "guard", link),
      try run("models", "lint", link)
    )
    #expect(rehearsal.status == 0 && rehearsal.stdout.contains("3 migrations passed"), "\(rehearsal)")
    #expect(guarded.status == 0 && guarded.stdout.contains("[needs-hops]"), "\(guarded)")
    #expect(!guarded.stdout.contains("[drops-values]"), "\(guarded)")
    #expect(lint.status == 0 && lint.stdout.contains("[needs-hops]"), "\(lint)")
    let result = try run(store, "--model", link, "--strict")
    #expect(result.status == 0 && result.stderr.contains("ImageAttachment: 49"), "\(result)")
    #expect(Files.exists(model))
  }

  /// A place of mapping models that is not searched, and what is said of it.
  struct Bound: Sendable, CustomTestStringConvertible {
    let place: String
    let words: String
    var testDescription: String { place }
  }

  private static let deep = (1...13).map { "d\($0)" }.joined(separator: "/")

  @Test(arguments: [
    Bound(place: "maps", words: "ended at 'p/App' (which has 'Package.swift'); if there is one elsewhere"),
    Bound(place: "p/App/Pods/maps", words: "passed over 'p/App/Pods'"),
    Bound(place: "p/App/.hidden", words: "ended at 'p/App' (which has 'Package.swift'); if there is one elsewhere"),
    Bound(place: "p/App/" + deep, words: "passed over 'p/App/\(deep)'"),
  ])
  func `A warning of dropped values says where the search for mapping models ended`(bound: Bound) throws {
    _ = try project("p/App", maps: bound.place)
    try Files.write("", to: folder.file("p/App/Package.swift"))
    let model = "p/App/Notes.xcdatamodeld"
    let advice = "if there is one elsewhere, name its folder with --mapping"
    let plan = try run(store, "--model", model, "--dry-run")
    #expect(plan.stdout.contains("49 rows have a value of 'Note.image'"), "\(plan)")
    #expect(plan.stdout.contains(bound.words) && plan.stdout.contains(advice), "\(plan)")
    let strict = try run(store, "--model", model, "--strict")
    #expect(strict.status == 65 && strict.stderr.contains(bound.words), "\(strict)")
    let rehearsal = try run("rehearse", "--model", model, "--rows", "4")
    #expect(rehearsal.status == 3 && rehearsal.stdout.contains(bound.words), "\(rehearsal)")
    let guarded = try run("models", "guard", model)
    #expect(guarded.stderr.contains(bound.words) && guarded.stderr.contains(advice), "\(guarded)")
    let mapped = try run(store, "--model", model, "--mapping", bound.place, "--dry-run")
    #expect(mapped.status == 0 && !mapped.stdout.contains("search for mapping models"), "\(mapped)")
    let result = try run(store, "--model", model)
    #expect(result.status == 0 && result.stderr.contains(bound.words) && result.stderr.contains(advice), "\(result)")
  }

  @Test func `A linked folder is not searched, and is named`() throws {
    let model = try project("p/App", maps: "maps")
    try Files.write("", to: folder.file("p/App/Package.swift"))
    try Files.link(folder.file("p/App/linked"), to: "../../maps")
    try Files.link(folder.file("p/App/file"), to: "Package.swift")
    let plan = try run(store, "--model", model, "--dry-run")
    #expect(plan.stdout.contains("passed over '\(folder.file("p/App/linked"))'; if"), "\(plan)")
  }

  @Test func `A search that ends after many folders says so`() throws {
    let model = try project("p/App", maps: "p/App/z/z")
    try Files.write("", to: folder.file("p/App/Package.swift"))
    for number in 0..<4000 { _ = try folder.makeFolder("p/App/a/\(number)") }
    let result = try run(store, "--model", model)
    #expect(result.status == 0 && result.stderr.contains("stopped after 4000 folders"), "\(result)")
  }

  @Test func `A folder that is named says what it passed over, and a file does not`() throws {
    let model = try project("p/App", maps: "maps/a")
    _ = try folder.makeFolder("maps/Pods")
    try FileManager.default.moveItem(
      atPath: folder.file("maps/a/Notes_v2_to_v3.xcmappingmodel"), toPath: folder.file("maps/Pods/A.xcmappingmodel"))
    let named = try run(store, "--model", model, "--mapping", folder.file("maps"), "--dry-run")
    #expect(
      named.stdout.contains("the search for mapping models passed over '\(folder.file("maps/Pods"))'; if"), "\(named)")
    let file = try run(
      store, "--model", model, "--mapping", folder.file("maps/a/Notes_v3_to_v4.xcmappingmodel"), "--dry-run")
    #expect(
      file.stdout.contains("have a value of 'Note.image'") && !file.stdout.contains("search for mapping models"),
      "\(file)")
  }

  @Test func `Lint does not miss values that a mapping model in the project keeps`() throws {
    let model = try folder.models(
      "App.xcdatamodeld",
      [
        "App": "<entity name=\"E\"><attribute name=\"t\" optional=\"YES\" attributeType=\"String\"/></entity>",
        "App 2":
          "<entity name=\"E\"><attribute name=\"t\" optional=\"YES\" transient=\"YES\" attributeType=\"String\"/></entity>",
      ], current: "App 2")
    #expect(try run("models", "lint", model).stdout.contains("[drops-values]"))
    _ = try folder.mappingModel("A.xcmappingmodel", entities: ["E"], from: "App", to: "App 2", of: "App")
    let lint = try run("models", "lint", model)
    #expect(lint.status == 0 && lint.stdout == "Nothing found.\n", "\(lint)")
  }
}
