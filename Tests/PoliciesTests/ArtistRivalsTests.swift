import MigrationDiagnostics
import Testing

@testable import Policies

/// Which artist was the first to have an id.
struct ArtistRivalsTests {
  private static func owner(
    _ rivals: ArtistRivals, _ hashes: [UInt64], _ rival: Int, hash: UInt64
  ) throws(MigrationError) -> Int? {
    func isRival(_ place: Int) -> Bool { place == rival }
    return try rivals.owner(of: hash, { hashes[$0] }, isRival)
  }

  @Test(arguments: [1, 7, 1000]) func `Artists whose ids have the same hash are told apart`(count: UInt64) throws {
    // As many different hashes; the artist at each place is the first with the rival of this number.
    let hashes = (0..<2000).map { (UInt64($0) % count) << 8 | 1 }
    var rivals = ArtistRivals()
    for place in hashes.indices {
      #expect(try Self.owner(rivals, hashes, place, hash: hashes[place]) == nil)
      rivals.own(hashes[place], place, isStored: true) { hashes[$0] }
    }
    for place in hashes.indices { #expect(try Self.owner(rivals, hashes, place, hash: hashes[place]) == place) }
    #expect(try Self.owner(rivals, hashes, -1, hash: hashes[0]) == nil)
  }

  @Test func `An artist that was replaced is still the first with its id`() throws {
    var hashes: [UInt64] = [0x101, 0x101, 0x201]
    var rivals = ArtistRivals()
    for place in hashes.indices { rivals.own(hashes[place], place, isStored: true) { hashes[$0] } }
    rivals.keep(hashes[1], of: 1)
    rivals.keep(0, of: 0)
    hashes[1] = 0
    #expect(try Self.owner(rivals, hashes, -1, hash: 0x101) == 1)
    #expect(try Self.owner(rivals, hashes, 2, hash: 0x201) == 2)
    rivals.own(0x301, 2, isStored: false) { hashes[$0] }
    #expect(try Self.owner(rivals, hashes, -1, hash: 0x301) == 2)
    let isNew = [rivals.share(0x301), rivals.share(0x301)]
    #expect(isNew == [true, false])
  }
}
