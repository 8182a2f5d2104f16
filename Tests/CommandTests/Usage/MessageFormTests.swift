import Foundation
import TestSupport
import Testing

/// The form that all messages have, in the transcripts of everything that the command prints.
@Suite("The form of messages")
struct MessageFormTests {
  /// A message in a transcript, and the command that printed it.
  private struct Message {
    let command: [String]
    let text: String
  }

  private static func messages(in name: String) throws -> [Message] {
    var command: [String] = []
    var messages: [Message] = []
    for line in try Files.text("\(Readme.root)/Tests/Transcripts/\(name).txt").split(separator: "\n") {
      if line.hasPrefix("$ ") {
        command = line.split(separator: "tracks-migrate ").last?.split(separator: " ").map(String.init) ?? []
      } else if let place = line.firstRange(of: #/^tracks-migrate: (?:error|warning): /#) {
        messages.append(Message(command: command, text: String(line[place.upperBound...])))
      }
    }
    return messages
  }

  @Test(arguments: ["apps", "libraries", "mistakes", "models"])
  func `Errors of usage and of the engine begin alike`(name: String) throws {
    for message in try Self.messages(in: name) {
      #expect(message.text.firstMatch(of: #/^[A-Z][a-z ]/#) == nil, "\(message.text)")
      #expect(!message.text.contains(" is no ") || message.text.contains("there is no "), "\(message.text)")
    }
  }

  @Test(arguments: ["apps", "libraries", "mistakes", "models"])
  func `A message names only options that its command has`(name: String) throws {
    for message in try Self.messages(in: name) {
      // What was typed is quoted, and other commands are named with their options.
      let text = message.text.replacing(#/there is no option '[^']*'/#, with: "")
        .replacing(#/with: tracks-migrate .*|'(?:tracks-migrate )?[a-z]+ --[a-z-]+'/#, with: "")
      let options = text.matches(of: #/--[a-z][a-z-]+/#).map { String($0.0) }
      guard !options.isEmpty else { continue }
      let help = try Self.help(of: message.command)
      for option in options where !["--version", "--errors", "--color"].contains(option) {
        #expect(help.contains(option), "\(message.command): \(message.text)")
      }
    }
  }

  private static func help(of command: [String]) throws -> String {
    // Those of a group without a subcommand are of its default one, whose help this is.
    let defaults = ["artists": "list", "batch": "run"]
    let words =
      if let group = command.first, let subcommand = defaults[group],
        command.count == 1 || !["apply", "review", "summarize"].contains(command[1])
      {
        [group, subcommand]
      } else {
        Array(command.prefix(2))
      }
    for count in [2, 1] where words.count >= count {
      let result = try CommandRunner(["help"] + words.prefix(count)).run()
      if result.status == 0 { return result.stdout }
    }
    return try successfully("help", "migrate").stdout
  }
}

/// Words that depend on the command that says them.
@Suite("Messages in the words of their command")
struct MessageWordTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try successfully(library)
  }

  @Test(arguments: [
    (["import", "feed.gz", "New.sqlite"], "imported"), (["extract", "feed.gz"], "extracted"),
    (["assemble", "--manifest", "m.json", "--output", "New.sqlite"], "assembled"),
    (["verify", "Library.sqlite", "--manifest", "m.json"], "compared"),
  ])
  func `What cannot be used cannot be what its command does`(words: [String], verb: String) throws {
    try Files.write([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0xFF], to: folder.file("feed.gz"))
    try Files.write("[]", to: folder.file("m.json"))
    let result = try CommandRunner(words, folder: folder.path).run()
    #expect(result.status == 65, "\(result)")
    #expect(result.stderr.contains("' cannot be \(verb): "), "\(result)")
  }

  @Test(arguments: [
    ("[]", "it is not a JSON object"), ("{", "it is not JSON, or was cut"), ("{}", "'format_version' is missing"),
    (#"{"formatVersion": 1}"#, "'format_version' is missing"),
    (#"{"format_version": 2, "tracks": {"count": 0, "files": []}}"#, "'artists"),
    (#"{"format_version": 1, "tracks": {"count": 0, "files": []}}"#, "'artists"),
    (#"{"format_version": 1, "tracks": {"files": []}}"#, "'tracks.count'"),
    (#"{"format_version": 1, "tracks": {"count": 0}}"#, "'tracks.files'"),
  ])
  func `A manifest's error names what is wrong in it`(manifest: String, problem: String) throws {
    try Files.write(manifest, to: folder.file("m.json"))
    for words in [
      ["assemble", "--manifest", "m.json", "--output", "New.sqlite"],
      ["verify", "Library.sqlite", "--manifest", "m.json"],
    ] {
      let result = try CommandRunner(words, folder: folder.path).run()
      #expect(result.status == 65, "\(result)")
      // Both have to name a fault; of several, each may find another one first.
      let isTwofold = manifest.contains(": 2,")
      #expect(
        result.stderr.contains(problem) || isTwofold && result.stderr.contains("its format_version is 2, not 1"),
        "\(result)")
      #expect(!result.stderr.contains("formatVersion"), "\(result)")
    }
  }

  @Test func `The command that verify advises for an app's store that is not migrated works as it stands`() throws {
    let own = #"<attribute name="name" attributeType="String"/>"#
    _ = try folder.models(
      "An app.xcdatamodeld",
      [
        "1": "<entity name=\"A\">\(own)</entity>",
        "2": "<entity name=\"A\">\(own)<attribute name=\"n\" optional=\"YES\" attributeType=\"String\"/></entity>",
      ], current: "2")
    func run(_ words: String...) throws -> CommandResult { try CommandRunner(words, folder: folder.path).run() }
    for name in ["Old.sqlite", "-App"] {
      #expect(
        try run("fixture", "new", "--model", "An app.xcdatamodeld:1", "--rows", "3", "--", name).status == 0)
    }
    let verify = ["verify", "--model", "An app.xcdatamodeld", "--source", "Old.sqlite", "--", "-App"]
    let refused = try CommandRunner(verify, folder: folder.path).run()
    #expect(refused.status == 65, "\(refused)")
    let place = try #require(refused.stderr.firstRange(of: "Migrate it first, with: tracks-migrate "))
    let advised = refused.stderr[place.upperBound...].split(separator: "\n")[0]
    let migrated = try CommandRunner.shell("$TOOL \(advised)", in: folder.path).run()
    #expect(migrated.status == 0, "\(migrated)")
    #expect(try CommandRunner(verify, folder: folder.path).run().status == 0)
  }
}
