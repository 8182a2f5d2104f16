internal import JSONPresets
internal import SystemC

// Hot: once for each document.
extension PresetMatcher {
  /// The outcome of collecting the artists of a document.
  struct Outcome {
    /// The reason for the lack of artists, if there are none.
    var problem = FallbackReason.noArtists
    var namelessArtistCount = 0
    /// The number of repeated keys that the preset reads.
    var duplicateKeyCount = 0
    /// The number of ids and images that are too long to keep, of artists that have a name.
    var longValueCount = 0
    /// Whether there are artists with roles that are not wanted.
    var hasOtherRoles = false
    /// The details of the track itself, if they are wanted.
    var track: (title: Text, played: Text, image: Text) = (.none, .none, .none)
  }

  /// Adds the artists of a document that matches a preset to a batch.
  mutating func collect(_ number: Int, _ options: TrackMigrationOptions, _ batch: inout TrackBatch) -> Outcome {
    let reading = trie.readings[number]
    var outcome = Outcome()
    for place in 0..<repeated.count where trie.readers[Int(repeated[place])].contains(number) {
      outcome.duplicateKeyCount += 1
    }
    guard reading.isTrack else {
      outcome.problem = .otherAnswer
      return outcome
    }
    let start = batch.mentions.count
    outcome.track = track(reading, batch)
    for place in reading.artists { collect(trie.sources[place], of: reading, options, &batch, &outcome) }
    // Artists who are not wanted are artists still.
    if batch.mentions.count == start, !outcome.hasOtherRoles {
      for place in reading.otherwise { collect(trie.sources[place], of: reading, options, &batch, &outcome) }
    }
    return outcome
  }

  /// The details of the track itself, as a preset finds them.
  func track(_ reading: PresetTrie.Reading, _ batch: TrackBatch) -> (title: Text, played: Text, image: Text) {
    guard let track = reading.track else { return (.none, .none, .none) }
    let source = trie.sources[track]
    var place = 0
    while place < records.count, records[place].base != source.base { place += 1 }
    guard place < records.count else { return (.none, .none, .none) }
    let record = records[place].start
    return (
      title(source, record).flatMap { name($0, reading, batch, isTitle: true) } ?? .none,
      time(source.id, record) ?? .none, address(text(source.image, record) ?? .none, reading, batch)
    )
  }

  /// Whether an artist is one of a source, as far as a filter says it.
  private func isWanted(_ record: Record, by source: PresetTrie.Source) -> Bool {
    guard record.base == source.base else { return false }
    guard let filter = source.filter else { return true }
    let value = details[record.start + filter.slot]
    return value.isPresent && trie.isText(bytes(value), filter.text)
  }

  private mutating func collect(
    _ source: PresetTrie.Source, of reading: PresetTrie.Reading, _ options: TrackMigrationOptions,
    _ batch: inout TrackBatch, _ outcome: inout Outcome
  ) {
    let container = base(source.base).container
    // Where an object is expected, an array of artists is not an empty one.
    if outcome.problem == .noArtists, container != .array || source.isElement, let problem = container.problem {
      outcome.problem = problem
    }
    var isFeatured = false
    for index in 0..<records.count where isWanted(records[index], by: source) {
      let start = records[index].start
      var role = isFeatured ? .featured : source.joinPhrase.isEmpty ? source.fixedRole : .main
      if !isFeatured, let word = text(source.role, start) {
        role = roles.meaning(of: batch.text(word), for: reading.number) { [trie] word in
          trie.entries[reading.number].preset.role(word)
        }
      }
      if !isFeatured, let phrase = text(source.joinPhrase, start) {
        isFeatured = joinPhrases.meaning(of: batch.text(phrase), for: reading.number, Self.isFeaturing)
      }
      if !source.listedNames.isEmpty, let listed = listed(by: source, start, reading, batch) {
        guard isWanted(role, options, &outcome) else { continue }
        for artist in listed {
          let mention = TrackBatch.Mention(name: artist.name, id: artist.id, role: role)
          batch.append(mention, options.identity, namespace: reading.namespace)
        }
        continue
      }
      // Of an artist of a library, the key is enough.
      let key = source.key.isEmpty ? nil : text(source.key, start)
      let named = text(source.name, start) ?? key.map { _ in details[start + trie.slots[Int(source.name.lowerBound)]] }
      guard let found = named, let name = name(found, reading, batch) else {
        if source.isElement || outcome.problem == .noArtists { outcome.problem = .noUsableArtist }
        if source.isElement { outcome.namelessArtistCount += 1 }
        continue
      }
      guard isWanted(role, options, &outcome) else { continue }
      if source.splitsName, let parts = parts(of: name, source, start, batch) {
        batch.splitNameCount += 1
        for part in parts {
          let mention = TrackBatch.Mention(name: batch.append(part.name), id: part.id, role: role)
          batch.append(mention, options.identity, namespace: reading.namespace)
        }
        continue
      }
      var mention = TrackBatch.Mention(name: name, role: role)
      if let key { mention.primaryKey = key }
      if !hasSeveralIDs(source, start) {
        mention.id = value(source.id, start, keepsEmpty: reading.keepsEmpty, &outcome)
        let image = value(source.image, start, keepsEmpty: reading.keepsEmpty, &outcome)
        mention.imageURL = address(image, reading, batch)
      }
      if !source.credited.isEmpty { mention.credited = text(source.credited, start) ?? .none }
      batch.append(mention, options.identity, namespace: reading.namespace)
    }
  }

  private func isWanted(_ role: ArtistRole?, _ options: TrackMigrationOptions, _ outcome: inout Outcome) -> Bool {
    guard let roles = options.roles, !roles.contains(role ?? .main) else { return true }
    outcome.hasOtherRoles = true
    if outcome.problem != .noUsableArtist { outcome.problem = .otherRoles }
    return false
  }

  /// Whether the id of a name is one of several, and so is the image: the name is that of all of them.
  @inline(__always)
  private func hasSeveralIDs(_ source: PresetTrie.Source, _ start: Int) -> Bool {
    guard source.partIDs.count > 1 else { return false }
    return trie.partIDs[source.partIDs.lowerBound + 1].contains { place in
      // An empty one is that of an artist without an id.
      let id = details[start + trie.slots[Int(place)]]
      return id.isPresent || id.isTooLong
    }
  }

  /// The artists of a list of names, with their ids if there are as many; `nil` if there are none, or too many.
  private func listed(
    by source: PresetTrie.Source, _ start: Int, _ reading: PresetTrie.Reading, _ batch: TrackBatch
  ) -> [(name: Text, id: Text)]? {
    let names = source.listedNames.map { text(trie.partIDs[$0], start) }
    guard names.count > 1, names[0] != nil, names[names.count - 1] == nil else { return nil }
    let ids = source.partIDs.map { text(trie.partIDs[$0], start) }
    let isWhole = ids.indices.allSatisfy { (ids[$0] == nil) == (names[$0] == nil) }
    return names.indices.compactMap { place in
      names[place].flatMap { name($0, reading, batch) }.map {
        ($0, isWhole && !ids.isEmpty ? ids[place] ?? .none : .none)
      }
    }
  }

  /// The parts of a joined name with their ids, if there are as many ids as parts.
  private func parts(
    of name: Text, _ source: PresetTrie.Source, _ start: Int, _ batch: TrackBatch
  ) -> [(name: String, id: Text)]? {
    let ids = source.partIDs.map { text(trie.partIDs[$0], start) }
    let count = ids.count { $0 != nil }
    guard count > 1, let parts = JoinedName.parts(String(decoding: batch.text(name), as: UTF8.self), count: count)
    else { return nil }
    let found = zip(parts, ids).compactMap { name, id in id.map { (name, $0) } }
    return found.count == parts.count ? found : nil
  }

  /// The first of several details that is text and not empty.
  @inline(__always)
  private func text(_ slots: PresetTrie.Slots, _ start: Int) -> Text? {
    for place in slots {
      let text = details[start + trie.slots[Int(place)]]
      if text.count > 0 { return text }
    }
    return nil
  }

  /// The first title; a number or an id, where it may be one, counts only if there is no other.
  private func title(_ source: PresetTrie.Source, _ start: Int) -> Text? {
    let first = text(source.name, start)
    guard source.doubtfulTitles != 0, first != nil else { return first }
    for (number, place) in source.name.enumerated() {
      let text = details[start + trie.slots[Int(place)]]
      guard text.count > 0 else { continue }
      if source.doubtfulTitles >> UInt64(number) & 1 == 0 || !IdentifierText.isOne(bytes(text)) { return text }
    }
    return first
  }

  /// The first time that is one, or else the first value.
  private func time(_ slots: PresetTrie.Slots, _ start: Int) -> Text? {
    var first: Text?
    for place in slots {
      let text = details[start + trie.slots[Int(place)]]
      guard text.count > 0 else { continue }
      // Nearly every document has only one, which is read later.
      guard let known = first else {
        first = text
        continue
      }
      if isTime(known) { return known }
      if isTime(text) { return text }
    }
    return first
  }

  private func isTime(_ text: Text) -> Bool {
    FeedDate.seconds(bytes(text)).map { $0 >= FeedDate.year2000 } ?? false
  }

  private func bytes(_ text: Text) -> UnsafeRawBufferPointer { arena[text.start..<(text.start + text.count)] }

  /// An id or image; counts one that is too long.
  @inline(__always)
  private func value(
    _ slots: PresetTrie.Slots, _ start: Int, keepsEmpty: Bool, _ outcome: inout Outcome
  ) -> Text {
    if let text = text(slots, start) { return text }
    var (empty, isTooLong) = (Text.none, false)
    for place in slots {
      let text = details[start + trie.slots[Int(place)]]
      if text.isTooLong { isTooLong = true }
      if text.count == 0, !empty.isPresent { empty = text }
    }
    if isTooLong { outcome.longValueCount += 1 }
    return keepsEmpty ? empty : .none
  }

  /// Whether the artists after a phrase are featured, as after "feat".
  private static func isFeaturing(_ phrase: String) -> Bool {
    phrase.lowercased().split { !$0.isLetter }.contains { ["feat", "ft", "featuring"].contains($0) }
  }

  /// A name without what the service adds to it; `nil` if nothing is left.
  @inline(__always)
  private func name(
    _ text: Text, _ reading: PresetTrie.Reading, _ batch: TrackBatch, isTitle: Bool = false
  ) -> Text? {
    reading.keepsNames ? text : cleanName(text, trie.entries[reading.number].preset, batch, isTitle)
  }

  private func cleanName(_ text: Text, _ preset: Preset, _ batch: TrackBatch, _ isTitle: Bool) -> Text? {
    guard isTitle && !preset.titleFormats.isEmpty || !preset.keeps(batch.text(text)),
      let name = String(validating: batch.text(text), as: UTF8.self)
    else { return text }
    let clean = isTitle ? preset.cleanedTitle(name) : preset.cleaned(name)
    if clean.utf8.count == name.utf8.count { return text }
    return clean.isEmpty ? nil : batch.append(clean)
  }

  /// The address of an image; a placeholder is none.
  @inline(__always)
  private func address(_ text: Text, _ reading: PresetTrie.Reading, _ batch: TrackBatch) -> Text {
    text.count <= 0 || reading.keepsImages ? text : usableAddress(text, trie.entries[reading.number], batch)
  }

  private func usableAddress(_ text: Text, _ entry: PresetTrie.Entry, _ batch: TrackBatch) -> Text {
    if entry.preset.images.isPlaceholder(batch.text(text)) { return .none }
    guard !entry.preset.images.keepsAddresses, let value = String(validating: batch.text(text), as: UTF8.self) else {
      return text
    }
    guard let address = entry.preset.images.address(value) else { return .none }
    return address.utf8.elementsEqual(value.utf8) ? text : batch.append(address)
  }
}

extension PresetMatcher.Container {
  /// The reason for the lack of artists, as far as the value in their place shows it.
  fileprivate var problem: FallbackReason? {
    switch self {
    case .missing, .object: nil
    case .null: .nullArtists
    case .array: .emptyArtists
    case .scalar: .artistsNotAnArray
    }
  }
}

/// The meanings of short texts of a preset, each of which is looked up as a string only once.
struct WordMeanings<Meaning> {
  private var known: [(word: KeyWords, preset: Int, meaning: Meaning)] = []

  private static var limit: Int { 16 }

  mutating func meaning(
    of word: UnsafeRawBufferPointer, for preset: Int, _ find: (String) -> Meaning
  ) -> Meaning {
    let words = KeyWords(word)
    if words.areWhole {
      for place in known.indices where known[place].word == words && known[place].preset == preset {
        return known[place].meaning
      }
    }
    let meaning = find(String(decoding: word, as: UTF8.self))
    if words.areWhole, known.count < Self.limit { known.append((words, preset, meaning)) }
    return meaning
  }
}
