import TestSupport
import Testing

/// The commands of the tutorial's chapter about SwiftData, in the app that it is about.
@Suite("The example with SwiftData", .enabled(if: SwiftSource.hasToolchain, "needs a Swift toolchain"))
struct SwiftDataAppTests {
  private let folder: TemporaryFolder
  private let model = "Sources/Models"

  init() throws {
    folder = try TemporaryFolder()
    try Files.copy(
      Checkout.root.appending(path: "Examples/SwiftDataApp/Sources").path(percentEncoded: false),
      to: folder.file("Sources"))
  }

  private func run(_ words: String...) throws -> CommandResult { try SwiftSource.run(words, in: folder) }

  private func edit(_ file: String, _ old: String, _ new: String) throws {
    let path = folder.file("\(model)/\(file).swift")
    let text = try Files.text(path)
    #expect(text.contains(old))
    try Files.write(text.replacing(old, with: new), to: path)
  }

  @Test func `All versions have shipped, and stores of each can be migrated`() throws {
    let result = try run("models", "guard", model)
    #expect(result.status == 0 && result.stdout.contains("3 shipped versions unchanged"), "\(result)")
    let rehearsal = try run("rehearse", model)
    #expect(rehearsal.status == 0 && rehearsal.stdout.contains("2 migrations passed."), "\(rehearsal)")
    #expect(try run("models", "lint", model).stdout == "Nothing found.\n")
  }

  @Test func `A version that was edited after it had shipped is caught`() throws {
    try edit("LibrarySchemaV1", "var finished: Bool = false", "var finished: Bool = false\n    var pages: Int = 0")
    let result = try run("models", "guard", model)
    #expect(result.status == 3, "\(result)")
    #expect(
      result.stdout.contains("error: LibrarySchemaV1: it has shipped and was changed: 'Book' differs"), "\(result)")
  }

  @Test func `A rehearsal finds the values that a renaming loses`() throws {
    try edit("LibrarySchemaV2", "@Attribute(originalName: \"name\") ", "")
    let result = try run("rehearse", model)
    #expect(result.status == 3, "\(result)")
    #expect(result.stdout.contains("50 rows have a value of 'Book.name', which is removed"), "\(result)")
    #expect(try run("models", "guard", model).stdout.contains("'Book.name' is removed"))
  }

  @Test func `The tutorial names the commands and the files`() throws {
    let tutorial = try Files.text(
      Checkout.root.appending(path: "Sources/Engine/Migration/Migration.docc/Tutorial.md").path(percentEncoded: false))
    for text in [
      "Examples/SwiftDataApp", "tracks-migrate models guard \(model) --update", "tracks-migrate rehearse \(model)",
      "tracks-migrate models freeze \(model) --output Models.xcdatamodeld",
    ] {
      #expect(tutorial.contains(text), "\(text)")
    }
  }
}
