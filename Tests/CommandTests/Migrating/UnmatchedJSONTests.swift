import Foundation
import TestSupport
import Testing

@Suite("JSON of another shape")
struct UnmatchedJSONTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let known = #"{"artists":[{"id":"a","name":"A"}]}"#
  private static let other = #"{"performers":[{"n":"X"}],"title":"\u00e9","length":7}"#

  private func library(_ documents: [String?], name: String = "Library.sqlite") throws -> String {
    try folder.library(
      name,
      documents.enumerated().map {
        TrackRow(title: .text("T\($0)"), artistName: "A", json: $1.map { .text($0) } ?? nil)
      })
  }

  @Test func `JSON that mostly has another shape is not discarded unless forced`() throws {
    let library = try library([Self.known, Self.other, nil, Self.other, "{"])
    let before = try folder.snapshot()
    for more in [[], ["--dry-run"], ["--quiet"], ["--verify"], ["--identity", "id", "--jobs", "2"]] {
      let result = try CommandRunner([library, "--no-backup"] + more).run()
      #expect(result.status == 65, "\(result)")
      #expect(
        result.stderr == """
          tracks-migrate: error: '\(library)' was not migrated, because --no-backup would discard JSON that holds \
          more than the new library: 2 of 3 JSON documents have no artists in a known place; their keys are "performers" (array), \
          "title" (string), "length" (number); for example track 2 'T1': \(Self.other). Nothing was changed. Run \
          without --no-backup to keep the JSON in the backup, or with --force to discard it.

          """)
      #expect(try folder.snapshot() == before)
    }
    let result = try successfully(library, "--no-backup", "--force")
    #expect(result.stderr.contains("tracks-migrate: warning: 2 of 3 JSON documents have no artists"))
    #expect(try !folder.listing().contains { $0.contains("backup") })
  }

  @Test(arguments: [[], ["--output", "New.sqlite"], ["--dry-run"]])
  func `Every run describes JSON of another shape`(more: [String]) throws {
    let library = try library([Self.other, #"["X"]"#, Self.known, Self.other])
    let result = try CommandRunner([library] + more, folder: folder.path).run()
    #expect(result.status == 0, "\(result)")
    let warning = """
      arning: 3 of 4 JSON documents have no artists in a known place; their keys are "performers" (array), "title" \
      (string), "length" (number) (2 of 3 that were looked at); for example track 1 'T0': \(Self.other). Their tracks use \
      artistName, and the new library does not have the JSON.
      """
    #expect((result.stdout + result.stderr).contains(warning), "\(result)")
    guard more.first != "--dry-run" else { return }
    let report = folder.file((more.last ?? "Library.sqlite") + ".migration.json")
    #expect(try Files.text(report).contains(#""unmatched_json" : "3 of 4 JSON documents"#))
  }

  @Test(arguments: [
    ([known, other], false), ([known, other, other], true), ([nil, nil, nil, other], true),
    // JSON that names no artists, or that is unreadable, does not count as another shape.
    ([#"{"artists":[]}"#, #"{"artists":null}"#, other, other], false), (["", nil, "{"], false), ([], false),
    (["7", "{}", #"{"artists":"A"}"#, #"{"artists":[{"title":"A"}]}"#, known], true),
  ])
  func `The warning requires more than half of the readable documents`(documents: [String?], isMost: Bool) throws {
    let library = try library(documents)
    #expect(try tracksMigrate(library, "--no-backup").status == (isMost ? 65 : 0))
    let result = try successfully(library)
    #expect(result.stderr.contains("warning: ") == isMost, "\(result)")
  }

  @Test(arguments: [
    (["[1]", "[2]", "{}"], #"they are an array (2 of 3 that were looked at); for example track 1 'T0': [1]"#),
    (["7", "7"], "they are a number; for example track 1 'T0': 7"), (["{}"], "they are an empty object;"),
    (
      [#"{"b":1,"a":null}"#, #"{"a":true,"x":[{"y":{}}]}"#, "{\n \"a\" : {\"z\":1} }"],
      #"their keys are "a" (null), "b" (number, in 1 of 3), "x" (array, in 1 of 3); for example"#
    ),
    ([#"{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1,"10":1}"#], #""8" (number) and 2 more; for example"#),
  ])
  func `The warning lists the documents' keys and kinds of values`(documents: [String], description: String) throws {
    let library = try library(documents)
    #expect(try successfully(library).stderr.contains(description))
  }

  @Test func `Documents of any size are sampled, and long values are left out`() throws {
    let large = #"{"large":"\#(String(repeating: "x ", count: 1_500_000))","k":1}"#
    let library = try library([large] + (0..<300).map { #"{"large":"\#($0)"}"# })
    let result = try successfully(library)
    #expect(
      result.stderr.contains(#"301 of 301 JSON documents have no artists in a known place; their keys are "large""#))
    let warning = try #require(result.stderr.split(separator: "\n").first { $0.contains("warning: ") })
    #expect(warning.count < 600)
  }

  @Test func `JSON that mostly has no artist with a wanted role is not discarded unless forced`() throws {
    let featured = #"{"artists":[{"id":"b","name":"B","role":"featured"}]}"#
    let main = #"{"artists":[{"id":"a","name":"A","role":"main"}]}"#
    let library = try library([main, main, featured])
    let before = try folder.snapshot()
    let paths = ["--artists-path", "$.artists[*]", "--role-path", "role", "--no-backup", "--roles"]
    let refused = try CommandRunner([library] + paths + ["featured"]).run()
    #expect(refused.status == 65, "\(refused)")
    #expect(refused.stderr.contains("2 of 3 JSON documents have no artist with a wanted role"), "\(refused)")
    #expect(try folder.snapshot() == before)
    try successfully([library] + paths + ["main"])
    try successfully([try self.library([main, main], name: "Forced.sqlite")] + paths + ["featured", "--force"])
  }

  @Test func `A migration with the app's own model does not discard such JSON either`() throws {
    let library = try library([Self.other, Self.other])
    let model = ["--model", Readme.root + "/SampleData/Tracks/Tracks.xcdatamodeld"]
    let before = try folder.snapshot()
    let refused = try CommandRunner([library, "--no-backup"] + model).run()
    #expect(refused.status == 65 && refused.stderr.contains("2 of 2 JSON documents have no artists"), "\(refused)")
    #expect(try folder.snapshot() == before)
    let forced = try CommandRunner([library, "--no-backup", "--force"] + model).run()
    #expect(forced.status == 0, "\(forced)")
    #expect(forced.stderr.contains("tracks-migrate: warning: 2 of 2 JSON documents have no artists"))
  }
}
