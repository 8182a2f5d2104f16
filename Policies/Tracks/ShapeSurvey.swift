internal import JSONPresets
internal import JSONStream

/// Surveys the top-level structure of documents: their keys, and the types of their values.
struct ShapeSurvey {
  private let visitor = ShapeVisitor()
  private let parser: JSONStreamParser
  private var head: [UInt8] = []
  private var example: String?

  init() { parser = JSONStreamParser(visitor: visitor) }

  /// Starts a document, which was read before without an error.
  mutating func begin() {
    parser.begin()
    visitor.begin()
    head.removeAll()
  }

  /// Reads a piece of the document.
  mutating func read(_ piece: UnsafeRawBufferPointer) {
    if head.count < Self.headLength { head += piece.prefix(Self.headLength - head.count) }
    try? parser.append(piece)
  }

  /// Ends a document; the first becomes the example, under this name.
  mutating func finish(_ name: String) {
    try? parser.finish()
    guard example == nil else { return }
    let text = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    example = "for example \(name): \(text.prefix(Self.exampleLength))\(text.count > Self.exampleLength ? "…" : "")"
  }

  /// The likely places of artists in objects, the likeliest first.
  ///
  /// These are presets with one place, whose titles are the number of documents that have it and an example.
  var suggestions: [Preset] {
    let total = visitor.kinds.reduce(0) { $0 + $1.count }
    let guesses = visitor.places.map { Guess($0.key, $0.value, among: visitor.places) }.filter { $0.score > 0 }
    let sorted = guesses.sorted {
      ($1.score, $1.place.documentCount, $0.path) < ($0.score, $0.place.documentCount, $1.path)
    }
    return sorted.prefix(Self.suggestionLimit).map { guess in
      Preset(
        "suggestion", "in \(guess.place.documentCount) of \(total), such as '\(guess.place.example)'", "", ids: "",
        // The document itself is in every document.
        [JSONCondition(exists: guess.source.path.steps.isEmpty ? guess.source.name[0] : guess.source.path)],
        artists: [guess.source])
    }
  }

  /// The likely places of the track's own title and time.
  var details: (title: JSONPath?, time: JSONPath?) {
    (LikelyDetails.title(in: visitor.places), LikelyDetails.time(in: visitor.places))
  }

  private static let suggestionLimit = 3
  private static let headLength = 1000
  private static let exampleLength = 160
  private static let keyLimit = 8

  /// The findings: the most common kind and keys, and an example.
  var lines: [String] { [shape, example].compactMap { $0 } }

  private var shape: String? {
    let total = visitor.kinds.reduce(0) { $0 + $1.count }
    guard let kind = visitor.kinds.max(by: { $0.count < $1.count }) else { return nil }
    let share = kind.count < total ? " (\(kind.count) of \(total) that were looked at)" : ""
    guard kind.name == "object" else { return "they are \(kind.name == "array" ? "an" : "a") \(kind.name)\(share)" }
    // In order of first appearance, which sorting preserves.
    let keys = visitor.keys.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
      .map(\.element)
    guard !keys.isEmpty else { return "they are an empty object\(share)" }
    let shown = keys.prefix(Self.keyLimit).map { key in
      let name = "\"\(key.name.prefix(40))\(key.name.count > 40 ? "…" : "")\""
      return "\(name) (\(key.kind)\(key.count < kind.count ? ", in \(key.count) of \(kind.count)" : ""))"
    }
    let rest = keys.count - shown.count
    return "their keys are \(shown.joined(separator: ", "))\(rest > 0 ? " and \(rest) more" : "")\(share)"
  }
}

/// Counts what is at the top level of documents, and the places of text in them.
final class ShapeVisitor: JSONVisitor {
  struct Kind {
    let name: String
    var count = 1
  }

  struct Key {
    let name: String
    /// The kind of the first value.
    let kind: String
    var count = 1
  }

  /// A path to text or numbers.
  struct Place {
    var documentCount = 1
    /// The last document that has it.
    fileprivate var document: Int
    var example: String
  }

  private(set) var kinds: [Kind] = []
  private(set) var keys: [Key] = []
  private(set) var places: [JSONPath: Place] = [:]
  /// The kind of the first value at each path, if that is wanted.
  private(set) var values: [JSONPath: String] = [:]
  private let notesValues: Bool
  private var numbers: [[UInt8]: Int] = [:]
  private var document = 0
  private var currentKey: [UInt8]?
  /// The way to the current value, and for each array on it whether its first elements have been seen.
  private var steps: [JSONPath.Step] = []
  private var isArray: [Bool] = []

  /// No real document has more meaningful keys.
  private static let keyLimit = 1000
  private static let depthLimit = 10

  init(notesValues: Bool = false) { self.notesValues = notesValues }

  func begin() {
    document += 1
    currentKey = nil
    steps.removeAll()
    isArray.removeAll()
  }

  private var depth: Int { isArray.count }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    guard utf8.count <= 1000, depth <= Self.depthLimit else { return .skip }
    currentKey = Array(utf8)
    return .enter
  }

  override func startObject() { begin("object", isArray: false) }
  override func endObject() { end() }
  override func startArray() { begin("array", isArray: true) }
  override func endArray() { end() }
  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) { note("string", utf8) }
  override func number(_ text: UnsafeRawBufferPointer) { note("number", text) }
  override func boolean(_ value: Bool) { note("boolean") }
  override func null() { note("null") }

  private func begin(_ kind: String, isArray: Bool) {
    let step = self.step
    note(kind)
    if depth > 0 { steps.append(step) }
    self.isArray.append(isArray)
  }

  private func end() {
    isArray.removeLast()
    if !steps.isEmpty { steps.removeLast() }
    currentKey = nil
  }

  /// The step to the value that comes next.
  private var step: JSONPath.Step {
    guard isArray.last == false, let currentKey else { return .every }
    return .member(String(decoding: currentKey, as: UTF8.self))
  }

  private func note(_ kind: String, _ text: UnsafeRawBufferPointer? = nil) {
    if depth == 0 {
      if let place = kinds.firstIndex(where: { $0.name == kind }) {
        kinds[place].count += 1
      } else {
        kinds.append(Kind(name: kind))
      }
      if notesValues { noteValue(kind, at: JSONPath(steps: [])) }
      return
    }
    if let text, depth <= Self.depthLimit { note(text) }
    if notesValues, depth <= Self.depthLimit { noteValue(kind, at: JSONPath(steps: steps + [step])) }
    guard depth == 1, let key = currentKey else { return }
    if let place = numbers[key] {
      keys[place].count += 1
    } else if keys.count < Self.keyLimit {
      numbers[key] = keys.count
      keys.append(Key(name: String(decoding: key, as: UTF8.self), kind: kind))
    }
  }

  private func noteValue(_ kind: String, at path: JSONPath) {
    // What is null in one document may be something in another.
    guard kind != "null", values[path] == nil, values.count < Self.keyLimit else { return }
    values[path] = kind
  }

  private func note(_ text: UnsafeRawBufferPointer) {
    let path = JSONPath(steps: steps + [step])
    if let place = places[path] {
      guard place.document != document else { return }
      places[path]?.document = document
      places[path]?.documentCount += 1
    } else if places.count < Self.keyLimit, !text.isEmpty {
      places[path] = Place(document: document, example: String(text.excerpt.prefix(60)))
    }
  }
}

/// Guesses the places of artists from the places of text.
private struct Guess {
  /// The likelihood that it is an artist; 0 if it is not.
  let score: Int
  let place: ShapeVisitor.Place
  let source: Preset.Source
  /// The whole path to the name, which no other guess has.
  let path: String

  private static let people = [
    "artist", "singer", "performer", "author", "interpret", "creator", "contributor", "band",
  ]
  private static let others = [
    "album", "genre", "label", "playlist", "file", "type", "url", "uri", "href", "sort", "id", "path", "kind", "mood",
    "composer", "lyricist", "writer", "producer", "engineer", "publisher", "arranger",
  ]

  init(_ path: JSONPath, _ place: ShapeVisitor.Place, among places: [JSONPath: ShapeVisitor.Place]) {
    self.place = place
    self.path = path.fromRoot
    let names = path.steps.compactMap { step -> String? in
      if case .member(let name) = step { name.lowercased() } else { nil }
    }
    let last = names.last ?? ""
    // The label or the title of a person is a name.
    let isLabel =
      ["label", "title"].contains(last)
      && names.dropLast().last.map { name in (Self.people + ["person"]).contains { name.contains($0) } } == true
    let isPerson = Self.people.contains { word in names.contains { $0.contains(word) } }
    let isOther = (isLabel ? names.dropLast() : names[...]).contains { name in
      Self.others.contains { name.hasPrefix($0) || name.hasSuffix($0) }
    }
    let isName = isLabel || last.hasSuffix("name") || Self.people.contains { last.contains($0) }
    score =
      isOther || !isName && path.steps.last != .every ? 0 : isPerson ? 2 : last == "name" && names.count > 1 ? 1 : 0
    // What the steps up to the last array or object lead to is the artist.
    let end = path.steps.lastIndex(of: .every).map { $0 + 1 } ?? max(0, path.steps.count - 1)
    let (source, name) = (Array(path.steps[..<end]), JSONPath(steps: Array(path.steps[end...])))
    func sibling(_ keys: [String]) -> [JSONPath] {
      keys.map { JSONPath(steps: [.member($0)]) }.filter { places[JSONPath(steps: source + $0.steps)] != nil }
    }
    let ids =
      source.isEmpty ? ["artist_id", "artistId", "artistID"] : ["id", "mbid", "mid", "uuid", "artist_id", "artistId"]
    let images =
      source.isEmpty
      ? ["artist_image", "artistImage"]
      : ["imageURL", "image_url", "imageUrl", "image", "picture", "avatar_url", "avatar", "photo", "thumbnail"]
    let roles = source.isEmpty ? [] : ["role", "roles", "part", "function"]
    self.source = Preset.Source(
      JSONPath(steps: source), name: name, id: Array(sibling(ids).prefix(1)), image: Array(sibling(images).prefix(1)),
      role: Array(sibling(roles).prefix(1)))
  }
}

/// A choice among documents that are read only once: the first ones, and ever fewer of the later ones.
struct SpreadChoice {
  private var count = 0
  private var next = 0

  /// The number of documents that are all chosen.
  private static let start = 64

  /// Whether the next document is chosen.
  mutating func takesNext() -> Bool {
    defer { count += 1 }
    guard count >= next else { return false }
    next = count + 1 + (count < Self.start ? 0 : count / 32)
    return true
  }
}

/// A few keys of rows, spread evenly over all that were added, however many there are.
struct SpreadSample {
  private(set) var keys: [Int64] = []
  private var count = 0
  private var step = 1

  private static let limit = 128

  mutating func add(_ key: Int64) {
    defer { count += 1 }
    guard count.isMultiple(of: step) else { return }
    keys.append(key)
    guard keys.count == Self.limit else { return }
    keys = stride(from: 0, to: Self.limit, by: 2).map { keys[$0] }
    step *= 2
  }
}
