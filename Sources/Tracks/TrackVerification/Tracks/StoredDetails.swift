internal import SQLiteDatabase
internal import Verification

/// The name, id and image of an artist as a store has them: hashes, so that they need not be read again to be compared.
struct StoredDetails {
  private var (name, id, image): (UInt64, UInt64, UInt64) = (0, 0, 0)

  init() {}

  /// - Parameter artist: A row with the key in its first column, and these in the next.
  init(_ artist: Statement) {
    func hash(_ column: Int) -> UInt64 {
      switch artist.storageClass(column) {
      case .null: 0
      case .text: artist.withText(column) { Self.hash($0) }
      // What is not text equals nothing.
      default: 2
      }
    }
    (name, id, image) = (hash(1), hash(2), hash(3))
  }

  /// Whether they are what a mention says, as far as that is to be compared.
  func contains(
    _ mention: ArtistMentions.Mention, in text: [UInt8], name hasName: Bool, id hasID: Bool, image hasImage: Bool
  ) -> Bool {
    text.withUnsafeBytes { text in
      func hash(_ part: Range<Int>?) -> UInt64 { Self.hash(part.map { UnsafeRawBufferPointer(rebasing: text[$0]) }) }
      return (!hasName || hash(mention.name) == name) && (!hasID || hash(mention.id) == id)
        && (!hasImage || hash(mention.imageURL) == image)
    }
  }

  private static func hash(_ text: UnsafeRawBufferPointer?) -> UInt64 {
    guard let text else { return 0 }
    var hash = KeyedHash()
    hash.combine(text)
    return hash.value | 1
  }
}
