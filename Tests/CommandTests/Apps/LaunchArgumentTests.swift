import Foundation
import TestSupport
import Testing

@Suite("Core Data's launch arguments")
struct LaunchArgumentTests {
  private static let migrationDebug = "-com.apple.CoreData.MigrationDebug"
  private static let sqlDebug = "-com.apple.CoreData.SQLDebug"

  @Test(arguments: [0, 1, 3])
  func `The migration argument logs models, mapping models and steps from any position`(place: Int) throws {
    let store = try SampleStore("Notes", version: 2)
    var arguments = [store.path, "--model", store.model, "-q"]
    arguments.insert(contentsOf: [Self.migrationDebug, "1"], at: place)
    let result = try CommandRunner(arguments).run()
    #expect(result.status == 0, "\(result)")
    let lines = result.stderr.split(separator: "\n").map(String.init)
    let start = "CoreData: annotation: (migration)  "
    #expect(
      lines.first
        == "\(start)migrating '\(store.path)' from 'Notes 2' to 'Notes 3', by 'Notes_v2_to_v3.xcmappingmodel', "
        + "hop 1 of 2")
    #expect(lines.contains("      NoteToAttachment: Note to Attachment, transform"))
    #expect(lines.contains { $0.hasPrefix("      Note = 283e56770c6875df") })
    #expect(lines.contains("\(start)NoteToAttachment: 60 instances, 49 migrated"))
    // The second hop migrates by instances because of its policy.
    let steps = [
      "NoteToNote: 60 instances were made", "AttachmentToImageAttachment: 49 instances were made",
      "NoteToNote: relationships were made", "AttachmentToImageAttachment: relationships were made",
      "checking the result", "migration completed",
    ]
    #expect(lines.suffix(steps.count) == steps.map { start + $0 }[...])
    // Indented lines belong to the line before.
    #expect(lines.allSatisfy { $0.hasPrefix(start) || $0.hasPrefix("    ") })
  }

  @Test func `The migration argument logs a failure`() throws {
    let store = try SampleStore("Tracks")
    let result = try store.run("--strict", Self.migrationDebug, "1")
    #expect(result.status == 65)
    #expect(result.stderr.contains("CoreData: annotation: (migration)  migration failed: "))
  }

  @Test func `The SQL argument logs statements with times, then rows, then values`() throws {
    func lines(_ level: String) throws -> [String] {
      let result = try SampleStore("Notes").migrate("-q", Self.sqlDebug, level)
      return result.stderr.split(separator: "\n").map(String.init)
    }
    let statements = try lines("1")
    #expect(statements.contains { $0.hasPrefix("CoreData: sql: INSERT INTO ") })
    #expect(
      statements.contains { $0.wholeMatch(of: /CoreData: annotation: total execution time: \d+\.\d{4}s\./) != nil })
    #expect(!statements.contains { $0.contains(" rows.") })
    #expect(try lines("2").contains { $0.hasSuffix("s for 60 rows.") || $0.hasSuffix("s for 1 rows.") })
    let values = try lines("3")
    #expect(values.contains { $0.contains("INSERT INTO Z_METADATA") && $0.contains("'") && $0.contains("… (") })
    #expect(values.allSatisfy { $0.utf8.count < 4000 })
    #expect(!statements.contains { $0.contains("… (") })
  }

  @Test func `Arguments that are turned off or unknown have no effect`() throws {
    let off = try SampleStore("Notes").migrate("-q", Self.sqlDebug, "0", Self.migrationDebug, "0")
    #expect(off.stderr == "")
    let unknown = try SampleStore("Notes").migrate("-q", "-com.apple.CoreData.Logging.stderr", "1")
    #expect(unknown.stderr == "'-com.apple.CoreData.Logging.stderr' is not known here and has no effect.\n")
  }

  @Test func `The help describes the launch arguments`() throws {
    let help = try tracksMigrate("migrate", "--help").stdout.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
    #expect(help.contains("\"-com.apple.CoreData.MigrationDebug 1\" logs the models"))
    #expect(help.contains("\"-com.apple.CoreData.SQLDebug 1\" logs each SQL statement"))
  }
}
