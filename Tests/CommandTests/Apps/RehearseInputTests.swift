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
