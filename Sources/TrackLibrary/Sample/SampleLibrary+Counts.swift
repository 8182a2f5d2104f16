extension SampleLibrary {
  /// What was written.
  public struct Counts: Sendable, Hashable {
    /// The number of tracks.
    public var trackCount = 0
    /// The number of tracks among them that are odd.
    public var oddityCount = 0
    /// The number of tracks that only the write-ahead log holds.
    public var trackCountInWriteAheadLog = 0
    /// The number of artists that the tracks were drawn from, apart from oddities.
    ///
    /// Not all of them need occur.
    public var possibleArtistCount = 0
    /// The size of the library's file in bytes.
    public var size: Int64 = 0
    /// The size of its write-ahead log in bytes.
    public var writeAheadLogSize: Int64 = 0
  }
}
