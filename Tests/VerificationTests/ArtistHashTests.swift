import PersistentStore
import Policies
import TestSupport
import Testing
import Verification

@testable import TrackVerification

/// What is found of artists does not depend on their hashes.
struct ArtistHashTests {
  private static let documents = [
    #"{"artists":[{"name":"A"},{"name":"B","id":"b","imageURL":"1"},"F"]}"#,
    #"{"artists":[{"name":"A","id":"a"},{"name":"B","id":"c","imageURL":"2"},{"name":"C","id":"a"}]}"#,
    #"{"artists":[{"name":"D","id":"c"},{"name":"E","id":"c"},{"name":"B","id":"b","imageURL":"1"},{"name":"A"}]}"#,
    #"{"artists":[{"name":"D","id":""},{"name":"E","id":"e","imageURL":"3"},{"name":"B","id":"d"},{"name":"","id":"z"}]}"#,
    #"{"artists":[{"name":"E","id":"e","imageURL":"4"},{"name":"G","id":"d"},{"name":"H","id":"b"},{"name":"A","id":"g"}]}"#,
    #"{"artists":[{"name":"F","id":"f","imageURL":""},{"name":"F","id":"a"},{"name":"H","imageURL":"5"}]}"#,
  ]

  private static func found(
    _ pair: VerifiedPair, _ identity: ArtistIdentity, _ hash: @escaping @Sendable (ArraySlice<UInt8>) -> UInt32
  ) throws -> (counts: LibraryComparison.Counts?, differences: [String]) {
    let (source, result) = (try StoreReader(path: pair.old), try StoreReader(path: pair.new))
    var comparison = LibraryComparison(
      source: source, sourceModel: TrackModels.v1, result: result, resultModel: TrackModels.v2)
    comparison.identifiesByID = identity == .id
    comparison.artistHash = hash
    var differences: [String] = []
    let log = DifferenceLog(limit: 1000) { differences.append($0.description) }
    return (try comparison.run(log), differences)
  }

  @Test(
    arguments: ArtistIdentity.allCases,
    [
      nil, "UPDATE ZARTIST SET ZNAME = 'X' WHERE ZNAME = 'B'", "DELETE FROM ZARTIST WHERE ZNAME IN ('A', 'E')",
      "UPDATE ZARTIST SET ZID = 'x' WHERE ZNAME = 'E'", "UPDATE ZARTIST SET ZID = NULL, ZIMAGEURL = NULL",
      "UPDATE ZARTIST SET ZNAME = 'A'", "UPDATE ZARTIST SET ZID = 7, ZIMAGEURL = x'31'", "DELETE FROM ZARTIST",
      "UPDATE ZARTIST SET Z_PK = -Z_PK",
    ])
  func `Artists of the same hash are told apart`(identity: ArtistIdentity, change: String?) throws {
    let pair = try VerifiedPair()
    let rows = Self.documents.enumerated().map { TrackRow(Int64($0 + 1), title: "T", artistName: "A", json: .text($1)) }
    try TrackLibraryBuilder(rows).write(to: pair.old)
    try pair.migrate { $0.trackOptions.identity = identity }
    if let change { try Database.run(change, in: pair.new) }
    let expected = try Self.found(pair, identity, ArtistTable.hash)
    #expect(expected.differences.isEmpty == (change == nil))
    let facts = try #require(expected.counts).facts
    #expect([.idConflicts, .nameConflicts, .imageConflicts].allSatisfy { facts[$0] ?? 0 > 0 })
    for hash in [{ _ in 0 }, { _ in UInt32.max }, { UInt32($0.count % 2) }] as [@Sendable (ArraySlice<UInt8>) -> UInt32]
    {
      let found = try Self.found(pair, identity, hash)
      #expect(found.differences == expected.differences)
      #expect(found.counts == expected.counts)
    }
  }

  @Test func `A table finds all artists that are added beyond its capacity, and who had a rival first`() {
    var table = ArtistTable(capacity: 0, hash: ArtistTable.hash)
    let keys = (0..<5_000).map { Array("\($0)".utf8) }
    for (place, key) in keys.enumerated() {
      let added = table.add(key, primaryKey: nil)
      #expect(added == place)
      if place.isMultiple(of: 3) { table.own(key, place) }
    }
    for (place, key) in keys.enumerated() {
      #expect(table.place(of: key) { keys[$0] == key } == place)
      #expect(table.owner(ofRival: key) { keys[$0] == key } == (place.isMultiple(of: 3) ? place : nil))
    }
    #expect(table.place(of: Array("5000".utf8)) { _ in false } == nil)
  }

  @Test func `Searches for artists begin everywhere among the slots`() {
    #expect(([0, 1 << 30, 1 << 31, .max] as [UInt32]).map { ArtistTable.slot($0, 1000) } == [0, 250, 500, 999])
  }
}
