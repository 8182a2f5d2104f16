import Foundation
import Policies
import TestSupport
import Testing

struct RandomLibraryTests {
  /// The result of a simple reference program for a library.
  private struct Expectation {
    var artists: [String] = []
    var links: [String] = []

    init(_ library: RandomLibrary, _ identity: ArtistIdentity) {
      // In Swift "Å" equals "A" with a combining ring above. Their bytes differ.
      var numbers: [[UInt8]: Int] = [:]
      var pairs: Set<[Int64]> = []
      // The first mention supplies the name, and the first mentions in JSON with an id or an image supply these.
      var firsts: [RandomLibrary.Mention] = []
      for (track, mentions) in library.mentions {
        for mention in mentions {
          let key = identity == .id ? mention.id.map { "id:\($0)" } ?? "name:\(mention.name)" : mention.name
          if numbers[Array(key.utf8)] == nil {
            numbers[Array(key.utf8)] = numbers.count + 1
            firsts.append(mention)
          }
          let place = (numbers[Array(key.utf8)] ?? 1) - 1
          if !mention.isFallback {
            if firsts[place].isFallback { firsts[place] = mention }
            firsts[place].id = firsts[place].id ?? mention.id
            firsts[place].imageURL = firsts[place].imageURL ?? mention.imageURL
          }
          pairs.insert([Int64(numbers[Array(key.utf8)] ?? 0), track])
        }
      }
      artists = firsts.enumerated().map { place, first in
        "\(place + 1)|\(first.name)|\(first.id ?? "NULL")|\(first.imageURL ?? "NULL")"
      }
      links = pairs.sorted { $0.lexicographicallyPrecedes($1) }.map { "\($0[0])|\($0[1])" }
    }
  }

  private static let seeds: [UInt64] = (0..<16).map { 0xA11CE + $0 } + [UInt64.random(in: 0...UInt64.max)]

  @Test(arguments: seeds, ArtistIdentity.allCases)
  func `The result equals that of a simple reference program`(seed: UInt64, identity: ArtistIdentity) throws {
    print("seed \(seed)")
    let library = RandomLibrary(seed: seed, count: 60)
    let expected = Expectation(library, identity)
    for encoding in ["UTF-8", ["UTF-16le", "UTF-16be"][Int(seed % 2)]] {
      var fixture = try TrackFixture(library.rows, encoding: encoding)
      fixture.options.identity = identity
      let statistics = try fixture.migrate()
      let artists = try fixture.rows("SELECT Z_PK, ZNAME, ZID, ZIMAGEURL FROM ZARTIST ORDER BY 1")
      #expect(artists.map { Array($0.utf8) } == expected.artists.map { Array($0.utf8) }, "seed \(seed)")
      #expect(try fixture.rows("SELECT * FROM Z_1TRACKS ORDER BY 1, 2") == expected.links, "seed \(seed)")
      #expect(
        try fixture.rows("SELECT Z_PK, ZTITLE FROM ZTRACK ORDER BY 1")
          == library.rows.map { "\($0.primaryKey)|T\($0.primaryKey)" })
      #expect(statistics[.tracksWithoutArtist] == library.mentions.count { $0.artists.isEmpty })
      #expect(try Database.integrity(fixture.destination) == ["ok"])
    }
  }

  @Test(arguments: ["UTF-8", "UTF-16be"], ArtistIdentity.allCases)
  func `Two runs give the same bytes`(encoding: String, identity: ArtistIdentity) throws {
    let library = RandomLibrary(seed: 7, count: 300)
    var results: [[UInt8]] = []
    var rejects: [[UInt8]] = []
    for _ in 1...2 {
      var fixture = try TrackFixture(library.rows, encoding: encoding)
      fixture.options.identity = identity
      let statistics = try fixture.migrate()
      #expect(statistics[FallbackReason.truncated.counter] > 0)
      results.append(try Files.bytes(fixture.destination))
      rejects.append(try Files.bytes(fixture.rejectsPath))
    }
    #expect(results[0] == results[1])
    #expect(rejects[0] == rejects[1])
  }

  @Test func `A library larger than a batch is migrated completely`() throws {
    let rows = (1...2500).map { TrackRow(Int64($0) * 3, json: .text("{\"artists\":[\"A\($0 % 7)\",\"B\($0)\"]}")) }
    let fixture = try TrackFixture(rows)
    let statistics = try fixture.migrate()
    #expect(statistics.linkCounts == ["Z_1TRACKS": 5000])
    #expect(statistics.destinationInstanceCounts == ["Artist": 2507, "Track": 2500])
    #expect(
      try fixture.rows("SELECT ZNAME FROM ZARTIST WHERE Z_PK IN (1, 2, 2507) ORDER BY Z_PK") == ["A1", "B1", "B2500"])
  }
}
