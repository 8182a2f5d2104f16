import Foundation
import TestSupport
import Testing

/// Stores of versions that come after the current one, as where the mark was forgotten.
@Suite("Stores that are newer than the current version")
struct NewerStoreTests {
  private let folder: TemporaryFolder
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("s.sqlite")
  }

  private func prepare(_ names: [String], of version: String, current: String) throws -> String {
    let versions = names.enumerated().map { place, name in
      let attributes = ["a", "b", "c"].prefix(place + 1).map {
        "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
      }
      return (name, "<entity name=\"P\">\(attributes.joined())</entity>")
    }
    let model = try folder.models(
      "B.xcdatamodeld", Dictionary(uniqueKeysWithValues: versions), current: current)
    try successfully("fixture", "new", "--model", "\(model):\(version)", "--rows", "4", store)
    try Database.run("UPDATE ZP SET ZB = 'b'", in: store)
    return model
  }

  private func migrate(_ model: String, _ options: String...) throws -> CommandResult {
    try CommandRunner([store, "--model", model, "--no-backup"] + options, folder: folder.path).run()
  }

  @Test func `One that would lose values is refused, unless the older version is named`() throws {
    let model = try prepare(["M", "M 2", "M 3"], of: "M 3", current: "M")
    let before = try Files.bytes(store)
    let result = try migrate(model)
    #expect(result.status == 76 && result.stderr.contains("'M 3'") && result.stderr.contains("--to"), "\(result)")
    #expect(try Files.bytes(store) == before)
    #expect(try migrate(model, "--to", "M").status == 0)
  }

  @Test func `One that loses nothing goes back`() throws {
    let model = try prepare(["M", "M 2", "M 3"], of: "M 2", current: "M")
    try Database.run("UPDATE ZP SET ZB = NULL", in: store)
    #expect(try migrate(model).status == 0)
  }

  @Test func `Names that tell no order refuse nothing`() throws {
    let model = try prepare(["Alpha", "Beta"], of: "Beta", current: "Alpha")
    #expect(try migrate(model).status == 0)
  }
}
