import Foundation
import TestSupport
import Testing

/// Inputs of a rehearsal that are not what they should be, which is no failure of a migration.
@Suite("Inputs of rehearsals")
struct RehearseInputTests {
  private let folder: TemporaryFolder
  private let model: String

  init() throws {
    folder = try TemporaryFolder()
    let text = { (name: String) in "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"/>" }
    model = try folder.writeAppModel(entity: "E", versions: [text("x"), text("x") + text("y")])
  }

  private func rehearse(_ options: String...) throws -> CommandResult {
    try CommandRunner(["rehearse", "--model", model] + options, folder: folder.path).run()
  }

  @Test func `A mapping model that cannot be read ends a rehearsal as it ends a migration`() throws {
    try Files.write("junk", to: folder.makeFolder("M.xcmappingmodel") + "/xcmapping.xml")
    let migration = try CommandRunner(["models", "guard", model]).run()
    for options in [[], ["--mapping", folder.file("M.xcmappingmodel")]] {
      let result = try CommandRunner(["rehearse", "--model", model] + options).run()
      #expect(result.status == 78 && result.status == migration.status && result.stdout.isEmpty, "\(result)")
      #expect(result.stderr.contains("M.xcmappingmodel' is not a usable mapping model"), "\(result)")
    }
    let missing = try rehearse("--mapping", folder.file("none.cdm"))
    #expect(missing.status == 66 && missing.stderr.contains("none.cdm"), "\(missing)")
  }

  @Test func `A store that cannot be read ends a rehearsal as it ends a migration`() throws {
    let store = try folder.makeFolder("stores") + "/Old.sqlite"
    try successfully("fixture", "new", "--model", "\(model):App", "--rows", "300", store)
    #expect(try rehearse("--stores", folder.file("stores")).status == 0)
    let root = try Database.value("SELECT rootpage FROM sqlite_schema WHERE name = 'ZE'", in: store)
    let page = (try #require(root.flatMap { Int($0) }) - 1) * 4096
    var lost = try Files.bytes(store)
    // The number of cells (sqlite.org/fileformat.html#b_tree_pages).
    lost[page + 4] /= 2
    for (bytes, words) in [(lost, "is damaged: "), (Array("no store".utf8), "is not a SQLite database")] {
      try Files.write(bytes, to: store)
      let result = try rehearse("--stores", folder.file("stores"))
      let migration = try CommandRunner(["--model", model, store, "--output", folder.file("New.sqlite")]).run()
      #expect(result.status == 65 && result.status == migration.status, "\(result)")
      #expect(result.stderr.contains("'\(store)' \(words)"), "\(result)")
      #expect(!FileManager.default.fileExists(atPath: folder.file("New.sqlite")))
    }
  }

  @Test func `What stands in the place of a folder of stores is named`() throws {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    try Files.write("", to: folder.file("file"))
    for (path, words) in [
      (folder.file("pipe"), "it is a pipe, not a folder"), (folder.file("file"), "it is a file, not a folder"),
      ("/dev/null", "it is a device or a socket, not a folder"), (folder.file("none"), "there is no file"),
    ] {
      let result = try rehearse("--stores", path)
      #expect(result.status == 66 && result.stderr.contains(words), "\(result)")
      #expect(result.stderr.contains("Name a folder with stores of shipped versions."), "\(result)")
    }
  }
}
