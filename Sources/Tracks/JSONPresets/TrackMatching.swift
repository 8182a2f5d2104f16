/// The details by which a line of a feed without a known key is a track that the library already has.
package enum TrackMatching: String, Sendable, Hashable, CaseIterable {
  /// The title, byte for byte, and all artists.
  case titleAndArtists = "title-and-artists"
}
