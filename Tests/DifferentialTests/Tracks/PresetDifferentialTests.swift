import JSONPresets
import Policies
import TestSupport
import Testing

@testable import TrackVerification

/// Random documents in the shapes of services, read by the migration in one pass and by the verification path by path.
struct PresetDifferentialTests {
  private static let shapes: [JSONShape] =
    [.auto, .auto, .auto, .original] + Preset.builtIn.filter { $0.kind == .track }.map { .preset($0) }
    + ["listenbrainz", "applemusic"].compactMap(Preset.named).flatMap { Array(repeating: split(.preset($0)), count: 8) }
    + [split(.auto), split(.paths(Preset.Source("$.a", name: "n", id: ["ids[0]", "i[0].j"])))]

  private static func split(_ shape: JSONShape) -> JSONShape {
    var shape = shape
    shape.splitsByIDs = true
    return shape
  }

  @Test func `Artists are found like a reader finds them that follows each path by itself`() throws {
    var readers = Self.shapes.enumerated().map { number, shape in
      let roles: Set<ArtistRole>? = number % 3 == 1 ? [.main, .remixer] : nil
      let evaluation = PresetEvaluation(shape, roles: roles)
      return (shape, ArtistExtraction(shape, roles: roles), DocumentReader(keys: evaluation.keys), evaluation)
    }
    let kinds = [
      "found", "split", "no_artists", "other_answer", "empty_artists", "null_artists", "no_usable_artist",
      "other_roles",
    ]
    try Differential.run("presets", count: 4000, kinds: kinds) { seed in
      var random = SeededGenerator(seed: seed ^ 0xA27157)
      let number = random.number(0...(readers.count - 1))
      var document = RandomAnswer.make(like: readers[number].0.presets, &random)
      var around = SeededGenerator(seed: seed ^ 0xE27)
      for _ in 0..<max(0, around.number(-16...3)) { document = RandomAnswer.enveloped(document, &around) }
      let json = document.json
      let found = try readers[number].1.read(Array(json.utf8))
      readers[number].2.begin()
      Array(json.utf8).withUnsafeBytes { readers[number].2.read($0) }
      guard readers[number].2.finish() == .readable else { return .different("unreadable: \(json)") }
      var expected = readers[number].3.evaluate(readers[number].2.tree)
      if readers[number].3.mayHaveTrackInside(expected, size: json.utf8.count) {
        readers[number].2.readAll(Array(json.utf8))
        expected = readers[number].3.evaluateInside(readers[number].2.tree) ?? expected
      }
      let presets = readers[number].0.presets
      let mentions = expected.mentions
      func text(_ range: Range<Int>?) -> String? {
        range.map { String(decoding: mentions.bytes[$0], as: UTF8.self) }
      }
      let both = [
        ("\(found.preset?.name ?? "none"), \(found.reason?.rawValue ?? "found"), nameless "
          + "\(found.namelessArtistCount), repeated \(found.duplicateKeyCount), split \(found.splitNameCount), "
          + "\(found.artists.map { [$0.name, $0.id ?? "-", $0.imageURL ?? "-"] })"),
        ("\(expected.preset.map { presets[$0].name } ?? "none"), "
          + "\(mentions.named.isEmpty ? expected.shape.rawValue : "found"), nameless \(mentions.namelessCount), "
          + "repeated \(expected.duplicateKeyCount), split \(mentions.splitNameCount), "
          + "\(mentions.named.map { [text($0.name) ?? "", text($0.id) ?? "-", text($0.imageURL) ?? "-"] })"),
      ]
      guard both[0] == both[1] else { return .different("is \(both[0]), expected \(both[1]): \(json)") }
      return .same(found.reason?.rawValue ?? (found.splitNameCount > 0 ? "split" : "found"))
    }
  }
}

/// Makes documents that have what presets look for, and are odd in other ways.
enum RandomAnswer {
  /// A document inside of an object or an array, beside others.
  static func enveloped(_ document: Value, _ random: inout SeededGenerator) -> Value {
    let others: [Value] = [
      .scalar("7"), .scalar("\"x\""), .scalar("null"), .array([]), .object([("id", .scalar("1"))]),
    ]
    let names = ["envelope", "payload2", "json", "title", "track_info"]
    let other = others[random.number(0...(others.count - 1))]
    let inner =
      random.number(0...2) == 0 ? Value.array(random.number(0...4) == 0 ? [document, document] : [document]) : document
    let members = [(key: names[random.number(0...(names.count - 1))], value: inner), (key: "beside", value: other)]
    return .object(random.number(0...1) == 0 ? members : members.reversed())
  }

  indirect enum Value {
    case object([(key: String, value: Value)])
    case array([Value])
    /// A literal, as it is written.
    case scalar(String)

    var json: String {
      switch self {
      case .object(let members):
        "{" + members.map { "\(Self.quoted($0.key)):\($0.value.json)" }.joined(separator: ",") + "}"
      case .array(let elements): "[" + elements.map(\.json).joined(separator: ", ") + "]"
      case .scalar(let text): text
      }
    }

    static func quoted(_ text: String) -> String {
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Puts a value at a path; arrays on the way get as many elements as are asked for.
    mutating func set(_ steps: ArraySlice<JSONPath.Step>, _ count: () -> Int, _ make: () -> Value) {
      guard let step = steps.first else {
        if case .scalar = self { self = make() }
        return
      }
      if case .member(let name) = step {
        var members: [(key: String, value: Value)] = []
        if case .object(let known) = self { members = known } else if case .array = self { return }
        if let place = members.firstIndex(where: { $0.key == name }) {
          members[place].value.set(steps.dropFirst(), count, make)
        } else {
          var value = Value.scalar("null")
          value.set(steps.dropFirst(), count, make)
          members.append((name, value))
        }
        self = .object(members)
        return
      }
      var elements: [Value] = []
      if case .array(let known) = self { elements = known } else if case .object = self { return }
      if elements.isEmpty { elements = (0..<count()).map { _ in .scalar("null") } }
      for index in elements.indices { elements[index].set(steps.dropFirst(), count, make) }
      self = .array(elements)
    }
  }

  static func make(like presets: [Preset], _ random: inout SeededGenerator) -> Value {
    var value = answer(presets, &random)
    if random.chance(20) { value = wrapped(value, &random) }
    return value
  }

  private static func answer(_ presets: [Preset], _ random: inout SeededGenerator) -> Value {
    var value = Value.object([])
    for _ in 0..<random.pick(1, 1, 2) {
      let preset = random.pick(from: random.chance(90) ? presets : Preset.builtIn, or: presets[0])
      for condition in preset.conditions where random.chance(97) {
        let test = condition.tests[random.number(0...(condition.tests.count - 1))]
        if test.isNegated { continue }
        let text = test.value.map(Value.quoted) ?? scalar(&random)
        set(test.path.steps, &random, &value) { _ in .scalar(text) }
      }
      for source in preset.artists + preset.otherwise where random.chance(80) {
        let path = source.path.steps.map { step -> JSONPath.Step in
          if case .filter = step { .every } else { step }
        }
        if let filter = source.path.filter, random.chance(80) {
          let members = filter.members.map { JSONPath.Step.member($0) }
          set(path + members, &random, &value) { .scalar($0.chance(70) ? Value.quoted(filter.value) : "\"x\"") }
        }
        for detail in source.details where random.chance(75) {
          set(path + detail.steps, &random, &value) { .scalar(scalar(&$0)) }
        }
      }
    }
    return odd(value, &random)
  }

  private static func set(
    _ steps: [JSONPath.Step], _ random: inout SeededGenerator, _ value: inout Value,
    _ make: (inout SeededGenerator) -> Value
  ) {
    var (first, second) = (SeededGenerator(seed: random.next()), SeededGenerator(seed: random.next()))
    value.set(steps[...], { first.pick(0, 1, 1, 2, 2, 3) }, { make(&second) })
  }

  private static func scalar(_ random: inout SeededGenerator) -> String {
    random.pick(
      "\"A\"", "\"B\"", "\"A & B\"", "\"A, B & C\"", "\"A ft. B;\"", "\" C \"", "\"\"", "7", "1.50", "true", "null",
      "\"Tom &amp; J\"", "\" feat. \"",
      "\"Featured\"", "\"/images/default_avatar\"", "\"x-y-%%\"", "{}", "[\"A\"]")
  }

  /// A document with members repeated, replaced or made arrays.
  private static func odd(_ value: Value, _ random: inout SeededGenerator) -> Value {
    switch value {
    case .scalar(let text): return random.chance(3) ? .array([.scalar(text), .scalar("\"D\"")]) : value
    case .array(let elements):
      if elements.count == 1, random.chance(8) { return elements[0] }
      var changed = elements.map { odd($0, &random) }
      if random.chance(5) { changed.append(.scalar(scalar(&random))) }
      return .array(changed)
    case .object(let members):
      var changed = members.map { (key: $0.key, value: odd($0.value, &random)) }
      if random.chance(8), let first = changed.first { changed.append((first.key, .scalar(scalar(&random)))) }
      if random.chance(4) { changed.shuffle(using: &random) }
      if random.chance(3), !changed.isEmpty { changed[0].value = .scalar("null") }
      return random.chance(3) ? .array([.object(changed)]) : .object(changed)
    }
  }

  private static func wrapped(_ value: Value, _ random: inout SeededGenerator) -> Value {
    var value = value
    if random.chance(50) { value = .array([value] + (random.chance(30) ? [.scalar("null")] : [])) }
    for member in random.pick(from: Preset.roots, or: ["data"]).reversed() { value = .object([(member, value)]) }
    guard random.chance(30), case .object(let members) = value,
      case .object(let others) = answer(Preset.builtIn, &random)
    else {
      return value
    }
    return .object(random.chance(50) ? members + others : others + members)
  }
}
