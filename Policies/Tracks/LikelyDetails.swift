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

/// The lines of a feed whose tracks have no title, or no time, and the members that look like one.
struct UntakenDetails {
  /// The lines of tracks without a detail.
  private struct Lines {
    private let visitor = ShapeVisitor()
    private let parser: JSONStreamParser
    private var choice = SpreadChoice()
    private(set) var count = 0

    init() { parser = JSONStreamParser(visitor: visitor) }

    var places: [JSONPath: ShapeVisitor.Place] { visitor.places }

    /// Counts a line, and looks at it if it is one of those that are chosen.
    mutating func add(_ bytes: () -> UnsafeRawBufferPointer) {
      count += 1
      guard choice.takesNext() else { return }
      let line = bytes()
      guard line.count <= PathSurvey.sizeLimit else { return }
      visitor.begin()
      try? parser.parse(line)
    }
  }

  private var trackCount = 0
  private var (untitled, untimed) = (Lines(), Lines())

  /// Looks at a track, and at the line of some.
  mutating func add(_ track: FeedLineReader.Track, _ bytes: () -> UnsafeRawBufferPointer) {
    trackCount += 1
    if track.title.count <= 0 { untitled.add(bytes) }
    if track.lastPlayedAt == nil { untimed.add(bytes) }
  }

  /// The members that look like what tracks lack, in sentences that name the option that takes them.
  func findings(_ shape: JSONShape) -> [String] {
    [
      finding("title", .title, untitled, LikelyDetails.title(in: untitled.places), shape),
      finding("time", .played, untimed, LikelyDetails.time(in: untimed.places), shape),
    ].compactMap { $0 }
  }

  private func finding(
    _ name: String, _ place: JSONShape.Place, _ lines: Lines, _ path: JSONPath?, _ shape: JSONShape
  ) -> String? {
    guard let path, let example = lines.places[path]?.example else { return nil }
    let option = shape.placeNames[place] ?? "the path of '\(place.rawValue)'"
    let lack =
      lines.count == trackCount
      ? "none of the tracks got a \(name)" : "\(lines.count) of \(trackCount) tracks got no \(name)"
    return "\(lack); '\(path.fromRoot)' looks like one ('\(example)') and was not taken; take it with \(option)"
  }
}
