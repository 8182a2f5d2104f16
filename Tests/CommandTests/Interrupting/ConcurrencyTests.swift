import Foundation
import TestSupport
import Testing

@Suite("Concurrent runs")
struct ConcurrencyTests {
  private static let template = Result { try TemplateLibrary(trackCount: 3000) }

  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try Self.template.get().copy(to: folder)
  }

  @Test(arguments: 0..<4)
  func `Exactly one run migrates a library and the others give their reasons`(round: Int) throws {
    let results = try run(4, [library])
    let migrated = results.filter { $0.stderr.hasPrefix("Migrated ") }
    #expect(migrated.count == 1, "\(results.map(\.testDescription).joined(separator: "\n"))")
    for result in results where !result.stderr.hasPrefix("Migrated ") {
      let isRunning = result.status == 75 && result.stderr.contains("another migration of '\(library)' is running")
      let isCurrent = result.status == 0 && result.stderr.contains("is a v2 library already")
      #expect(isRunning || isCurrent, "\(result)")
    }
    #expect(try Database.isWhole(library))
    #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: library) == "3000")
    #expect(try Rows.original(library + ".v1-backup") == Self.template.get().rows)
    #expect(try folder.listing() == ["Library.sqlite", "Library.sqlite.migration.json", "Library.sqlite.v1-backup"])
  }

  @Test func `Exactly one run makes an output`() throws {
    let output = folder.file("New.sqlite")
    let results = try run(4, [library, "--output", output])
    #expect(results.filter { $0.status == 0 }.count == 1)
    for result in results where result.status != 0 {
      #expect([73, 75].contains(result.status), "\(result)")
    }
    #expect(try Database.value("SELECT count(*) FROM ZTRACK", in: output) == "3000")
    #expect(try folder.listing() == ["Library.sqlite", "New.sqlite", "New.sqlite.migration.json"])
    #expect(try Rows.original(library) == Self.template.get().rows)
  }

  @Test func `Queries are answered from the old or the new library while a migration runs`() throws {
    let migration = try CommandRunner([library]).start()
    for _ in 0..<5 {
      let result = try tracksMigrate("stats", library, "--format", "csv")
      #expect(result.status == 0, "\(result)")
      #expect(result.stdout.contains("library,tracks_count,3000,"))
    }
    #expect(try migration.finish().status == 0)
  }

  private func run(_ count: Int, _ arguments: [String]) throws -> [CommandResult] {
    let commands = try (0..<count).map { _ in try CommandRunner(arguments).start() }
    return try commands.map { try $0.finish() }
  }
}
