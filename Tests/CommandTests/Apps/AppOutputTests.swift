import Foundation
import TestSupport
import Testing

@Suite("What is told of an app's migration")
struct AppOutputTests {
  @Test func `nothing to the quiet`() throws {
    let result = try SampleStore("Notes").migrate("-q")
    #expect(result.stdout == "")
    #expect(result.stderr == "")
  }

  @Test func `the first examples, and all to the verbose`() throws {
    let brief = try SampleStore("Books").migrate().stderr
    let verbose = try SampleStore("Books").migrate("-v").stderr
    #expect(brief.contains("    shared user ids: 25\n      book 1 'A book by the first author'\n"))
    #expect(brief.contains("      … and 22 more\n"))
    #expect(verbose.contains("      … and 5 more\n"))
    #expect(verbose.contains("' goes from 'Books' to 'Books 3' in 2 hops:\n  1. 'Books' to 'Books 2', by "))
    #expect(!brief.contains(" goes from "))
  }

  @Test func `statistics as JSON where they are wanted`() throws {
    let store = try SampleStore("Notes", version: 2)
    let stats = store.folder.file("stats.json")
    let result = try store.migrate("--stats", stats)
    #expect(result.stderr.hasSuffix("\nStatistics: \(stats)\n"))
    #expect(store.folder.names == ["App.sqlite", "App.sqlite.Notes-2-backup", "stats.json"])
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

  @Test func `statistics that cannot be written end it before it begins`() throws {
    let store = try SampleStore("Notes")
    #expect(try store.refuse(73, "--stats", store.folder.file("none/stats.json")).contains("there is no folder"))
    #expect(try store.refuse(73, "--stats", store.path).contains("this name belongs to the library"))
    let stats = store.folder.file("stats.json")
    #expect(try store.run("--to", "Notes", "--stats", stats).stderr.hasSuffix("'\(stats)' was not written.\n"))
    #expect(store.folder.names == ["App.sqlite"])
  }

  @Test func `a bar for every entity of every hop, gone at the end`() throws {
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
