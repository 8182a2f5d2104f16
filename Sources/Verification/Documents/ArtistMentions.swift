/// The artists that a document names, in their order.
///
/// Texts are ranges of one buffer: most are only compared.
struct ArtistMentions {
  /// One artist.
  struct Mention {
    var name: Range<Int>?
    var id: Range<Int>?
    var imageURL: Range<Int>?
  }

  /// Those that have a name.
  private(set) var named: [Mention] = []
  /// The number of those that have none.
  private(set) var namelessCount = 0
  /// All texts.
  var bytes: [UInt8] = []

  mutating func removeAll() {
    named.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    namelessCount = 0
  }

  /// Adds an artist; without a name it only counts.
  mutating func add(_ mention: Mention) {
    if mention.name?.isEmpty == false { named.append(mention) } else { namelessCount += 1 }
  }

  /// Adds an element that is no artist.
  mutating func addNameless() { namelessCount += 1 }
}
