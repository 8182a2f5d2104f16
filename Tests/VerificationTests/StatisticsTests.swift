import Foundation
import Policies
import TestSupport
import Testing
import TrackLibrary

@Suite("The verification of statistics") struct StatisticsTests {
  /// Makes tracks whose artists contradict each other, and documents of every shape.
  private static let rows =
    [
      #"{"artists":[{"name":"A"},{"name":"B","id":"b","imageURL":"1"}]}"#,
      #"{"artists":[{"name":"A","id":"a"},{"name":"B","id":"c","imageURL":"2"},{"name":"C","id":"a"}]}"#,
      #"{"artists":[{"name":"D","name":"E","id":"d"}],"artists":[]}"#, #"{"artists":[]}"#, #"{"artists":null}"#,
      #"{"artists":7}"#, #"{"artists":[7]}"#, "{}", "[]", " ", "{", #"{"artists":{"name":"F","x":{"id":1,"id":2}}}"#,
    ].enumerated().map { TrackRow(Int64($0 + 1), title: "\($0)", artistName: "A", json: .text($1)) }
    + [TrackRow(20, title: "20", artistName: "A", json: nil)]

  private static func pair(_ identity: ArtistIdentity = .name) throws -> VerifiedPair {
    let pair = try VerifiedPair()
    try TrackLibraryBuilder(rows).write(to: pair.old)
    try Database.run(
      """
      CREATE TABLE own (a); CREATE VIEW seen AS SELECT 1; ALTER TABLE ZTRACK ADD ZRATING INTEGER;
      UPDATE ZTRACK SET ZRATING = 5 WHERE Z_PK = 1
      """, in: pair.old)
    try pair.migrate {
      $0.trackOptions.identity = identity
      $0.isVerified = true
    }
    return pair
  }

  private static func change(_ pair: VerifiedPair, _ body: (inout [String: Any]) throws -> Void) throws {
    let path = pair.new + ".migration.json"
    var object =
      try JSONSerialization.jsonObject(with: Data(try Files.bytes(path))) as? [String: Any] ?? [:]
    // Two JSON writers may write a fraction with different digits.
    (object["elapsed_seconds"], object["tracks_per_second"]) = (0.5, rows.count * 2)
    try body(&object)
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try Files.write(Array(try JSONSerialization.data(withJSONObject: object, options: options)), to: path)
  }

  @Test(arguments: ArtistIdentity.allCases)
  func `Correct statistics have no differences`(identity: ArtistIdentity) throws {
    let pair = try Self.pair(identity)
    #expect(try pair.found().map(\.description) == [])
    let report = try #require(try MigrationReport.read(forLibraryAt: pair.new))
    #expect(report.facts[.nameConflicts] ?? 0 > 0 && report.facts[.idConflicts] ?? 0 > 0)
    #expect(report.facts[.duplicateKeys] == 2 && report.facts[.fallbacks].count == 9)
    #expect(identity == .id || report.facts[.lateDetails] == 1 && report.facts[.imageConflicts] == 1)
    // Reformatted statistics, which thus have another size and time, still agree.
    try Self.change(pair) { _ in }
    #expect(try pair.found().map(\.description) == [])
  }

  @Test(
    arguments: [
      "tracks_count", "artists_count", "links_count", "fallback_tracks_count", "tracks_without_artist_count",
      "nameless_artists_count", "duplicate_keys_count", "long_values_count", "late_details_count",
      "image_conflicts_count", "name_conflicts_count", "id_conflicts_count", "rejects_count", "source_size_bytes",
      "destination_size_bytes",
    ], [-1, 1])
  func `A wrong figure is found`(name: String, step: Int) throws {
    let pair = try Self.pair()
    try Self.change(pair) { $0[name] = ($0[name] as? Int ?? 0) + step }
    // The rate follows from the number of tracks.
    let others = name == "tracks_count" ? ["statistics tracks_per_second"] : []
    #expect(try pair.differences() == ["statistics \(name)"] + others)
  }

  @Test(arguments: ["late_details", "image_conflict", "name_conflict", "id_conflict"])
  func `A changed, missing or additional example is found`(name: String) throws {
    let pair = try Self.pair()
    let property = "\(name)_examples"
    for examples in [[], ["x"], nil] as [[String]?] {
      let whole = try Files.bytes(pair.new + ".migration.json")
      try Self.change(pair) { $0[property] = examples ?? ($0[property] as? [String] ?? []) + ["x"] }
      #expect(try pair.differences() == ["statistics \(property)"])
      try Files.write(whole, to: pair.new + ".migration.json")
    }
  }

  @Test func `A changed, missing or additional reason for fallbacks is found`() throws {
    let pair = try Self.pair()
    let property = "fallback_tracks_count_by_reason"
    let reasons = try #require(try MigrationReport.read(forLibraryAt: pair.new)).facts[.fallbacks]
    #expect(reasons.values.allSatisfy { $0 == 1 })
    for name in reasons.keys.sorted() + ["invented"] {
      for count in [nil, 2] where reasons[name] != count {
        var changed = reasons
        changed[name] = count
        try Self.change(pair) { $0[property] = changed }
        #expect(try pair.differences() == ["statistics \(property).\(name)"])
      }
    }
  }

  @Test func `Changed, missing or additional data left behind is found`() throws {
    let pair = try Self.pair()
    let (counts, reasons) = ("left_behind_count_by_name", "left_behind_reason_by_name")
    let whole = try Files.bytes(pair.new + ".migration.json")
    let changes: [(String, String, Any?)] = [
      (counts, "ZTRACK.ZRATING", nil), (counts, "ZTRACK.ZRATING", 2), (counts, "ghost", 1), (reasons, "seen", nil),
      (reasons, "seen", "app"), (reasons, "ghost", "view"), (reasons, "ghost", "unreadable-definition"),
    ]
    for (property, name, value) in changes {
      try Self.change(pair) { object in
        var values = object[property] as? [String: Any] ?? [:]
        values[name] = value
        object[property] = values
      }
      #expect(try pair.differences() == ["statistics \(name) \(property)"])
      try Files.write(whole, to: pair.new + ".migration.json")
    }
    for (sql, name) in [
      ("CREATE VIEW planted AS SELECT 1", "planted"), ("CREATE INDEX planted ON ZTRACK (ZTITLE)", "planted"),
      ("CREATE TRIGGER planted AFTER INSERT ON ZTRACK BEGIN SELECT 1; END", "planted"),
      ("ALTER TABLE ZTRACK ADD planted DEFAULT 1", "ZTRACK.planted"),
    ] {
      let old = try Files.bytes(pair.old)
      try Database.run(sql, in: pair.old)
      let found = try pair.differences()
      #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("statistics \(name) left_behind_") }, "\(found)")
      try Files.write(old, to: pair.old)
    }
  }

  @Test(
    arguments: [
      ("source_version", "v2"), ("destination_version", "v1"), ("tool_version", "x"), ("has_own_model", true),
      ("model_remarks", ["x"]), ("is_rehearsal", true), ("similar_names_count", 1), ("similar_name_examples", ["x"]),
      ("peak_memory_bytes", -1), ("tracks_per_second", 1.5), ("other_names_count", 0),
      ("unmatched_json", "x"),
    ] as [(String, any Sendable)])
  func `A wrong value is found`(name: String, value: any Sendable) throws {
    let pair = try Self.pair()
    try Self.change(pair) { $0[name] = value }
    #expect(try pair.differences() == ["statistics \(name)"])
  }

  @Test func `Unknown and duplicate keys are found`() throws {
    let pair = try Self.pair()
    let text = try Files.text(pair.new + ".migration.json")
    for more in ["\"invented\" : 1", "\"links_count\" : 5"] {
      let changed = text.replacing("\n}", with: ",\n  \(more)\n}")
      try #require(changed != text)
      try Files.write(changed, to: pair.new + ".migration.json")
      let found = try pair.differences()
      #expect(found.contains("statistics the file"), "\(found)")
    }
  }
}
