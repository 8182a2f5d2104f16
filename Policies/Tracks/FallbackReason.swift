internal import JSONStream

/// Why a track's artists could not be taken from its JSON, so that its `artistName` was used instead.
///
/// The raw values are stable: they stand in statistics and in the rejects file.
public enum FallbackReason: String, Sendable, Hashable, CaseIterable {
  /// The track has no JSON.
  case noJSON = "no_json"
  /// The JSON is empty or blank.
  case emptyJSON = "empty_json"
  /// The document is not an object.
  case notAnObject = "not_an_object"
  /// The document has no key `artists`.
  case noArtists = "no_artists"
  case nullArtists = "null_artists"
  case emptyArtists = "empty_artists"
  /// `artists` is neither an array nor an object.
  case artistsNotAnArray = "artists_not_an_array"
  /// No element of `artists` has a name.
  case noUsableArtist = "no_usable_artist"

  // The document cannot be read; its raw text goes to the rejects file.
  case syntax = "json_syntax"
  case truncated = "json_truncated"
  case trailingBytes = "json_trailing_bytes"
  case invalidUTF8 = "json_invalid_utf8"
  case loneSurrogate = "json_lone_surrogate"
  case tooDeep = "json_too_deep"
  case tooLong = "json_too_long"

  /// Whether the document could not be read at all.
  public var isUnreadable: Bool {
    switch self {
    case .syntax, .truncated, .trailingBytes, .invalidUTF8, .loneSurrogate, .tooDeep, .tooLong: true
    default: false
    }
  }

  /// Whether the document could be read, but has another shape than the one that is known.
  ///
  /// What says by itself that there are no artists, with `null` or an empty array, has not.
  public var isOtherShape: Bool {
    switch self {
    case .notAnObject, .noArtists, .artistsNotAnArray, .noUsableArtist: true
    default: false
    }
  }

  /// A few words for a person.
  public var summary: String {
    switch self {
    case .noJSON: "no JSON"
    case .emptyJSON: "empty JSON"
    case .notAnObject: "JSON is not an object"
    case .noArtists: "no \"artists\" in the JSON"
    case .nullArtists: "\"artists\" is null"
    case .emptyArtists: "\"artists\" is empty"
    case .artistsNotAnArray: "\"artists\" is no array"
    case .noUsableArtist: "no artist with a name"
    case .syntax: "broken JSON"
    case .truncated: "JSON ends too early"
    case .trailingBytes: "something after the JSON"
    case .invalidUTF8: "JSON is not valid UTF-8"
    case .loneSurrogate: "half a surrogate pair in the JSON"
    case .tooDeep: "JSON nests too deep"
    case .tooLong: "a number in the JSON is too long"
    }
  }

  init(_ code: JSONStreamError.Code) {
    self =
      switch code {
      case .empty: .emptyJSON
      case .truncated: .truncated
      case .trailingBytes: .trailingBytes
      case .invalidUTF8: .invalidUTF8
      case .loneSurrogate: .loneSurrogate
      case .tooDeep: .tooDeep
      case .tooLong: .tooLong
      default: .syntax
      }
  }
}
