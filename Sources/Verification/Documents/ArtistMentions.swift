/// The artists that a document names, in their order.
///
/// Texts are ranges of one buffer: most are only compared.
struct ArtistMentions {
  /// One artist.
  struct Mention {
    var name: Range<Int>?
    var id: Range<Int>?
    var imageURL: Range<Int>?
    /// How many of its ids and images are too long to count.
    var longCount = 0
  }

  /// Those that have a name.
  private(set) var named: [Mention] = []
  /// The number of those that have none.
  private(set) var namelessCount = 0
  /// The number of ids and images of those with a name that are too long to count.
  private(set) var longCount = 0
  /// All texts.
  var bytes: [UInt8] = []

  mutating func removeAll() {
    named.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    namelessCount = 0
    longCount = 0
  }

  /// Adds an artist; without a name it only counts.
  mutating func add(_ mention: Mention) {
    guard mention.name?.isEmpty == false else { return namelessCount += 1 }
    named.append(mention)
    longCount += mention.longCount
  }

  /// Adds an element that is no artist.
  mutating func addNameless() { namelessCount += 1 }
}
