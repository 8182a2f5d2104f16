/// What the JSON of a run of tracks says about their artists.
///
/// Texts are ranges of one buffer rather than strings: most are only looked up and thrown away.
public struct TrackBatch: Sendable {
  /// A range of the buffer, or nothing.
  struct Text: Sendable {
    var start: Int
    /// The number of bytes; negative when there is no text.
    var count: Int

    static let none = Text(start: 0, count: -1)

    var isPresent: Bool { count >= 0 }
  }

  /// An artist as one track names it.
  struct Mention: Sendable {
    var name = Text.none
    var id = Text.none
    var imageURL = Text.none
    /// Whether this is the track's `artistName` instead of an artist in its JSON.
    var isFallback = false
  }

  /// One track.
  struct Track: Sendable {
    let primaryKey: Int64
    /// The end of this track's mentions; they begin where those of the track before end.
    let mentionsEnd: Int
    /// Why the only mention, if there is one, is the track's `artistName`.
    let fallback: FallbackReason?
    /// Where the JSON could not be read on.
    let byteOffset: Int?
    /// The elements of `artists` that have no name.
    let namelessArtistCount: Int
    /// The keys that occur twice where only one can count; the first does.
    let duplicateKeyCount: Int
  }

  var bytes: [UInt8] = []
  var mentions: [Mention] = []
  var tracks: [Track] = []

  /// Lends the bytes of a text.
  ///
  /// Nothing gives a buffer without base address.
  func withBytes<Result, Failure: Error>(
    of text: Text, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard text.isPresent else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
      try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[text.start..<(text.start + text.count)]))
    }
  }
}
