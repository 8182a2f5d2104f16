internal import JSONPresets
internal import JSONStream

// What the members of a line say that is not a service's answer.
extension FeedLineReader {
  func readFields(of line: UnsafeRawBufferPointer) throws(Rejection) -> Track {
    var track = Track()
    var seconds: Double??
    var artistName = TrackBatch.Text.none
    var (artists, artist, document): (Value?, Value?, Value?)
    for place in 0..<values.all.count {
      let value = values.all[place].value
      switch values.all[place].field {
      case .key: track.key = try key(value)
      case .title: track.title = try text(value)
      case .imageURL: track.imageURL = try text(value)
      case .lastPlayedAt: try readDate(value, of: &track)
      case .secondsSince2001: seconds = try number(value)
      // The text that another program has stored in a library.
      case .storedTime: if case .text = value { track.hasUnreadTime = true }
      case .artistName: artistName = try text(value)
      case .json: document = value
      case .artists: artists = value
      case .artist: artist = value
      }
    }
    if let seconds { (track.lastPlayedAt, track.hasUnreadTime) = (seconds, false) }
    let chosen = chosenPreset()
    if chosen == nil, isChosen || given.title || given.played || artists != nil || artist != nil {
      answer.finish(as: ownNumber)
    }
    takeChosen(hasTime: given.played || chosen.map { !$0.playedAt.isEmpty } ?? false, for: &track)
    // A name alone is that of an artist without an id or a role.
    var (listed, single) = (TrackBatch.Text.none, TrackBatch.Text.none)
    if chosen == nil {
      listed = try name(artists, takesNumber: false)
      single = try name(artist, takesNumber: true)
      if case .object? = artist, lacksArtists { throw Rejection(.wrongType) }
    }
    let isOnlyMember = values.all.count == 1
    if chosen == nil, isOnlyMember, case .object? = artist, isAboutArtist() { throw Rejection(.otherAnswer) }
    switch artist {
    case .object?, .array?: track.isOnlyArtist = isOnlyMember
    case .text?, .number?, .boolean?, .null?, nil: break
    }
    if let document, chosen == nil, answer.batch.mentions.isEmpty, listed.count <= 0 {
      isFromJSON = true
      track.byteOffset = read(document, in: line, &track.fallback)
      takeNested(for: &track)
    }
    var hasOtherRoles = answer.outcome.hasOtherRoles
    if !wantsMain, listed.count > 0 || single.count > 0 { (listed, single, hasOtherRoles) = (.none, .none, true) }
    if hasOtherRoles, source.batch.mentions.isEmpty, track.fallback == nil { track.fallback = .otherRoles }
    return try completed(track, listed.count > 0 ? listed : artistName.isPresent ? artistName : single)
  }

  /// The preset of a person's choice that finds the artists of a line of plain fields.
  ///
  /// The names of the fields say as much as a general one.
  private func chosenPreset() -> Preset? {
    guard isChosen else { return nil }
    answer.finish()
    let hasArtists =
      !answer.batch.mentions.isEmpty || answer.outcome.hasOtherRoles || answer.outcome.problem == .ignoredArtists
    if hasArtists, let number = answer.preset, number != ownNumber, !trie.entries[number].preset.isGeneral {
      return trie.entries[number].preset
    }
    answer.batch.removeAll()
    return nil
  }

  /// Whether the answer of a service about an artist is all that the line has.
  private func isAboutArtist() -> Bool {
    let start = answer.batch.mentions.count
    answer.finish()
    defer {
      answer.batch.removeAll()
      answer.finish(as: ownNumber)
    }
    guard answer.batch.mentions.count == start, let number = answer.preset else { return false }
    return trie.entries[number].preset.kind == .artist
  }

  /// Takes the track's own details from where a person says that they are.
  private func takeChosen(hasTime: Bool, for track: inout Track) {
    let (details, known) = (answer.outcome.track, track.lastPlayedAt)
    if details.title.isPresent { track.title = details.title }
    if details.image.isPresent { track.imageURL = details.image }
    guard hasTime, details.played.count > 0 else { return }
    readTime(details.played, of: &track)
    track.lastPlayedAt = track.lastPlayedAt ?? known
  }

  /// Takes the details of the document in `json` that the line itself does not have, or not where a person says.
  private func takeNested(for track: inout Track) {
    let (details, line) = (nested.outcome.track, answer.outcome.track)
    if details.title.isPresent, !track.title.isPresent || given.title && !line.title.isPresent {
      track.title = details.title
    }
    if !track.imageURL.isPresent { track.imageURL = details.image }
    if details.played.count > 0, track.lastPlayedAt == nil || given.played && line.played.count <= 0 {
      let known = track.lastPlayedAt
      readTime(details.played, of: &track)
      track.lastPlayedAt = track.lastPlayedAt ?? known
    }
  }

  /// Whether the fields name no artist, although none is left out.
  private var lacksArtists: Bool {
    answer.batch.mentions.isEmpty && answer.outcome.namelessArtistCount == 0 && !answer.outcome.hasOtherRoles
      && answer.outcome.problem != .ignoredArtists
  }

  /// The name that stands where artists are expected, if a text does.
  private func name(_ value: Value?, takesNumber: Bool) throws(Rejection) -> TrackBatch.Text {
    switch value {
    case .text(let name)?: return name
    case .number(let name)? where takesNumber: return name
    case .number?, .boolean?: throw Rejection(.wrongType)
    case .null?, .array?, .object?, nil: return .none
    }
  }

  /// Reads the document in `json`.
  ///
  /// - Returns: Where it is broken, if it is.
  private func read(_ value: Value, in line: UnsafeRawBufferPointer, _ fallback: inout FallbackReason?) -> Int? {
    var inside: EnvelopeSearch.Candidate?
    switch value {
    case .text:
      nested.begin()
      // A very long one does not stay in memory.
      defer { if document.count > Self.longText { document = [] } }
      do throws(JSONStreamError) {
        try jsonParser.parse(document)
      } catch {
        nested.batch.removeAll()
        fallback = FallbackReason(error.code)
        return error.byteOffset
      }
      nested.finish()
      if nested.mayBeEnvelope {
        inside = document.withUnsafeBytes { envelopes.nested.track(in: $0, texts) }
      }
    case .null:
      fallback = .noJSON
      return nil
    // As in a migration, a document that is not an object is no reason to lose its track.
    case .number, .boolean, .array, .object:
      nested.finish()
      if nested.mayBeEnvelope { inside = envelopes.answer.track(in: line, texts, member: Field.json.rawValue) }
    }
    if let inside { nested.take(inside) }
    if nested.batch.mentions.isEmpty { fallback = nested.outcome.problem }
    return nil
  }

  // MARK: - Values

  private func key(_ value: Value) throws(Rejection) -> Int64? {
    switch value {
    case .null: return nil
    case .number(let text):
      guard let key = Self.key(string(text)) else { throw Rejection(.wrongType) }
      return key
    default: throw Rejection(.wrongType)
    }
  }

  /// The primary key that a text is; `nil` if no row has such a key.
  static func key(_ text: String) -> Int64? { Int64(text).flatMap { $0 > 0 ? $0 : nil } }

  func text(_ value: Value) throws(Rejection) -> TrackBatch.Text {
    switch value {
    case .null: return .none
    case .text(let text): return text
    default: throw Rejection(.wrongType)
    }
  }

  func readDate(_ value: Value, of track: inout Track) throws(Rejection) {
    switch value {
    case .null: break
    case .text(let text), .number(let text):
      track.lastPlayedAt = FeedDate.seconds(bytes(text))
      guard track.lastPlayedAt == nil else { break }
      // Tables have numbers of all kinds as times, which is no reason to lose a track.
      guard FeedDate.number(bytes(text)) != nil else { throw Rejection(.wrongType) }
      track.hasUnreadTime = true
    case .boolean, .array, .object: throw Rejection(.wrongType)
    }
  }

  private func number(_ value: Value) throws(Rejection) -> Double? {
    switch value {
    case .text(let text), .number(let text):
      guard let number = Double(string(text)), !number.isNaN else { throw Rejection(.wrongType) }
      return number
    case .null: return nil
    case .boolean, .array, .object: throw Rejection(.wrongType)
    }
  }

  /// Reads a time that a service gives.
  func readTime(_ text: TrackBatch.Text, of track: inout Track) {
    guard text.count > 0 else { return }
    let seconds = FeedDate.seconds(bytes(text))
    if seconds != nil || !FeedDate.isDuration(bytes(text)) { track.hasUnreadTime = seconds == nil }
    // A date before there were services stands for none.
    track.lastPlayedAt = seconds.flatMap { $0 < FeedDate.year2000 ? nil : $0 }
  }

  /// The bytes of a text, valid until the next one is stored.
  private func bytes(_ text: TrackBatch.Text) -> UnsafeRawBufferPointer {
    texts[text.start..<(text.start + text.count)]
  }

  func string(_ text: TrackBatch.Text) -> String { String(decoding: bytes(text), as: UTF8.self) }
}
