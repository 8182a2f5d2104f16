/// An artist's part in a track, as far as an answer gives it.
package enum ArtistRole: String, Sendable, Hashable, CaseIterable {
  case main
  case featured
  case remixer
  /// Something else, such as a composer.
  case other

  /// The words of services for a role, in lower case.
  package static let words: [String: ArtistRole] = [
    "main": .main, "primary": .main, "singer": .main, "primary_artists": .main, "mainartist": .main,
    "feat": .featured, "featured": .featured, "featuring": .featured, "featured_artists": .featured,
    "featuredartist": .featured, "remixer": .remixer,
  ]

  /// The role that a service's word means.
  init(word: String) { self = Self.words[word.lowercased()] ?? .other }
}

/// The places of artists in the answers of one service.
///
/// A preset is data: paths and conditions, which both the migration and the verification follow with code of their own.
/// ``PresetFile`` reads and writes it; docs/presets.md describes the format.
package struct Preset: Sendable, Hashable {
  /// The kinds of documents.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The answer for one track, which has artists.
    case track
    // Answers that are not about one track. They are named, and their artists are not those of the track.
    case album
    case playlist
    case artist
    /// An event, a podcast, a video, a user, a label and the like.
    case other
    /// Several results of a search, or another list.
    case list
    /// A service's report that something went wrong.
    case error

    /// Whether a document matches such a preset only if there is no track in it either, under one of the
    /// ``Preset/roots``.
    package var comesLast: Bool { self == .list || self == .error }
  }

  /// A place where artists stand, and where each has its details, relative to the artist.
  ///
  /// Where several paths are given, the first with a value counts.
  package struct Source: Sendable, Hashable {
    package var path: JSONPath
    /// Whether only an array counts, and an object in its place is none of its elements.
    package var isOnlyArray = false
    package var name: [JSONPath]
    /// The first of several names, each of an artist of its own, with the id at the same place if there are as many.
    package var names: JSONPath?
    /// The name as this track credits it.
    package var credited: [JSONPath]
    package var id: [JSONPath]
    package var image: [JSONPath]
    package var role: [JSONPath]
    /// The role of all artists here, if the document does not say it.
    package var fixedRole: ArtistRole?
    /// The text between this artist and the next; from one with "feat." on, the artists are featured.
    package var joinPhrase: JSONPath?
    /// The primary key in the library that the document was exported from.
    package var key: [JSONPath] = []

    package init(
      _ path: JSONPath, name: JSONPath..., credited: [JSONPath] = [], id: [JSONPath] = [], image: [JSONPath] = [],
      role: [JSONPath] = [], fixedRole: ArtistRole? = nil, joinPhrase: JSONPath? = nil
    ) {
      self.init(
        path, names: name, credited: credited, id: id, image: image, role: role, fixedRole: fixedRole,
        joinPhrase: joinPhrase)
    }

    package init(
      _ path: JSONPath, names: [JSONPath], credited: [JSONPath] = [], id: [JSONPath] = [], image: [JSONPath] = [],
      role: [JSONPath] = [], fixedRole: ArtistRole? = nil, joinPhrase: JSONPath? = nil
    ) {
      (self.path, self.name, self.credited, self.id, self.image) = (path, names, credited, id, image)
      (self.role, self.fixedRole, self.joinPhrase) = (role, fixedRole, joinPhrase)
    }

    /// The paths to the id at an index, where ``id`` says which of several ids counts for a joined name.
    package func id(at index: Int) -> [JSONPath] { id.compactMap { $0.element(index) } }

    /// The path to the name at an index, where there are several.
    package func name(at index: Int) -> [JSONPath] { (names?.element(index)).map { [$0] } ?? [] }

    /// A copy with other settings.
    package func with(_ change: (inout Source) -> Void) -> Source {
      var copy = self
      change(&copy)
      return copy
    }

    /// The usual path of an artist's id.
    package static let usualID: JSONPath = "id"
    package static let usualImage: JSONPath = "imageURL"
    package static let usualDetails = [usualID, usualImage]

    /// The greatest number of artists into which a joined name is split.
    package static let joinedNamesLimit = 16

    /// All paths to details.
    package var details: [JSONPath] {
      name + (names.map { [$0] } ?? []) + credited + id + image + role + key + (joinPhrase.map { [$0] } ?? [])
    }
  }

  /// The rules for making a URL of an image, and for images that mean that there is none.
  package struct Images: Sendable, Hashable {
    /// Parts of the addresses of placeholders.
    package var ignored: [String] = []
    /// The address, with `{}` for the value.
    package var format: String?
    /// The replacements in the value, one after the other.
    package var replacements: [Replacement] = []

    package struct Replacement: Sendable, Hashable {
      package var text: String
      package var with: String

      package init(_ text: String, with other: String) { (self.text, with) = (text, other) }
    }

    package init(ignored: [String] = [], format: String? = nil, replacements: [Replacement] = []) {
      (self.ignored, self.format, self.replacements) = (ignored, format, replacements)
    }

    /// The address for a value, or `nil` for a placeholder.
    package func address(_ value: String) -> String? {
      var value = value
      guard !value.withUTF8({ isPlaceholder(UnsafeRawBufferPointer($0)) }) else { return nil }
      for replacement in replacements { value = value.replacing(replacement.text, with: replacement.with) }
      return format.map { $0.replacing("{}", with: value) } ?? value
    }

    /// Whether an address is that of a placeholder: whether it contains the bytes of one of the ignored parts.
    package func isPlaceholder(_ address: UnsafeRawBufferPointer) -> Bool {
      !ignored.isEmpty && ignored.contains { address.contains($0) }
    }

    /// Whether values are used as they are.
    package var isPlain: Bool { ignored.isEmpty && keepsAddresses }

    /// Whether the addresses that are not placeholders are used as they are.
    package var keepsAddresses: Bool { format == nil && replacements.isEmpty }
  }

  package var name: String
  /// The preset's purpose, in a few words.
  package var title: String
  /// The address of the shape's documentation.
  package var reference: String
  package var kind = Kind.track
  /// Whose ids these are; presets of one service share it.
  package var namespace: String
  /// All of these must hold.
  package var conditions: [JSONCondition]
  package var artists: [Source]
  /// The sources to use if ``artists`` has none.
  package var otherwise: [Source]
  /// The paths of the track's title, of the time at which it was last played, and of its picture, for an import.
  package var trackTitle, playedAt, trackImage: [JSONPath]
  /// The roles by what the document calls them.
  package var roles: [String: ArtistRole] = [:]
  package var images = Images()
  /// Whether whitespace around names is removed.
  package var trimsNames = false
  /// Whether names contain HTML entities.
  package var hasEntities = false
  /// The texts around names and around titles, with `{}` for them, such as "{} - Topic".
  package var nameFormats: [String] = []
  package var titleFormats: [String] = []
  /// Whether an empty id or image is kept as empty text, instead of counting as none.
  package var keepsEmpty = false

  package init(
    _ name: String, _ title: String, _ reference: String, ids namespace: String? = nil, _ conditions: [JSONCondition],
    track: TrackPaths = TrackPaths(), artists: [Source] = [], otherwise: [Source] = [], kind: Kind = .track
  ) {
    (trackTitle, playedAt, trackImage) = (track.title, track.played, track.image)
    (self.name, self.title, self.reference, self.kind) = (name, title, reference, kind)
    (self.conditions, self.artists, self.otherwise) = (conditions, artists, otherwise)
    self.namespace = namespace ?? name
  }

  /// A copy with other settings.
  package func with(_ change: (inout Preset) -> Void) -> Preset {
    var copy = self
    change(&copy)
    return copy
  }

  /// The members under which one track may stand in a larger document, where it is an object or the only element of an
  /// array.
  ///
  /// One may stand in another, but none in one that does so itself.
  package static let roots: [[String]] = [
    ["track"], ["item"], ["results"], ["songs"], ["response", "song"], ["subsonic-response", "song"], ["recordings"],
    ["data"], ["result"], ["song"], ["metadata"], ["metadata", "music"], ["metadata", "tags"],
    ["message", "body", "track"], ["response", "items"], ["MediaContainer", "Metadata"], ["Metadata"], ["Item"],
    ["NowPlayingItem"], ["payload"], ["now_playing"], ["now_playing", "song"], ["nowPlaying"],
    ["nowPlaying", "song"], ["nowplaying"], ["playlist_entry"], ["current_media"], ["status_audio"], ["tag"],
    ["icestats", "source"], ["media", "metadata"], ["subsonic-response", "nowPlaying", "entry"], ["last_track"],
    ["lastTrack"], ["status"], ["current", "metadata"], ["current_item", "media_item"], ["current-track"],
    ["current_song"], ["currentSong"], ["current_track"], ["currentTrack"], ["currently_playing"],
    ["currentlyPlaying"], ["current"], ["currentItem", "track"], ["contextTrack", "metadata"], ["info"], ["recording"],
    ["cut"], ["media_item"], ["common"], ["tags"], ["format", "tags"], ["spotify"], ["audio"], ["object"],
    ["trackDetail"], ["songInfo"], ["trackInfo"], ["scrobble"], ["scrobbles", "scrobble"], ["parsed"], ["processed"],
    ["data", "track"], ["data", "trackUnion"], ["data", "attributes"], ["data", "song"], ["itemV2", "data"],
    ["result", "results"], ["playlist", "song"], ["now"], ["information", "category", "meta"],
  ]

  /// The members under which services put all that they answer: a time beside them is that of the answer.
  package static let answerRoots: Set<String> = [
    "data", "result", "results", "response", "message", "subsonic-response", "songs",
  ]

  /// The number of tests: a condition of alternatives is one, but each test that is negated counts.
  package var countedTests: Int {
    conditions.reduce(0) { $0 + ($1.tests.contains(where: \.isNegated) ? $1.tests.count : 1) }
  }

  /// Whether it is of no particular service, so that the names of a feed's fields say as much.
  package var isGeneral: Bool { Self.generalShapes.contains { ($0.name, $0.conditions) == (name, conditions) } }

  /// Whether the value at a place of a title may be the number of the track, its id or its address.
  ///
  /// Such a value counts only if no other place has a title.
  package static func isDoubtful(titleAt path: JSONPath) -> Bool { Word.doubtfulTitles.contains(path) }

  /// The role that a document means.
  package func role(_ word: String) -> ArtistRole { roles[word] ?? ArtistRole(word: word) }
}

/// The places of title, time and picture in a service's answer about a track.
package struct TrackPaths {
  let title, played, image: [JSONPath]

  package init(title: [JSONPath] = [], played: [JSONPath] = [], image: [JSONPath] = []) {
    (self.title, self.played, self.image) = (title, played, image)
  }
}

extension JSONCondition {
  /// That the array or object to which a path to artists leads exists.
  package init(exists path: JSONPath) {
    let steps = path.leadsToElements ? Array(path.steps.dropLast()) : path.steps
    tests = [Test(path: JSONPath(steps: steps), value: nil, isNegated: false)]
  }

  /// That a document has something at one of several paths, or that one of several members has one of several values.
  init(anyOf paths: [JSONPath], orOne members: [JSONPath] = [], of values: [String] = []) {
    tests =
      paths.map { Test(path: $0, value: nil, isNegated: false) }
      + members.flatMap { member in values.map { Test(path: member, value: $0, isNegated: false) } }
  }

  /// That a document has nothing at a path, or something at one of several others.
  init(lacking path: JSONPath, orAnyOf others: [JSONPath] = []) {
    tests = [Test(path: path, value: nil, isNegated: true)] + JSONCondition(anyOf: others).tests
  }
}

extension Preset {
  /// Whether a name is seen at once to be without what the service adds to it, as nearly all are.
  package func keeps(_ name: UnsafeRawBufferPointer) -> Bool {
    guard let first = name.first, let last = name.last else { return false }
    let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
    return visible.contains(first) && visible.contains(last) && nameFormats.isEmpty
      && !(hasEntities && name.contains(UInt8(ascii: "&")))
  }

  /// Whether names and titles are used as they are.
  package var keepsNames: Bool { !trimsNames && !hasEntities && nameFormats.isEmpty && titleFormats.isEmpty }

  /// A name without what the service adds to it.
  package func cleaned(_ name: String) -> String { cleaned(name, nameFormats) }

  /// A title without what the service adds to it.
  package func cleanedTitle(_ title: String) -> String { cleaned(title, titleFormats) }

  private func cleaned(_ text: String, _ formats: [String]) -> String {
    let text = hasEntities ? HTMLEntities.decoded(text) : text
    let found = formats.lazy.compactMap { Self.text(in: text, formattedAs: $0) }.first ?? text
    return trimsNames ? found.trimmed : found
  }

  /// The text in the place of `{}`; `nil` if it is not in this format.
  private static func text(in whole: String, formattedAs format: String) -> String? {
    guard let place = format.firstRange(of: "{}") else { return nil }
    let (start, end) = (format[..<place.lowerBound], format[place.upperBound...])
    guard whole.utf8.count > start.utf8.count + end.utf8.count, whole.utf8.starts(with: start.utf8),
      whole.utf8.reversed().starts(with: end.utf8.reversed())
    else { return nil }
    return String(decoding: whole.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count), as: UTF8.self)
  }
}

extension JSONPath {
  /// The path to another element where it leads to the first one; `nil` if it does not.
  fileprivate func element(_ index: Int) -> JSONPath? {
    guard let place = steps.lastIndex(of: .element(0)) else { return nil }
    var steps = steps
    steps[place] = .element(index)
    return JSONPath(steps: steps)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes of a text occur among these.
  fileprivate func contains(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { text in
      var start = 0
      while start + text.count <= count {
        var length = 0
        while length < text.count, self[start + length] == text[length] { length += 1 }
        if length == text.count { return true }
        start += 1
      }
      return false
    }
  }
}

extension String {
  /// The text without whitespace and invisible characters around it.
  fileprivate var trimmed: String {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace || [.control, .format].contains(scalar.properties.generalCategory)
    }
    var scalars = Substring(self).unicodeScalars
    while let first = scalars.first, isBlank(first) { scalars.removeFirst() }
    while let last = scalars.last, isBlank(last) { scalars.removeLast() }
    return String(scalars)
  }
}

/// The few HTML entities that services leave in names.
private enum HTMLEntities {
  private static let names = [
    "amp": "&", "quot": "\"", "apos": "'", "lt": "<", "gt": ">", "nbsp": "\u{a0}", "hellip": "…", "ndash": "–",
    "mdash": "—", "rsquo": "’", "lsquo": "‘", "rdquo": "”", "ldquo": "“", "eacute": "é", "egrave": "è", "uuml": "ü",
    "ouml": "ö", "auml": "ä", "ntilde": "ñ",
  ]

  /// Text with its entities resolved once; other text stays.
  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    return text.replacing(/&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-z]{2,8});/) { match in
      let name = match.output.1
      if let character = names[String(name)] { return character }
      let digits = name.dropFirst()
      let value = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      guard name.first == "#", let scalar = value.flatMap(Unicode.Scalar.init), scalar.value > 0 else {
        return String(match.output.0)
      }
      return String(Character(scalar))
    }
  }
}
