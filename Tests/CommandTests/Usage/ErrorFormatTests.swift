import Foundation
import TestSupport
import Testing

@Suite("Errors as JSON")
struct ErrorFormatTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func record(_ words: [String]) throws -> (CommandResult, [String: Any]) {
    let result = try CommandRunner(words, folder: folder.path).run()
    let line = result.stderr.split(separator: "\n").last ?? ""
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(result)")
    #expect(object["exit_status"] as? Int == result.status.map(Int.init))
    return (result, object)
  }

  @Test(
    arguments: [
      ["nosuch.sqlite", "--errors", "json"], ["--errors=json", "artists", "nosuch.sqlite"],
      ["verify", "--errors", "json", "nosuch.sqlite"],
    ])
  func `An error has a code, a path, its status and a way out`(words: [String]) throws {
    let (result, object) = try record(words)
    #expect(result.status == 66 && object["code"] as? String == "missing" && object["level"] as? String == "error")
    #expect(object["path"] as? String == "nosuch.sqlite" && (object["advice"] as? String)?.isEmpty == false)
    #expect(result.stderr.split(separator: "\n").count == 1)
  }

  @Test(arguments: [["--nope"], ["artists"], ["nosuch"], ["L.sqlite", "--jobs", "0"], ["presets", "show", "nosuch"]])
  func `A mistake on the command line is an error too`(words: [String]) throws {
    let (result, object) = try record(words + ["--errors", "json"])
    #expect(result.status == 64 && object["code"] as? String == "usage", "\(result)")
    #expect((object["message"] as? String)?.isEmpty == false)
  }

  @Test func `A row is named`() throws {
    let library = try folder.library("L.sqlite", [TrackRow(title: "A", artistName: "B", json: "{")])
    let (result, object) = try record([library, "--strict", "--errors", "json"])
    #expect(result.status == 65 && object["code"] as? String == "strict-findings", "\(result)")
  }

  @Test func `Other formats are refused, and words after -- are left alone`() throws {
    for words in [["--errors"], ["--errors", "xml", "L.sqlite"], ["--errors=", "L.sqlite"]] {
      let result = try CommandRunner(words, folder: folder.path).run()
      #expect(result.status == 64 && result.stderr.contains("'--errors' requires one of text, json."), "\(result)")
    }
    let result = try CommandRunner(["--", "--errors"], folder: folder.path).run()
    #expect(result.status == 66 && result.stderr.contains("there is no file '--errors'"), "\(result)")
  }

  @Test func `Statistics and rejects say whose they are`() throws {
    let library = try folder.library(
      "L.sqlite", [TrackRow(title: "A", artistName: "B", json: "{")])
    try successfully(library, "--identity", "id", "--roles", "main")
    let version = try successfully("--version").stdout.dropLast()
    for name in ["L.sqlite.migration.json", "L.sqlite.rejects.ndjson"] {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(try Files.bytes(folder.file(name)))) as? [String: Any])
      let isRejects = name.hasSuffix("ndjson")
      let path = object[isRejects ? "library" : "library_path"] as? String
      #expect(path?.hasSuffix("/L.sqlite") == true && path?.hasPrefix("/") == true)
      #expect(object[isRejects ? "libraryUUID" : "library_uuid"] as? String == LibraryBuilder().uuid)
      #expect(object[isRejects ? "toolVersion" : "tool_version"] as? String == String(version))
      #expect(object["options"] as? [String] == ["--identity=id", "--roles=main"])
    }
  }
}
