import Foundation
import JSONPresets
import TestSupport
import Testing

@Suite("The facts that are counted")
struct FactTests {
  private let folder: TemporaryFolder
  private var library: String { folder.file("L.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private static let options = ["--split-by-ids"]

  /// Makes a library whose tracks have every fact of a migration.
  private func makeLibrary() throws {
    let long = String(repeating: "x", count: 1 << 20) + "x"
    let documents = [
      #"{"artists":[{"name":"A"},{"name":"B","id":"b","imageURL":"1"}]}"#,
      #"{"artists":[{"name":"A","id":"a"},{"name":"B","id":"c","imageURL":"2"},{"name":"C","id":"a"}]}"#,
      #"{"artists":[{"name":"D","name":"E"},5]}"#, #"{"artists":[{"name":"L","id":"\#(long)"}]}"#,
      #"{"artists":[{"name":"Same"},{"name":"SAME"},{"name":"P & Q"}]}"#, "{",
      #"{"track_metadata":{"track_name":"T","artist_name":"R & S","additional_info":{"artist_mbids":["1","2"]}}}"#,
    ]
    let rows = documents.map { TrackRow(title: .text("T"), artistName: .text("F"), json: .rawText(Array($0.utf8))) }
    _ = try folder.library("L.sqlite", rows + [TrackRow(title: .text("None"), artistName: .null, json: .null)])
  }

  private func object(_ json: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
  }

  /// Requires the facts in JSON.
  ///
  /// - Returns: The numbers by name.
  @discardableResult
  private func require(
    _ facts: [Fact], in json: String, examples: Bool = true, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [Fact: Int] {
    let object = try object(json)
    var counts: [Fact: Int] = [:]
    for fact in facts {
      let key = try #require(fact.key)
      counts[fact] = object[key] as? Int
      #expect(counts[fact] ?? 0 > 0, "\(key)", sourceLocation: sourceLocation)
      guard examples, let key = fact.traits.examplesKey else { continue }
      #expect((object[key] as? [String])?.isEmpty == false, "\(key)", sourceLocation: sourceLocation)
    }
    return counts
  }

  /// Requires a line of text with the number of each fact.
  private func require(_ facts: [Fact: Int], inText text: String) throws {
    for (fact, count) in facts where fact.traits.chapter != .file {
      let line = text.split(separator: "\n").first { $0.hasPrefix("  \(fact.traits.label) ") }
      let words = line.map { $0.split(separator: " ") } ?? []
      #expect(
        words.contains("\(count)") && line?.hasSuffix(fact.traits.explanation) == true, "\(fact): \(line ?? "no line")")
    }
  }

  @Test func `Every fact of a migration is in its text, JSON, CSV, metrics, page, batch and verification`() throws {
    try makeLibrary()
    let facts = Fact.all(of: .result, .document, .detail, .conflict) + [.rejects]
    let batch = try successfully(["batch", library, "--output-dir", folder.file("out")] + Self.options).stdout
    let text = try successfully(["migrate", library, "--verify"] + Self.options).stderr
    let counts = try require(facts, in: Files.text(library + ".migration.json"))
    try require(counts, inText: text)

    let table = try successfully("stats", library, "--format", "csv").stdout
    let metrics = try successfully("stats", library, "--format", "prometheus").stdout
    let page = try successfully("report", library, "--output", "-").stdout
    let results = try folder.write(Array(batch.utf8), to: "results.ndjson")
    let sums = try successfully("batch", "summarize", results).stdout
    let batchMetrics = try successfully("batch", "summarize", results, "--format", "prometheus").stdout
    let migration = try object(try successfully("stats", library, "--format", "json").stdout)["migration"]
    for json in [batch, try successfully("batch", "summarize", results, "--format", "json").stdout] {
      #expect(try require(facts, in: json, examples: false) == counts)
    }
    for fact in facts {
      let (key, count) = (try #require(fact.key), try #require(counts[fact]))
      #expect((migration as? [String: Any])?[key] as? Int == count, "\(key)")
      #expect(table.contains("migration,\(key),\(count),"), "\(key)")
      #expect(
        sums.split(separator: "\n").contains { $0.hasPrefix("\(key) ") && $0.hasSuffix(fact.traits.help) }, "\(key)")
      #expect(metrics.contains("\ntracks_migrate_migration_\(fact.name)_total{"), "\(key)")
      #expect(batchMetrics.contains("\ntracks_migrate_batch_\(fact.name)_total \(count)\n"), "\(key)")
      if [.document, .detail, .conflict].contains(fact.traits.chapter) {
        #expect(page.contains(">\(fact.traits.help)<"), "\(key)")
      }
      var changed = try object(Files.text(library + ".migration.json"))
      changed[key] = count + 1
      try Files.write(Array(try JSONSerialization.data(withJSONObject: changed)), to: folder.file("changed.json"))
      let whole = try Files.bytes(library + ".migration.json")
      try Files.write(try Files.bytes(folder.file("changed.json")), to: library + ".migration.json")
      let verified = try CommandRunner(["verify", library]).run()
      #expect(verified.status != 0 && (verified.stdout + verified.stderr).contains(key), "\(key): \(verified)")
      try Files.write(whole, to: library + ".migration.json")
    }
  }

  @Test func `Every fact of a dry run is in its text and JSON, and in no other statistics`() throws {
    try makeLibrary()
    let stats = folder.file("stats.json")
    let text = try successfully(["migrate", library, "--dry-run", "--stats", stats] + Self.options).stdout
    let facts = Fact.allCases.filter { $0.key != nil && $0.traits.chapter != .feed && $0 != .instances }
    try require(try require(facts, in: Files.text(stats)), inText: text)
    try successfully(["migrate", library, "-q"] + Self.options)
    let report = try object(Files.text(library + ".migration.json"))
    for fact in Fact.all(of: .name) { #expect(try report[#require(fact.key)] == nil) }
  }

  @Test func `Every fact of an import is in its text and JSON`() throws {
    try makeLibrary()
    let lines = try Database.rows("SELECT ZJSON FROM ZTRACK WHERE ZJSON NOT NULL ORDER BY Z_PK", in: library).map {
      #"{"title":"T","json":\#(String(decoding: try JSONEncoder().encode($0), as: UTF8.self))}"#
    }
    let feed = try folder.write(Array((lines + [#"{"title":"None"}"#]).joined(separator: "\n").utf8), to: "feed.ndjson")
    let (new, stats) = (folder.file("New.sqlite"), folder.file("stats.json"))
    let text = try successfully(["import", feed, new, "--stats", stats] + Self.options).stderr
    let counts = try require(
      Fact.all(of: .document, .detail, .conflict) + [.fallbackTracks, .rejects], in: Files.text(stats))
    try require(counts.filter { $0.key != .fallbackTracks }, inText: text)
  }

  @Test func `What chosen places do not find is in the text, JSON and page`() throws {
    try makeLibrary()
    let text = try successfully("migrate", library, "--artists-path", "$.artists[*]", "--id-path", "nope").stderr
    let report = try object(Files.text(library + ".migration.json"))
    let page = try successfully("report", library, "--output", "-").stdout
    for fact in Fact.all(of: .place) {
      let sentences = try #require(report[fact.name] as? [String])
      #expect(!sentences.isEmpty && sentences.allSatisfy { text.contains($0) }, "\(text)")
      #expect(page.contains(">\(fact.traits.help)<"))
    }
  }

  @Test func `The number of an app's instances is in the sums of a batch`() throws {
    let store = try PictureStore(padding: 10)
    _ = try store.copy(to: folder)
    let names = try folder.listing().filter { $0.hasSuffix(".sqlite") }
    let batch = try successfully(["batch"] + names + ["--model", store.model], in: folder.path).stdout
    let results = try folder.write(Array(batch.utf8), to: "results.ndjson")
    try require([.instances], in: try successfully("batch", "summarize", results, "--format", "json").stdout)
  }

  /// The recipe of CONTRIBUTING for a counted fact.
  @Test func `The names of a fact stand in its entry and nowhere else`() throws {
    let root = Checkout.root.path(percentEncoded: false)
    // Those of the other chapters are also the names of what a library holds, and so is the number of tracks without artists.
    let facts = Fact.all(of: .feed, .document, .detail, .conflict, .name, .place).filter { $0 != .tracksWithoutArtist }
    let names = facts.flatMap { [$0.name, $0.traits.examplesKey, $0.traits.help].compactMap { $0 } }
    var places: [String: Set<String>] = [:]
    for folder in ["Sources", "Policies"] {
      for file in try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(folder)")
      where file.hasSuffix(".swift") {
        let text = try Files.text("\(root)/\(folder)/\(file)")
        for name in names where text.contains("\"\(name)") { places[name, default: []].insert(file) }
      }
    }
    for name in names { #expect(places[name] == ["Tracks/JSONPresets/Fact.swift"], "\(name)") }
  }

  @Test func `Results with any numbers are summed up`() throws {
    try makeLibrary()
    let line = try successfully(["batch", library] + Self.options).stdout
    var result = try object(line)
    (result["tracks_count"], result["source_size_bytes"]) = (Int.max, Int64.max)
    let lines = try (0..<2).map {
      result["path"] = "L\($0)"
      return String(decoding: try JSONSerialization.data(withJSONObject: result), as: UTF8.self)
    }
    let results = try folder.write(Array(lines.joined(separator: "\n").utf8), to: "results.ndjson")
    let sums = try object(try successfully("batch", "summarize", results, "--format", "json").stdout)
    #expect(sums["tracks_count"] as? Int == .max && sums["source_size_bytes"] as? Int == .max)
    #expect(sums["libraries_count"] as? Int == 2)
    for format in ["table", "prometheus", "html"] {
      try successfully("batch", "summarize", results, "--format", format)
    }
  }

  @Test func `A fact that was not looked for is not printed as zero`() throws {
    _ = try folder.library("L.sqlite", .few)
    let batch = try tracksMigrate("batch", folder.file("missing"), library).stdout
    try successfully("verify", library)
    #expect(try object(Files.text(library + ".migration.json"))["split_names_count"] == nil)
    for line in batch.split(separator: "\n") {
      let results = try folder.write(Array(line.utf8), to: "results.ndjson")
      let sums = try object(try successfully("batch", "summarize", results, "--format", "json").stdout)
      #expect((sums["tracks_count"] != nil) == line.contains(#""status":"migrated""#))
      #expect(sums["instances_count"] == nil && sums["nameless_artists_count"] == nil)
    }
    let feed = try folder.write(Array(#"{"title":"T","artists":["A"]}"#.utf8), to: "feed.ndjson")
    try successfully("import", feed, folder.file("New.sqlite"), "--stats", folder.file("stats.json"))
    let counts = try object(Files.text(folder.file("stats.json")))
    #expect(counts["split_names_count"] == nil && counts["nameless_artists_count"] as? Int == 0)
    let shard = try successfully("extract", feed).stdout.split(separator: "\n")
    #expect(try object(String(#require(shard.last)))["split_names_count"] == nil)
  }
}
