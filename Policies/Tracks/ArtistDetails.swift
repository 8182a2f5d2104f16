/// What is remembered of an artist besides its key, to complete it and to tell what later mentions say differently.
///
/// There is one for each artist, in one array: a look at it costs less than a set's or dictionary's.
struct ArtistDetails {
  struct Flags: OptionSet {
    let rawValue: UInt8

    /// It is known by the `artistName` of a track only: the next mention in JSON gives it id and image.
    static let isNameOnly = Flags(rawValue: 1)
    /// No mention in JSON has given it an id yet.
    static let lacksID = Flags(rawValue: 2)
    /// No mention in JSON has given it an image yet.
    static let lacksImage = Flags(rawValue: 4)
    /// A mention has had an image, whose hash is known.
    static let hasImage = Flags(rawValue: 8)
    /// Later mentions contradict the first, which has been counted.
    static let isInConflict = Flags(rawValue: 16)
    /// Later mentions have another image, which has been counted.
    static let isInImageConflict = Flags(rawValue: 32)
    /// A later mention has given what the first lacks, which has been counted.
    static let isCompletedLate = Flags(rawValue: 64)
  }

  var flags: Flags = []
  /// What of a mention must agree, which is the id or the name, whichever does not identify the artist: its place in
  /// the registry's table of these; negative where no mention has said it yet.
  var rival: Int32 = -1
  /// The hash of the image: the text itself may be large, and is only compared.
  var imageHash: UInt64 = 0
}
