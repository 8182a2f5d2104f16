import Testing

@testable import TrackVerification

/// What is remembered of mentions that have been compared.
struct KnownMentionsTests {
  @Test func `A mention is found as long as there is room, and never another one instead`() {
    var known = KnownMentions(capacity: 0)
    let count = 4096
    // Neighbours contend for the same slots.
    func fingerprint(_ number: Int) -> UInt64 { UInt64(number) << 62 | UInt64(number) }
    for number in 1...count {
      known.insert(number, fingerprint(number))
      #expect(known[fingerprint(number)] == number)
    }
    var foundCount = 0
    for number in 1...count {
      guard let place = known[fingerprint(number)] else { continue }
      foundCount += 1
      #expect(place == number)
    }
    #expect(foundCount == 1024)
    #expect(known[0] == nil)
  }

  @Test func `Every byte and the length enter into a hash`() {
    func hash(_ bytes: [UInt8]) -> UInt64 {
      var hash = KeyedHash()
      bytes.withUnsafeBytes { hash.combine($0) }
      return hash.value
    }
    var seen: Set<UInt64> = []
    for length in 0...40 {
      let bytes = [UInt8](repeating: 0, count: length)
      #expect(seen.insert(hash(bytes)).inserted)
      #expect(hash(bytes) == hash(Array(bytes)))
      for index in bytes.indices {
        var other = bytes
        other[index] = 1
        #expect(seen.insert(hash(other)).inserted)
      }
    }
  }

  @Test func `What a mention lacks is not the same as empty text`() {
    let text = Array("AAB".utf8)
    let mentions = [
      ArtistMentions.Mention(name: 0..<1), ArtistMentions.Mention(name: 0..<1, id: 1..<1),
      ArtistMentions.Mention(name: 0..<1, imageURL: 1..<1), ArtistMentions.Mention(name: 0..<1, id: 1..<2),
      ArtistMentions.Mention(name: 0..<1, imageURL: 1..<2), ArtistMentions.Mention(name: 0..<1, namespace: 1),
      ArtistMentions.Mention(name: 0..<2), ArtistMentions.Mention(name: 2..<3),
    ]
    #expect(Set(mentions.map { $0.fingerprint(in: text) }).count == mentions.count)
    #expect(mentions[0].fingerprint(in: text) == ArtistMentions.Mention(name: 1..<2).fingerprint(in: text))
  }
}
