import Foundation
import TestSupport
import Testing

@Suite("The stats command")
struct StatsTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
  }

  private func json(_ path: String) throws -> [String: Any] {
    let result = try successfully("stats", path, "--format", "json")
    return try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
  }

  @Test func `A library is described before any migration`() throws {
    let before = try folder.snapshot()
    let statistics = try json(library)
    #expect(statistics["version"] as? String == "v1")
    #expect(statistics["migration"] is NSNull)
    #expect((statistics["library"] as? [String: Any])?["tracks_count"] as? Int == 5)
    for (format, name) in [("table", "tracks_count"), ("csv", "tracks_count"), ("prometheus", "library_tracks")] {
      #expect(try successfully("stats", library, "--format", format).stdout.contains(name))
    }
    #expect(try folder.snapshot() == before)
  }

  @Test func `The command line that made a library is shown, with its options`() throws {
    try successfully(library, "--identity", "id", "--verify", "-q")
    let line = try #require(try json(library)["command"] as? String)
    #expect(line == "tracks-migrate '\(library)' --verify --identity='id'")
    #expect(try successfully("stats", library).stdout.hasSuffix("\nMade with: \(line)\n"))
    // It runs as it stands.
    try successfully("restore", library, "-q")
    let again = try CommandRunner.shell("\"$TOOL\"" + line.dropFirst("tracks-migrate".count), in: folder.path).run()
    #expect(again.status == 0, "\(again)")
  }

  @Test func `Words of a statistics file are never shell code`() throws {
    try successfully(library, "-q")
    let path = "\(library).migration.json"
    var report = try #require(
      try JSONSerialization.jsonObject(with: Data(try Files.bytes(path))) as? [String: Any])
    let words = ["plain;touch x", "--x;touch x=1", "--json='; touch x; '", "--roles=$(touch x)\u{1B}[31m", "a\nb"]
    report["options"] = words
    try Files.write(Array(try JSONSerialization.data(withJSONObject: report)), to: path)
    let line = try #require(try json(library)["command"] as? String)
    var shell = CommandRunner.shell(
      "printf '%s\\0' " + line.dropFirst("tracks-migrate ".count), in: folder.path)
    shell.executable = "/bin/bash"
    #expect(try shell.run().stdout.split(separator: "\0").map(String.init) == [library] + words, "\(line)")
    #expect(!line.contains("\u{1B}") && !Files.exists(folder.file("x")))
  }

  @Test func `The statistics combine the library's contents with the migration's report`() throws {
    try successfully(library)
    let statistics = try json(library)
    #expect(statistics["version"] as? String == "v2")
    let held = try #require(statistics["library"] as? [String: Any])
    let done = try #require(statistics["migration"] as? [String: Any])
    for (key, value) in [
      "tracks_count": 5, "artists_count": 3, "links_count": 6, "tracks_without_artist_count": 0,
      "artists_without_track_count": 0, "tracks_per_artist_maximum_count": 3, "artists_per_track_maximum_count": 2,
      "tracks_per_artist_median_count": 2,
    ] {
      #expect(held[key] as? Int == value, "\(key)")
    }
    #expect(held["tracks_per_artist_mean_count"] as? Double == 2)
    #expect(held["artists_per_track_mean_count"] as? Double == 1.2)
    for (key, value) in [
      "tracks_count": 5, "fallback_tracks_count": 2, "fallback_no_json_tracks_count": 1,
      "fallback_json_truncated_tracks_count": 1, "fallback_null_artists_tracks_count": 0, "rejects_count": 1,
    ] {
      #expect(done[key] as? Int == value, "\(key)")
    }
  }

  @Test func `A dash as the output means standard output`() throws {
    let before = try folder.snapshot()
    let result = try CommandRunner(["stats", library, "--output", "-"], folder: folder.path).run()
    #expect(try result.stdout == successfully("stats", library).stdout)
    #expect(try folder.snapshot() == before)
  }

  @Test func `The median of an even number of artists is the mean of the middle two`() throws {
    let counts = [1, 1, 4, 7]
    let tracks = counts.enumerated().flatMap { artist, count in
      (0..<count).map { TrackRow(title: "\($0)", json: .text(#"{"artists":["\#(artist)"]}"#)) }
    }
    let library = try folder.library("Even.sqlite", tracks)
    try successfully(library)
    let held = try #require(try json(library)["library"] as? [String: Any])
    #expect(held["tracks_per_artist_median_count"] as? Double == 2.5)
    #expect(held["tracks_per_artist_maximum_count"] as? Int == 7)
    let empty = try folder.library("Empty.sqlite", [])
    try successfully(empty)
    let none = try #require(try json(empty)["library"] as? [String: Any])
    #expect(none["tracks_per_artist_median_count"] as? Double == 0)
  }

  @Test func `The output cannot replace the library's own statistics`() throws {
    try successfully(library)
    let own = library + ".migration.json"
    try Files.link(folder.file("link.json"), to: own)
    try Files.link(folder.file("Link.sqlite"), to: library)
    let before = try folder.snapshot()
    for (path, output) in [
      (library, own), (library, folder.file("link.json")), (folder.file("Link.sqlite"), own),
    ] {
      let result = try tracksMigrate("stats", path, "--format", "json", "--output", output)
      #expect(result.status == 73 && result.stderr.contains("'--output' would replace the statistics of"), "\(result)")
      #expect(try folder.snapshot() == before)
    }
  }

  @Test func `A failed write leaves no temporary file`() throws {
    let before = try folder.snapshot()
    let script = #"ulimit -f 0; "$TOOL" stats Library.sqlite --output stats.prom --format prometheus"#
    let result = try CommandRunner.shell(script, in: folder.path).run()
    #expect([74, 75].contains(result.status), "\(result)")
    #expect(result.stderr.contains("'stats.prom'"))
    #expect(try folder.snapshot() == before)
  }

  @Test func `The statistics say what their means are taken over`() throws {
    let library = try folder.library("Some.sqlite", .few + [TrackRow(title: "Without an artist")])
    try successfully(library, "--quiet")
    let lines = try successfully("stats", library, "--format", "csv").stdout.split(whereSeparator: \.isNewline)
    #expect(lines.contains("library,tracks_without_artist_count,1,Tracks without an artist"))
    #expect(lines.contains("library,artists_per_track_mean_count,1.2,\"Artists per track that has any, mean\""))
    #expect(lines.contains("library,tracks_per_artist_mean_count,2.0,\"Tracks per artist that has any, mean\""))
  }

  @Test(.enabled(if: Program.find("perl") != nil && Files.exists("/proc/self/status"), "needs Perl and /proc"))
  func `The peak memory excludes that of the launching program`() throws {
    let script = #"perl -e '$x = "x" x 300_000_000; exec @ARGV' "$TOOL" "$1" --quiet"#
    let result = try CommandRunner.shell(script, library).run()
    #expect(result.status == 0, "\(result)")
    let done = try #require(try json(library)["migration"] as? [String: Any])
    let peak = try #require(done["peak_memory_bytes"] as? Int)
    #expect(peak > 4_000_000 && peak < 250_000_000)
  }

  @Test func `The report of a migration that did not happen is ignored`() throws {
    let folder = try TemporaryFolder()
    let library = try folder.library("Old.sqlite")
    let other = try folder.library("Other.sqlite")
    try successfully(other)
    try FileManager.default.copyItem(atPath: other + ".migration.json", toPath: library + ".migration.json")
    #expect(try json(library)["migration"] is NSNull)
  }

  @Test func `The table format has a row for each figure`() throws {
    try successfully(library)
    let lines = try successfully("stats", library).lines
    #expect(lines[0].split(separator: " ") == ["SCOPE", "FIGURE", "VALUE", "MEANING"])
    #expect(lines.contains { $0.split(separator: " ").prefix(3) == ["library", "artists_count", "3"] })
    #expect(lines.contains { $0.split(separator: " ").prefix(3) == ["migration", "rejects_count", "1"] })
  }

  @Test func `The CSV format has a line for each figure`() throws {
    try successfully(library)
    let lines = try successfully("stats", library, "--format", "csv").stdout.split(whereSeparator: \.isNewline)
    #expect(lines[0] == "scope,figure,value,meaning")
    #expect(lines.contains("library,artists_count,3,Artists"))
    for line in lines { #expect(line.split(separator: ",").count >= 4) }
  }

  @Test func `The Prometheus format has HELP and TYPE lines for each metric`() throws {
    try successfully(library)
    let lines = try successfully("stats", library, "--format", "prometheus").lines
    #expect(lines.count % 3 == 0)
    for index in stride(from: 0, to: lines.count, by: 3) {
      let words = lines[index].split(separator: " ")
      let name = try #require(words.dropFirst(2).first)
      #expect(words.prefix(2) == ["#", "HELP"])
      #expect(name.wholeMatch(of: /[a-z_][a-z0-9_]*/) != nil)
      #expect(lines[index + 1] == "# TYPE \(name) \(name.hasSuffix("_total") ? "counter" : "gauge")")
      #expect(lines[index + 2].hasPrefix("\(name){library=\"\(library)\"} "))
      #expect(Double(lines[index + 2].split(separator: " ").last ?? "") != nil)
    }
    #expect(lines.contains("tracks_migrate_library_tracks{library=\"\(library)\"} 5"))
    #expect(lines.contains("tracks_migrate_migration_tracks_total{library=\"\(library)\"} 5"))
    #expect(lines.contains("tracks_migrate_success{library=\"\(library)\"} 1"))
  }

  @Test(arguments: ["table", "json", "csv", "prometheus"])
  func `A file gets the same bytes as standard output`(format: String) throws {
    try successfully(library)
    let output = folder.file("stats.out")
    try folder.write(Array("old".utf8), to: "stats.out")
    let result = try successfully("stats", library, "--format", format, "--output", output)
    #expect(result.stdout == "")
    #expect(result.stderr == "")
    #expect(try Files.bytes(output) == (try successfully("stats", library, "--format", format).output))
    #expect(try !folder.listing().contains { $0.hasPrefix(".") })
  }

  @Test(arguments: [["stats", "--format", "prometheus"], ["export"]])
  func `A file that is rewritten repeatedly is never seen in part`(command: [String]) throws {
    try successfully(library)
    let output = folder.file("tracks.out")
    let words = command + [library, "--output", output]
    #expect(try CommandRunner(words).run().status == 0)
    let whole = try Files.bytes(output)
    let runs = try (0..<12).map { _ in try CommandRunner(words).start() }
    for _ in 0..<300 { #expect(try Files.bytes(output) == whole) }
    for run in runs {
      let result = try run.finish()
      #expect(result.status == 0, "\(result)")
    }
    #expect(try !folder.listing().contains { $0.hasPrefix(".") })
  }

  @Test func `A document's path may be longer than that of a library`() throws {
    let name = String(repeating: "d", count: 200)
    let deep = try folder.makeFolder("\(name)/\(name)/\(name)")
    try successfully("stats", library, "--format", "json", "--output", "\(deep)/stats.json")
    #expect(try Files.listing(deep) == ["stats.json"])
  }

  @Test(arguments: ["nowhere/x.prom", "", "Library.sqlite", "./Library.sqlite", "Library.sqlite-wal", "."])
  func `An impossible output is reported and nothing is changed`(output: String) throws {
    let before = try folder.snapshot()
    let result = try tracksMigrate("stats", "Library.sqlite", "--output", output, in: folder.path)
    #expect(result.status == (output == "" ? 64 : 73), "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `A pipe receives the statistics and stays a pipe`() throws {
    let script = #"mkfifo p; cat p & "$TOOL" stats "$1" --format csv --output p; wait; test -p p"#
    let result = try CommandRunner.shell(script, library, in: folder.path).run()
    #expect(result.status == 0)
    #expect(result.stdout.contains("library,tracks_count,5,Tracks"))
  }

  @Test(arguments: [2, 0, 99], [false, true])
  func `A report of another format version is reported, whatever it contains`(version: Int, isWhole: Bool) throws {
    try successfully(library)
    let path = library + ".migration.json"
    let report = isWhole ? try Files.text(path) : #"{"format_version" : 1, "tracks" : 5}"#
    try Files.write(report.replacing(#""format_version" : 1"#, with: #""format_version" : \#(version)"#), to: path)
    let result = try successfully("stats", library, "--format", "json")
    #expect(
      result.stderr == "tracks-migrate: warning: the statistics of '\(library)' cannot be read: '\(path)' has format "
        + "\(version).\n")
    let statistics = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
    #expect(statistics?["migration"] is NSNull)
  }

  @Test(arguments: ["", "{", "[]", #"{"format_version":99}"#, #"{"format_version":1,"tracks_count":1e99}"#, "\u{FFFD}"])
  func `An unreadable report is reported and the library's own figures are printed`(report: String) throws {
    try successfully(library)
    try folder.write(Array(report.utf8), to: "Library.sqlite.migration.json")
    let result = try tracksMigrate("stats", library)
    // The library's own figures are printed all the same.
    #expect(result.status == 0)
    #expect(result.stdout.contains("tracks_count"))
    #expect(result.stderr.hasPrefix("tracks-migrate: warning: the statistics of '\(library)' cannot be read: "))
    #expect(result.stderr.contains("Library.sqlite.migration.json"))
  }
}
