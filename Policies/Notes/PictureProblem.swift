/// Why the size of a picture is not known.
///
/// The raw values are stable: they stand in statistics.
public enum PictureProblem: String, Error, Sendable, Hashable, CaseIterable {
  /// There is no picture.
  case absent
  /// The value is an archive of an object instead of a picture.
  case archived
  /// The format is none of PNG, JPEG, GIF and WebP.
  case unknownFormat = "unknown_format"
  /// The header ends early or contradicts itself.
  case damaged

  /// A few words for a person.
  public var summary: String {
    switch self {
    case .absent: "no picture"
    case .archived: "an archive instead of a picture"
    case .unknownFormat: "a picture of another format than PNG, JPEG, GIF and WebP"
    case .damaged: "a picture whose header is damaged"
    }
  }
}
