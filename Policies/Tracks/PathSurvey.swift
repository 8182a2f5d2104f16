internal import JSONPresets
internal import JSONStream
internal import Migration

/// Checks whether the paths that a person has chosen find the values in documents.
///
/// A path that finds nothing is not an error: a service may leave something out. So the value there is reported
/// instead, and a loss is only what the built-in presets find in the same documents.
struct PathSurvey {
  /// The number of artists with each detail, over all documents.
  struct Tally {
    /// The artists, without those of `artistName`.
    var mentionCount = 0
    var idCount = 0
    var imageCount = 0
    /// The documents that could be read, and those of them in which no artist was found.
    var readCount = 0
    var missedCount = 0
    /// The lines of a feed, and those of them with a title and with a time.
    var lineCount = 0
    var titleCount = 0
    var timeCount = 0

    /// Counts a line of a feed.
    mutating func add(_ line: FeedLineReader.Track) {
      lineCount += 1
      if line.title.count > 0 { titleCount += 1 }
      if line.lastPlayedAt != nil { timeCount += 1 }
    }

    /// Counts the mentions of a track.
    mutating func add(_ mentions: some Sequence<TrackBatch.Mention>, fallback: FallbackReason?) {
      for mention in mentions where !mention.isFallback {
        mentionCount += 1
        if mention.id.count > 0 { idCount += 1 }
        if mention.imageURL.count > 0 { imageCount += 1 }
      }
      guard fallback.hasReadDocument else { return }
      readCount += 1
      // Roles and decisions are a person's wish.
      if let fallback, fallback != .otherRoles, fallback != .ignoredArtists { missedCount += 1 }
    }
  }

  /// The problems with the chosen paths.
  struct Findings {
    /// That the built-in presets would have found artists in most documents that have none.
    var missedDocuments: String?
    /// The details of artists that only the built-in presets would have found.
    var missedDetails: [String] = []
    /// The paths that found nothing, each with the value there.
    var remarks: [String] = []

    private var losses: [String] { [missedDocuments].compactMap { $0 } + missedDetails }

    /// All of them.
    var all: [String] { losses + remarks }

    /// Gives the findings to the statistics.
    func count(in statistics: inout MigrationStatistics) {
      for text in losses { statistics.count(.missedArtists, example: text) }
      for text in remarks { statistics.count(.unfoundPaths, example: text) }
    }
  }

  private let shape: JSONShape
  /// The places of a track's own details in the lines of a feed.
  private let (titlePath, playedPath): (JSONPath?, JSONPath?)
  private let usual: ArtistExtraction
  private let chosen: ArtistExtraction
  private let usualLines: FeedLineReader
  private let visitor: ShapeVisitor
  private let parser: JSONStreamParser
  private var documentCount = 0
  /// The documents in which the built-in presets find artists, ids and images.
  private var (artists, ids, images) = (0, 0, 0)
  /// The documents in which only they do, of those that have artists in the chosen places.
  private var (lostIDs, lostImages) = (0, 0)
  /// The artists that they find in documents with artists in the chosen places, and those of them that only they find.
  private var (usualNames, lostNames) = (0, 0)
  /// The lines in which they find titles and times.
  private var (titles, times) = (0, 0)
  /// The documents without artists that were read, and those of them in which the presets find some.
  private var (missedCount, foundCount) = (0, 0)

  /// The size of a document from which it is not surveyed.
  static let sizeLimit = 1 << 20

  /// Prepares to survey documents; `nil` if all built-in presets are asked anyway.
  init?(_ shape: JSONShape, titlePath: JSONPath? = nil, playedPath: JSONPath? = nil) {
    guard shape.isChosen || titlePath != nil || playedPath != nil else { return nil }
    (self.shape, self.titlePath, self.playedPath) = (shape, titlePath, playedPath)
    (usual, chosen) = (ArtistExtraction(), ArtistExtraction(shape))
    visitor = ShapeVisitor(notesValues: true)
    let options = TrackMigrationOptions()
    usualLines = FeedLineReader(options, FeedLineReader.makeTrie(options, titlePath: nil, playedPath: nil))
    parser = JSONStreamParser(visitor: visitor)
  }

  /// Reads a document of a track.
  mutating func read(_ document: [UInt8], isMissed: Bool) {
    guard let found = try? usual.read(document) else { return }
    let artists = found.artists
    if !isMissed { compareNames(found, in: document) }
    add(
      document, isMissed, hasArtists: !artists.isEmpty, hasIDs: artists.contains { $0.id?.isEmpty == false },
      hasImages: artists.contains { $0.imageURL?.isEmpty == false })
  }

  /// Reads a line of a feed.
  mutating func read(line: [UInt8], isMissed: Bool) {
    // What is a track by chosen paths may be none by the presets.
    let track = try? line.withUnsafeBytes { try usualLines.read($0) }
    let artists = track == nil ? [] : usualLines.batch.mentions.filter { !$0.isFallback }
    if track?.title.count ?? 0 > 0 { titles += 1 }
    if track?.lastPlayedAt != nil { times += 1 }
    let document = UnmatchedDocuments.document(ofLine: line)
    if !isMissed, let found = try? usual.read(document) { compareNames(found, in: document) }
    add(
      document, isMissed, hasArtists: !artists.isEmpty,
      hasIDs: artists.contains { $0.id.count > 0 }, hasImages: artists.contains { $0.imageURL.count > 0 })
  }

  /// Counts the artists that only the built-in presets find in a document.
  private mutating func compareNames(_ usual: ArtistExtraction.Finding, in document: [UInt8]) {
    let found = ((try? chosen.read(document))?.artists ?? []).map(\.name)
    guard !found.isEmpty else { return }
    // Chosen paths keep what a service adds to a name.
    let known = Set(found + found.compactMap { usual.preset?.cleaned($0) })
    let names = Set(usual.artists.map(\.name)).subtracting([""])
    usualNames += names.count
    lostNames += names.subtracting(known).count
  }

  private mutating func add(
    _ document: [UInt8], _ isMissed: Bool, hasArtists: Bool, hasIDs: Bool, hasImages: Bool
  ) {
    visitor.begin()
    try? parser.parse(document)
    documentCount += 1
    if hasArtists { artists += 1 }
    if hasIDs { ids += 1 }
    if hasImages { images += 1 }
    guard isMissed else {
      let found = (try? chosen.read(document))?.artists ?? []
      guard !found.isEmpty else { return }
      if hasIDs, !found.contains(where: { $0.id?.isEmpty == false }) { lostIDs += 1 }
      if hasImages, !found.contains(where: { $0.imageURL?.isEmpty == false }) { lostImages += 1 }
      return
    }
    missedCount += 1
    if hasArtists { foundCount += 1 }
  }

  /// Sums up the documents that were read.
  ///
  /// - Parameter tally: What was found in all documents.
  func findings(_ tally: Tally) -> Findings {
    var findings = Findings()
    guard documentCount > 0 else { return findings }
    // Of the documents that were not read, as many are like these.
    let missed = missedCount == 0 ? 0 : tally.missedCount * foundCount / missedCount
    if missed > 0 {
      let number = missedCount == tally.missedCount ? "\(missed)" : "about \(missed)"
      findings.missedDocuments =
        "\(number) of \(tally.readCount) JSON documents have artists that the built-in presets find, and none where they "
        + "were looked for"
    }
    if lostNames > 0 {
      findings.missedDetails.append(
        "\(lostNames) of \(usualNames) artists that the built-in presets find in \(documentCount - missedCount) of "
          + "\(documentCount) JSON documents are not where they were looked for")
    }
    if tally.mentionCount > 0 {
      for (name, count, found, lost) in [
        ("id", tally.idCount, ids, lostIDs), ("image", tally.imageCount, images, lostImages),
      ] {
        if count == 0, found > 0 {
          findings.missedDetails.append(
            "none of the artists got an \(name), although the built-in presets find some in \(found) of "
              + "\(documentCount) JSON documents")
        } else if lost > 0 {
          findings.missedDetails.append(
            "the artists of \(lost) of \(documentCount) JSON documents got no \(name), although the built-in presets find "
              + "some there")
        }
      }
    }
    for (name, count, found) in [("title", tally.titleCount, titles), ("time", tally.timeCount, times)]
    where tally.lineCount > 0 && count == 0 && found > 0 {
      findings.missedDetails.append(
        "none of the tracks got a \(name), although the built-in presets find some in \(found) of \(documentCount) lines"
      )
    }
    if isOwn { findings.remarks = remarks(tally) }
    findings.remarks += [
      remark(on: titlePath, .title, tally.titleCount, of: tally.lineCount),
      remark(on: playedPath, .played, tally.timeCount, of: tally.lineCount),
    ].compactMap { $0 }
    return findings
  }

  // MARK: - Paths

  /// Whether each path was given by itself, and not in a preset.
  private var isTyped: Bool { shape.name == "paths" }

  /// Whether a person has written the paths.
  private var isOwn: Bool { !shape.ownPresets.isEmpty }

  /// What is certain, because it was counted in all documents.
  private let never = "never found anything"

  private func seldom(_ name: String, of count: Int) -> String {
    documentCount >= count ? never : "found nothing in the \(documentCount) \(name) that were looked at"
  }

  /// Returns what is at the place of a track's own detail, if that is no value.
  ///
  /// - Parameter count: The number of values in all lines, of which some may stand at another place.
  private func remark(on path: JSONPath?, _ place: JSONShape.Place, _ count: Int, of lineCount: Int) -> String? {
    guard let path else { return nil }
    let subject = "\(shape.placeNames[place] ?? "the path of '\(place.rawValue)'") '\(path.fromRoot)'"
    switch kind(plain(path)) {
    case nil:
      return "\(subject) \(count == 0 ? never : seldom("lines", of: lineCount))"
        + (members(of: []).map { "; the documents have \($0)" } ?? "")
    case "string", "number": return place == .played && count == 0 ? "\(subject) found no dates" : nil
    case let kind?: return "\(subject) found a\(["array", "object"].contains(kind) ? "n" : "") \(kind)"
    }
  }

  private func remarks(_ tally: Tally) -> [String] {
    let seldom = seldom("documents", of: tally.readCount)
    return shape.ownPresets.flatMap { preset in
      (preset.artists + (isTyped ? [] : preset.otherwise)).flatMap { source -> [String] in
        guard tally.mentionCount > 0 else {
          return [remark(onPlaceOf: source, preset, never)].compactMap { $0 }
            + remarks(onNamesOf: source, preset, never)
        }
        // The lines of a feed may name artists besides.
        let place = isTyped ? remark(onPlaceOf: source, preset, seldom) : nil
        return [place].compactMap { $0 } + (isTyped ? remarks(onNamesOf: source, preset, seldom) : [])
          + remarks(on: source.id, .id, of: source, preset, counted: tally.idCount, seldom)
          + remarks(on: source.image, .image, of: source, preset, counted: tally.imageCount, seldom)
          + remarks(on: source.role, .role, of: source, preset, seldom)
      }
    }
  }

  /// The kind of the first value at a path.
  private func kind(_ steps: [JSONPath.Step]) -> String? { visitor.values[JSONPath(steps: steps)] }

  /// A path without the choice among the elements of arrays.
  private func plain(_ path: JSONPath) -> [JSONPath.Step] {
    path.steps.map { step in
      if case .member = step { step } else { .every }
    }
  }

  /// The members of the objects at a path, for people.
  private func members(of steps: [JSONPath.Step]) -> String? {
    let names = visitor.values.keys.compactMap { path -> String? in
      guard case .member(let name) = path.steps.last, path.steps.dropLast().elementsEqual(steps) else { return nil }
      return name
    }
    guard !names.isEmpty else { return nil }
    let shown = Set(names).sorted().prefix(8).map { "'\($0)'" }.joined(separator: ", ")
    return shown + (Set(names).count > 8 ? ", …" : "")
  }

  private func remark(onPlaceOf source: Preset.Source, _ preset: Preset, _ nothing: String) -> String? {
    let path = source.path
    let steps = plain(path)
    let container = path.leadsToElements ? Array(steps.dropLast()) : steps
    // The elements of what was typed, or its text.
    let hasText = isTyped && !preset.otherwise.isEmpty
    let typed = hasText ? JSONPath(steps: Array(path.steps.dropLast())) : path
    let subject = name(of: typed.fromRoot, .artists, preset)
    switch kind(container) {
    case nil:
      return "\(subject) \(nothing)" + (members(of: []).map { "; the documents have \($0)" } ?? "")
    case "array", "object": return nil
    case let kind?:
      if source.name.contains(where: \.steps.isEmpty), !path.leadsToElements { return nil }
      if hasText, ["string", "number"].contains(kind) { return nil }
      return "\(subject) found a \(kind)"
    }
  }

  private func remarks(onNamesOf source: Preset.Source, _ preset: Preset, _ nothing: String) -> [String] {
    guard kind(plain(source.path)) == "object" || kind(Array(plain(source.path).dropLast())) == "object" else {
      return []
    }
    return remarks(on: source.name, .name, of: source, preset, nothing)
  }

  /// Returns what is at the places of a detail that was counted, if that is no value.
  ///
  /// - Parameter count: The number of values in all documents, which stand at the only path.
  private func remarks(
    on paths: [JSONPath], _ place: JSONShape.Place, of source: Preset.Source, _ preset: Preset, counted count: Int,
    _ seldom: String
  ) -> [String] {
    count > 0 && paths.count == 1 ? [] : remarks(on: paths, place, of: source, preset, count == 0 ? never : seldom)
  }

  private func remarks(
    on paths: [JSONPath], _ place: JSONShape.Place, of source: Preset.Source, _ preset: Preset, _ nothing: String
  ) -> [String] {
    let steps = plain(source.path)
    // An object may stand in place of an array with one element.
    let bases = source.path.leadsToElements ? [steps, Array(steps.dropLast())] : [steps]
    let unfound = paths.filter { path in
      !bases.contains { base in
        // Text may stand in place of an array with one element.
        let isElement = plain(path).last == .every
        return [kind(base + plain(path)), isElement ? kind(base + plain(path).dropLast()) : nil]
          .contains { ["string", "number"].contains($0) }
      } && !Preset.Source.usualDetails.contains(path)
    }
    // In a preset, the first of several with a value counts.
    guard !unfound.isEmpty, isTyped || unfound.count == paths.count else { return [] }
    guard bases.contains(where: { kind($0) != nil }) else { return [] }
    let members = bases.lazy.compactMap { self.members(of: $0) }.first
    return unfound.map { path in
      let subject = name(of: path.description, place, preset)
      if let kind = bases.lazy.compactMap({ kind($0 + plain(path)) }).first {
        return "\(subject) found a\(["array", "object"].contains(kind) ? "n" : "") \(kind)"
      }
      return "\(subject) \(nothing)" + (members.map { "; the artists have \($0)" } ?? "")
    }
  }

  private func name(of path: String, _ place: JSONShape.Place, _ preset: Preset) -> String {
    if let name = shape.placeNames[place] { return "\(name) '\(path)'" }
    return isTyped
      ? "the path '\(path)' of '\(place.rawValue)'" : "'\(place.rawValue)' of the preset '\(preset.name)' ('\(path)')"
  }
}
