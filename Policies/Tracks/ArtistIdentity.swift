/// What makes two mentions the same artist.
public enum ArtistIdentity: String, Sendable, Hashable, CaseIterable {
  /// The exact name, byte for byte. The first mention that has an id gives it to the artist; an image likewise.
  case name
  /// The id where there is one, otherwise the exact name.
  case id
}
