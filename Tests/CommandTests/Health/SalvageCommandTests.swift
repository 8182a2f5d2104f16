import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("The command salvage")
struct SalvageCommandTests {
  private let folder: TemporaryFolder
  private let library: String
  private var output: String { folder.file("New.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    library = folder.file("L.sqlite")
    try successfully("sample", "500", library)
  }

  /// Zeroes pages of the library.
  private func zero(_ pages: Int...) throws {
    var bytes = try Files.bytes(library)
    for page in pages {
      bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: repeatElement(0, count: 4096))
    }
    try Files.write(bytes, to: library)
  }

  @Test func `A damaged library comes back, and the command says what may be missing`() throws {
    try zero(3, 20, 21)
    let before = try Files.bytes(library)
    let result = try successfully("salvage", "L.sqlite", "--output", "New.sqlite", in: folder.path)
    let count = try #require(try Database.value("SELECT count(*) FROM ZTRACK", in: output).flatMap { Int($0) })
    #expect((485...495).contains(count))
    #expect(result.stdout == "")
    #expect(
      result.stderr
        == """
        Salvaged 'L.sqlite' as 'New.sqlite': \(count) rows.
          Track \(count): the greatest key ever given is 500, so at most \(500 - count) rows are missing, including deleted \
        ones.
        Of 144 pages, 3 cannot be read: 3, 20 to 21.

        """.replacing("144", with: "\(before.count / 4096)"))
    #expect(try Files.bytes(library) == before)
    #expect(try folder.listing() == ["L.sqlite", "New.sqlite"])
    try successfully(output, "--quiet")
  }

  @Test func `The advice about a damaged library leads to its rows`() throws {
    try zero(20)
    let refusal = try tracksMigrate(library)
    #expect(refusal.status == 65)
    let words = try #require(refusal.stderr.split(separator: " get its rows with: tracks-migrate ").last)
    let line = "$TOOL " + words.trimmingCharacters(in: .newlines).replacing("--output NEW", with: "--output New.sqlite")
    let result = try CommandRunner.shell(line, in: folder.path).run()
    #expect(result.status == 0, "\(line) \(result)")
    #expect(Files.exists(output))
  }

  @Test func `Rows and links that were found and left out are in the file of rejects`() throws {
    try successfully(library, "--no-backup", "--quiet")
    try Database.run("DELETE FROM ZARTIST WHERE Z_PK <= 5", in: library)
    let result = try successfully("salvage", library, "--output", output)
    let path = output + ".rejects.ndjson"
    #expect(result.stderr.contains("Rejects: '\(path)'"))
    let lines = try Files.text(path).split(separator: "\n")
    #expect(!lines.isEmpty && lines.allSatisfy { $0.contains(#""reason":"missing-destination""#) })
  }

  @Test func `Of a store that is in its log alone, the log is read`() throws {
    let rows = "SELECT * FROM ZTRACK ORDER BY Z_PK"
    let expected = try Database.rows(rows, in: library)
    let connection = try Connection(path: library, access: .create)
    try connection.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; VACUUM")
    let log = try Files.bytes(library + "-wal")
    try connection.close()
    try Files.write([], to: library)
    try Files.write(log, to: library + "-wal")
    for command in ["doctor", "info"] {
      let result = try tracksMigrate(command, library)
      #expect(result.status != 0, "\(result)")
      let words = result.stdout + result.stderr
      #expect(words.contains("in the log beside it") && words.contains("salvage"), "\(result)")
      #expect(try Files.bytes(library + "-wal") == log)
    }
    try successfully("salvage", library, "--output", output)
    #expect(try Database.rows(rows, in: output) == expected)
    try Files.write(Array(log.prefix(20)), to: library + "-wal")
    let refusal = try tracksMigrate("salvage", library, "--output", output + "2")
    #expect(refusal.status == 65 && refusal.stderr.contains("it is empty"), "\(refusal)")
  }

  @Test func `A doubt about columns is told even if only errors are printed`() throws {
    let (store, model) = (folder.file("App.sqlite"), SampleStore.data("Notes/Notes.xcdatamodeld"))
    try Files.copy(SampleStore.data("Notes/library-v1.sqlite"), to: store)
    try Database.run(
      """
      PRAGMA writable_schema = ON; UPDATE sqlite_schema
      SET sql = replace(replace(replace(sql, 'ZBODY', 'ZOTHER'), 'ZTITLE', 'ZBODY'), 'ZOTHER', 'ZTITLE') WHERE name = 'ZNOTE'
      """, in: store)
    try Database.run("UPDATE ZNOTE SET ZTITLE = 'title', ZBODY = NULL WHERE Z_PK < 3", in: store)
    var bytes = try Files.bytes(store)
    bytes.replaceSubrange(0..<4096, with: repeatElement(0, count: 4096))
    try Files.write(bytes, to: store)
    let result = try tracksMigrate("salvage", store, "--output", output, "--quiet", "--model", model)
    #expect(result.status == 3 && result.stderr.hasPrefix("The columns of 'ZNOTE' are not in the order"), "\(result)")
    #expect(try Files.text(output + ".rejects.ndjson").contains(#""reason":"column-order""#))
  }

  @Test func `A file that is there is not replaced`() throws {
    try folder.write([1], to: "New.sqlite")
    let before = try folder.snapshot()
    let result = try tracksMigrate("salvage", library, "--output", output)
    #expect(result.status == 73 && result.stderr.contains("already exists"), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `Rejects take a name that is free`() throws {
    try successfully(library, "--no-backup", "--quiet")
    try Database.run("DELETE FROM ZARTIST WHERE Z_PK = 1", in: library)
    try folder.write([1], to: "New.sqlite.rejects.ndjson")
    let result = try successfully("salvage", library, "--output", output)
    #expect(result.stderr.contains("Rejects: '\(output).rejects-2.ndjson'"), "\(result)")
    #expect(try Files.bytes(output + ".rejects.ndjson") == [1])
    Files.remove(output)
    // The same rejects are not written twice.
    try successfully("salvage", library, "--output", output)
    #expect(
      try folder.listing().filter { $0.contains("New") } == [
        "New.sqlite", "New.sqlite.rejects-2.ndjson", "New.sqlite.rejects.ndjson",
      ])
  }

  @Test(arguments: ["L.sqlite", "L.sqlite-wal", "Link.sqlite"])
  func `Nothing that is read is replaced`(name: String) throws {
    try Files.link(folder.file("Link.sqlite"), to: library)
    let before = try folder.snapshot()
    let result = try tracksMigrate("salvage", library, "--output", folder.file(name))
    #expect(result.status == 73, "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [
    ["salvage", "L.sqlite"], ["salvage", "L.sqlite", "--output", ""], ["salvage", "--output", "New.sqlite"],
  ])
  func `The store and the output have to be named`(words: [String]) throws {
    let result = try CommandRunner(words, folder: folder.path).run()
    #expect(result.status == 64, "\(result)")
  }

  @Test func `Noise may be encrypted`() throws {
    var random = SeededGenerator(seed: 3)
    try folder.write((0..<1 << 16).map { _ in UInt8.random(in: 0...255, using: &random) }, to: "Noise.sqlite")
    let result = try tracksMigrate("salvage", folder.file("Noise.sqlite"), "--output", output)
    #expect(result.status == 65)
    #expect(result.stderr.contains("may be encrypted with a key"), "\(result)")
    #expect(!Files.exists(output))
  }

  @Test func `A store whose model is lost asks for it, and takes it`() throws {
    let store = folder.file("App.sqlite")
    let model = SampleStore.data("Notes/Notes.xcdatamodeld")
    try Files.copy(SampleStore.data("Notes/library-v1.sqlite"), to: store)
    try Database.run("DELETE FROM Z_MODELCACHE", in: store)
    let refusal = try tracksMigrate("salvage", store, "--output", output)
    #expect(refusal.status == 69 && refusal.stderr.hasSuffix("Name its model with --model.\n"), "\(refusal)")
    try successfully("salvage", store, "--output", output, "--model", model)
    let notes = "SELECT * FROM ZNOTE ORDER BY Z_PK"
    #expect(try Database.rows(notes, in: output) == Database.rows(notes, in: store))
  }

  @Test func `Without metadata, it is said why no known model fits`() throws {
    let store = folder.file("App.sqlite")
    try Files.copy(SampleStore.data("Books/library-v1.sqlite"), to: store)
    try Database.run("DELETE FROM Z_MODELCACHE; DELETE FROM Z_METADATA", in: store)
    let refusal = try tracksMigrate("salvage", store, "--output", output)
    #expect(refusal.status == 65 && refusal.stderr.hasSuffix("Name its model with --model.\n"), "\(refusal)")
    let fault = "('track library v1': it has no entity that could be the model's 'Track', "
    #expect(refusal.stderr.contains(fault), "\(refusal)")
  }

  @Test func `Only errors are printed if that is wanted`() throws {
    try zero(20)
    #expect(try successfully("salvage", library, "--output", output, "--quiet").stderr == "")
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"), arguments: ["L.sqlite", "L.sqlite-wal"])
  func `A store that another program writes meanwhile gives an error and no new store`(name: String) throws {
    let injector = try #require(FaultInjector.shared)
    let command = try CommandRunner(["salvage", library, "--output", output]).startAndStop(
      atWrite: 1, in: folder, injector)
    let path = folder.file(name)
    try Files.write((Files.exists(path) ? try Files.bytes(path) : []) + [0], to: path)
    command.send(SIGCONT)
    let result = try command.finish()
    #expect(result.status == 75 && result.stderr.contains("was changed by another program"), "\(result)")
    #expect(!Files.exists(output))
    #expect(try folder.listing().allSatisfy { !$0.hasPrefix(".") })
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"), arguments: [SIGINT, SIGTERM, SIGHUP])
  func `A stopped salvage ends by the signal and leaves nothing behind`(signal: Int32) throws {
    let injector = try #require(FaultInjector.shared)
    let before = try folder.snapshot()
    let command = try CommandRunner(["salvage", library, "--output", output]).startAndStop(
      atWrite: 1, in: folder, injector)
    for number in [signal, SIGCONT] { command.send(number) }
    let result = try command.finish()
    #expect(result.end == .signalled(signal), "\(result)")
    #expect(try folder.snapshot() == before)
  }
}
