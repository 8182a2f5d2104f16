import Foundation
import TestSupport
import Testing

@Suite("Messages and statistics of an app's migration")
struct AppOutputTests {
  @Test func `A quiet migration prints nothing`() throws {
    let result = try SampleStore("Notes").migrate("-q")
    #expect(result.stdout == "")
    #expect(result.stderr == "")
  }

  @Test func `Examples are abbreviated by default and extended with --verbose`() throws {
    let brief = try SampleStore("Books").migrate().stderr
    let verbose = try SampleStore("Books").migrate("-v").stderr
    #expect(brief.contains("    shared user ids: 25\n      book 1 'A book by the first author'\n"))
    #expect(brief.contains("      … and 22 more\n"))
    #expect(verbose.contains("      … and 5 more\n"))
    #expect(verbose.contains("' goes from 'Books' to 'Books 3' in 2 hops:\n  1. 'Books' to 'Books 2', by "))
    #expect(!brief.contains(" goes from "))
  }

  @Test func `Tables that are dropped and tables that are carried over are reported`() throws {
    let store = try SampleStore("Notes")
    try Database.run(
      """
      CREATE TABLE ATRANSACTION (a); INSERT INTO ATRANSACTION VALUES (1), (2); CREATE TABLE ANSCKEVENT (a);
      CREATE TABLE own (a); CREATE TABLE odd (a CHECK (a > 0))
      """, in: store.path)
    #expect(try store.refuse(65, "--strict").contains("the new file would not have the data in "))
    let text = try store.migrate().stderr
    #expect(text.contains("\n  left behind: ATRANSACTION (2)\n"))
    #expect(text.contains("\n  left behind: ANSCKEVENT (0), a CloudKit mirror: set it up again in the app\n"))
    #expect(
      text.contains(
        "\n  kept unchanged: own\n  not kept: odd (its definition holds an expression, which would have to be run)\n"))
  }

  @Test func `A strict failure is explained in English and has a code in the statistics`() throws {
    let store = try SampleStore("Notes", version: 2)
    try Database.run("CREATE TABLE odd (a CHECK (a > 0))", in: store.path)
    #expect(
      try store.refuse(65, "--strict").contains(
        "'odd' cannot be carried over: its definition holds an expression, which would have to be run"))
    try store.migrate("--stats", store.folder.file("stats.json"))
    #expect(try Files.text(store.folder.file("stats.json")).contains("\"odd\" : \"expression\""))
  }

  @Test func `Missing external data files are reported`() throws {
    let template = try PictureStore()
    let folder = try TemporaryFolder()
    let store = try template.copy(to: folder)
    let name = "00000002-ABCD-4EF0-8123-456789ABCDEF"
    try FileManager.default.removeItem(atPath: folder.file(".App_SUPPORT/_EXTERNAL_DATA/\(name)"))
    let strict = try tracksMigrate(store, "--model", template.model, "--strict")
    #expect(strict.status == 65)
    #expect(strict.stderr.contains("an external data file is missing: that of Picture 2, data"))
    let result = try successfully(store, "--model", template.model)
    #expect(result.stderr.contains("\n  files that are missing: 1\n    Picture 2, data: \(name)\n"))
  }

  @Test func `The statistics are written as JSON to the named file`() throws {
    let store = try SampleStore("Notes", version: 2)
    let stats = store.folder.file("stats.json")
    let result = try store.migrate("--stats", stats)
    #expect(result.stderr.hasSuffix("\nStatistics: \(stats)\n"))
    #expect(try store.folder.listing() == ["App.sqlite", "App.sqlite.Notes-2-backup", "stats.json"])
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: stats))) as? [String: Any])
    #expect(report["format_version"] as? Int == 1)
    #expect(report["source_version"] as? String == "Notes 2")
    let hops = try #require(report["hops"] as? [[String: Any]])
    #expect(
      hops.map { $0["mapping_models"] as? [String] } == [
        ["Notes_v2_to_v3.xcmappingmodel"], ["Notes_v3_to_v4.xcmappingmodel"],
      ])
    #expect(
      hops.last?["destination_instances_count_by_entity"] as? [String: Int] == ["ImageAttachment": 49, "Note": 60])
    #expect((hops.last?["count_by_counter"] as? [String: Int])?["unknown_size.damaged"] == 3)
  }

  @Test func `An unwritable statistics file stops the run before it begins`() throws {
    let store = try SampleStore("Notes")
    #expect(try store.refuse(73, "--stats", store.folder.file("none/stats.json")).contains("there is no folder"))
    #expect(try store.refuse(73, "--stats", store.path).contains("'--stats' would replace the library '\(store.path)'"))
    let stats = store.folder.file("stats.json")
    #expect(try store.run("--to", "Notes", "--stats", stats).stderr.hasSuffix("'\(stats)' was not written.\n"))
    #expect(try store.folder.listing() == ["App.sqlite"])
  }

  @Test func `Every entity of every hop has a progress bar that is gone at the end`() throws {
    var runner = CommandRunner(["--model", SampleStore.data("Notes/Notes.xcdatamodeld")])
    let store = try SampleStore("Notes", version: 2)
    runner.arguments += [store.path]
    runner.terminalStreams = [.error]
    let result = try runner.run()
    #expect(result.status == 0)
    #expect(result.terminal.contains("/60 instances of Note, hop 1 of 2"))
    #expect(result.terminal.contains("instances of Attachment, hop 2 of 2"))
    #expect(result.terminal.contains(" \rMigrated '\(store.path)'"))
  }
}
