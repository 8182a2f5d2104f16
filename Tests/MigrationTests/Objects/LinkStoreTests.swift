import DataModel
import TestSupport
import Testing

@testable import Migration

/// Links that are set on one side are told to the other only when somebody asks.
struct LinkStoreTests {
  private static let model = TrackModels.model([
    EntityDescription(
      "Song", relationships: [RelationshipDescription("artists", to: "Artist", inverse: "songs", maxCount: 0)]),
    EntityDescription(
      "Artist", relationships: [RelationshipDescription("songs", to: "Song", inverse: "artists", maxCount: 0)]),
  ])

  @Test(arguments: 0..<400 as Range<UInt64>)
  func `Both sides have the links in the order in which they were set, whenever they are asked`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var links = LinkStore(Self.model)
    let songs = try #require(links.endIndexes[RelationshipKey(entity: "Artist", name: "songs")])
    let artists = try #require(links.endIndexes[RelationshipKey(entity: "Song", name: "artists")])
    /// The same links, each told to both sides at once.
    var wanted: [Int: [ManagedObjectID: [ManagedObjectID]]] = [songs: [:], artists: [:]]
    func object(_ end: Int, _ key: Int64) -> ManagedObjectID {
      ManagedObjectID(store: .destination, entityNumber: Int32(end) + 1, primaryKey: key)
    }
    let side = generator.chance(oneIn: 2) ? songs : artists
    var greatest: Int64 = 0
    for _ in 0..<Int.random(in: 1...40, using: &generator) {
      let isOther = generator.chance(oneIn: 40)
      let (end, inverse) = (side == songs) != isOther ? (songs, artists) : (artists, songs)
      if !isOther, !generator.chance(oneIn: 4) { greatest += Int64.random(in: 1...3, using: &generator) }
      let key = isOther || generator.chance(oneIn: 20) ? Int64.random(in: 1...9, using: &generator) : greatest
      let owner = object(end, key)
      let destinations = (1...5 as ClosedRange<Int64>).filter { _ in generator.chance(oneIn: 3) }.shuffled(
        using: &generator
      )
      .map { object(inverse, $0) }
      links.set(end, of: owner, to: destinations)
      let old = wanted[end]?[owner] ?? []
      guard old != destinations else { continue }
      for removed in old where !destinations.contains(removed) { wanted[inverse]?[removed]?.removeAll { $0 == owner } }
      for added in destinations where !old.contains(added) { wanted[inverse]?[added, default: []].append(owner) }
      wanted[end]?[owner] = destinations
      if generator.chance(oneIn: 60) {
        let (end, key) = (generator.chance(oneIn: 2) ? end : inverse, Int64.random(in: 1...9, using: &generator))
        #expect(links.destinations(end, of: key) == wanted[end]?[object(end, key)] ?? [])
      }
    }
    let end = links.isBehind(songs) ? artists : songs
    var found: Set<[Int64]> = []
    links.forEachLink(end) { found.insert([$0, $1.primaryKey]) }
    let all = (wanted[end] ?? [:]).flatMap { owner, links in links.map { [owner.primaryKey, $0.primaryKey] } }
    #expect(found == Set(all))
    if !all.isEmpty { #expect(!links.isEmpty(end)) }
    for end in [songs, artists].shuffled(using: &generator) {
      for key in 0...greatest + 9 {
        #expect(links.destinations(end, of: key) == wanted[end]?[object(end, key)] ?? [])
      }
    }
  }
}
