internal import JSONPresets
internal import JSONStream
internal import SystemC

/// The likely places of a track's own title and time among those of text, by the names of their members and by a value.
enum LikelyDetails {
  private static let titles: Set<String> = [
    "heading", "headline", "trackname", "songname", "recordingname", "workname", "piece", "composition",
  ]
  private static let times = [
    "play", "listen", "scrobbl", "watch", "view", "heard", "start", "stop", "end", "finish", "time", "date", "when",
  ]
  /// The words for something else that has titles and times too.
  private static let others = [
    "album", "artist", "playlist", "genre", "label", "release", "birth", "creat", "updat", "modif", "add", "publish",
    "upload", "join", "expir", "import", "show", "podcast", "duration", "subtitle", "url", "uri", "sort",
  ]

  /// The likeliest place of a title.
  static func title(in places: [JSONPath: ShapeVisitor.Place]) -> JSONPath? {
    likeliest(in: places) { names, example in
      let last = names[names.count - 1]
      return (titles.contains(last) || last.hasSuffix("title")) && !example.withUnsafeBytes(IdentifierText.isOne)
    }
  }

  /// The likeliest place of the time of a play; a mere day may be that of something else.
  static func time(in places: [JSONPath: ShapeVisitor.Place]) -> JSONPath? {
    likeliest(in: places) { names, example in
      guard times.contains(where: { word in names.contains { $0.contains(word) } }),
        let seconds = example.withUnsafeBytes(FeedDate.seconds)
      else { return false }
      let isDay = example.withUnsafeBytes(DateText.hasYear) ? example.count == 10 : example.count < 10
      return seconds >= FeedDate.year2000 && !isDay
    }
  }

  /// The place in most documents, of all that only have members on the way.
  private static func likeliest(
    in places: [JSONPath: ShapeVisitor.Place], where isLikely: (_ names: [String], _ example: [UInt8]) -> Bool
  ) -> JSONPath? {
    places.compactMap { path, place -> (path: JSONPath, count: Int)? in
      let names = path.steps.compactMap { step -> String? in
        if case .member(let name) = step { name.lowercased().filter(\.isLetter) } else { nil }
      }
      guard !names.isEmpty, names.count == path.steps.count,
        !names.contains(where: { name in others.contains { name.contains($0) } }),
        isLikely(names, Array(place.example.utf8))
      else { return nil }
      return (path, place.documentCount)
    }.min { ($1.count, $0.path.steps.count, $0.path.fromRoot) < ($0.count, $1.path.steps.count, $1.path.fromRoot) }?
    .path
  }
}

/// The lines of a feed of which no track has a title, or none has a time, and the members that look like one.
struct UntakenDetails {
  private let visitor = ShapeVisitor()
  private let parser: JSONStreamParser
  private var choice = SpreadChoice()
  private var (trackCount, hasTitles, hasTimes) = (0, false, false)

  init() { parser = JSONStreamParser(visitor: visitor) }

  /// Looks at a track, and at the line of some.
  mutating func add(_ track: FeedLineReader.Track, _ bytes: () -> UnsafeRawBufferPointer) {
    trackCount += 1
    if track.title.count > 0 { hasTitles = true }
    if track.lastPlayedAt != nil { hasTimes = true }
    guard !hasTitles || !hasTimes, choice.takesNext() else { return }
    let line = bytes()
    guard line.count <= PathSurvey.sizeLimit else { return }
    visitor.begin()
    try? parser.parse(line)
  }

  /// The members that look like what no track has, in sentences that name the option that takes them.
  func findings(_ shape: JSONShape) -> [String] {
    guard trackCount > 0 else { return [] }
    return [
      hasTitles ? nil : finding("title", .title, LikelyDetails.title(in: visitor.places), shape),
      hasTimes ? nil : finding("time", .played, LikelyDetails.time(in: visitor.places), shape),
    ].compactMap { $0 }
  }

  private func finding(_ name: String, _ place: JSONShape.Place, _ path: JSONPath?, _ shape: JSONShape) -> String? {
    guard let path, let example = visitor.places[path]?.example else { return nil }
    let option = shape.placeNames[place] ?? "the path of '\(place.rawValue)'"
    return "none of the tracks got a \(name); '\(path.fromRoot)' looks like one ('\(example)') and was not taken; "
      + "take it with \(option)"
  }
}
