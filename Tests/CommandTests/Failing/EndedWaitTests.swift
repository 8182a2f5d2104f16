import Foundation
import TestSupport
import Testing

/// A pipe that nobody reads or writes stands at each place where a command takes a path.
@Suite("A command that waits for a pipe")
struct EndedWaitTests {
  private static let template = Result { () throws -> TemporaryFolder in
    let folder = try TemporaryFolder()
    _ = try folder.library("Old.sqlite")
    try successfully(folder.file("Old.sqlite"), "--output", folder.file("New.sqlite"), "--quiet")
    try Files.write(#"{"title": "A"}"# + "\n", to: folder.file("Feed.ndjson"))
    let samples = Checkout.root.appending(path: "SampleData").path
    try Files.copy("\(samples)/Notes/Notes.xcdatamodeld", to: folder.file("N.xcdatamodeld"))
    try successfully("export", folder.file("New.sqlite"), "--output", folder.file("Feed.ndjson"))
    let none = #"{"count":0,"files":[]}"#
    let files = #"{"count":0,"files":[{"path":"Pipe","count":0,"sha256":""}]}"#
    try Files.write(
      #"{"format_version":1,"tracks":\#(files),"artists":\#(none),"links":\#(none)}"#, to: folder.file("manifest.json"))
    return folder
  }

  @Test(arguments: [
    "Pipe", "Old.sqlite --output Pipe", "Old.sqlite --stats Pipe", "Old.sqlite --model Pipe", "Old.sqlite --json Pipe",
    "Old.sqlite --decisions Pipe", "restore Pipe", "artists Pipe", "artists review New.sqlite --decisions Pipe",
    "artists apply New.sqlite Pipe", "tracks Pipe", "stats Pipe", "stats New.sqlite --output Pipe", "info Pipe",
    "verify Pipe", "verify New.sqlite --source Pipe", "verify New.sqlite --feed Pipe",
    "verify New.sqlite --manifest Pipe", "verify New.sqlite --manifest manifest.json", "models show Pipe",
    "models guard N.xcdatamodeld --against Pipe", "models guard N.xcdatamodeld --mapping Pipe", "batch Pipe",
    "batch summarize Pipe", "import Pipe Made.sqlite", "import Feed.ndjson Made.sqlite --stats Pipe",
    "export New.sqlite --output Pipe", "export New.sqlite --entity Track --output Pipe",
    "extract Old.sqlite --output Pipe",
    "extract Pipe --output Made.ndjson", "assemble --manifest Pipe --output Made.sqlite",
    "assemble --manifest manifest.json --output Made.sqlite", "report New.sqlite --output Pipe", "query Pipe Track",
    "fixture new --model Pipe Made.sqlite", "fixture new --model N.xcdatamodeld Pipe",
    "rehearse --model N.xcdatamodeld --rows 2 --junit Pipe", "rehearse --model N.xcdatamodeld --rows 2 --markdown Pipe",
  ])
  func `A command ends by itself or by the signal, and leaves nothing hidden`(_ line: String) throws {
    for signal in [SIGTERM, SIGINT, SIGHUP] {
      let (template, folder) = (try Self.template.get(), try TemporaryFolder())
      for name in try template.listing() { try Files.copy(template.file(name), to: folder.file(name)) }
      try #require(mkfifo(folder.file("Pipe"), 0o600) == 0)
      var runner = CommandRunner(line.split(separator: " ").map(String.init), folder: folder.path)
      runner.environment["TMPDIR"] = folder.path
      let command = try runner.start()
      // It sleeps for good, or it has ended; a rehearsal also sleeps for its own threads, and is then ended in its midst.
      let rest = command.waitUntilSettled()
      if rest == .asleep { command.send(signal) }
      let result = try command.finish()
      #expect(result.end != .timedOut && result.end != .signalled(SIGKILL), "\(result)")
      let names = try folder.listing()
      #expect(names.allSatisfy { !$0.hasPrefix(".") }, "\(names)")
      if rest == .ended { break }
    }
  }
}
