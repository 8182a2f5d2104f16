/// What is remembered of an artist besides its key, to complete it and to tell what later mentions say differently.
///
/// There is one for each artist, in one array: a look at it costs less than a set's or dictionary's.
struct ArtistDetails {
  struct Flags: OptionSet {
    let rawValue: UInt8

    /// It is known by the `artistName` of a track only: the next mention in JSON gives it id and image.
    static let isNameOnly = Flags(rawValue: 1)
    /// Its first mention in JSON has no id.
    static let lacksID = Flags(rawValue: 2)
    /// Its first mention in JSON has no image.
    static let lacksImage = Flags(rawValue: 4)
    /// Later mentions contradict the first, which has been counted.
    static let isInConflict = Flags(rawValue: 8)
    /// Another artist has its name, which has been counted.
    static let sharesName = Flags(rawValue: 16)
  }

  var flags: Flags = []
  /// What of a mention must agree, which is the id or the name, whichever does not identify the artist: a range of the
  /// registry's buffer.
  var rivalStart = 0
  /// The number of bytes; negative where no mention has said it yet.
  var rivalCount = -1
}
