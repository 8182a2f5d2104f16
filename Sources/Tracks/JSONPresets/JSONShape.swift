/// The places in which artists of documents are looked for.
package struct JSONShape: Sendable, Hashable {
  /// The name of the shape: `auto`, the name of a preset, several of these with commas between, or `paths`.
  package let name: String
  /// The presets, in the order in which they are tried.
  package let presets: [Preset]
  /// Whether the track may stand under one of the ``Preset/roots``.
  package let looksUnderRoots: Bool
  /// Whether a joined name is split if there are as many ids as it has parts.
  package var splitsByIDs = false
  /// A person's names of the places that were given one by one, such as the options that give them.
  package var placeNames: [Place: String] = [:]

  /// A place that is looked at.
  package enum Place: String, Sendable, Hashable {
    case artists, name, id, image, role, title, played
  }

  /// In the first built-in preset that matches.
  package static let auto = JSONShape(name: "auto", presets: Preset.builtIn, looksUnderRoots: true)

  /// In one preset only.
  package static func preset(_ preset: Preset) -> JSONShape {
    JSONShape(name: preset.name, presets: [preset], looksUnderRoots: true)
  }

  /// In what several shapes say, one after the other.
  package static func joined(_ shapes: [JSONShape]) -> JSONShape {
    guard shapes.count > 1 else { return shapes.first ?? .auto }
    var known: Set<Preset> = []
    let presets = shapes.flatMap(\.presets).filter { known.insert($0).inserted }
    return JSONShape(name: shapes.map(\.name).joined(separator: ","), presets: presets, looksUnderRoots: true)
  }

  /// At paths, whatever else the document has.
  ///
  /// A path to an array means its elements, and one to a text the artist of this name.
  package static func paths(_ source: Preset.Source, keepsEmpty: Bool = false) -> JSONShape {
    let path = source.path
    var (elements, texts): (Preset.Source, [Preset.Source]) = (source, [])
    if !path.leadsToElements, case .member? = path.steps.last {
      elements.path = JSONPath(steps: path.steps + [.every])
      texts = [
        Preset.Source(
          JSONPath(steps: Array(path.steps.dropLast())), names: [JSONPath(steps: [path.steps[path.steps.count - 1]])])
      ]
    }
    let preset = Preset(
      "paths", "given paths", "", ids: "", [JSONCondition(exists: path)], artists: [elements], otherwise: texts)
    return JSONShape(name: "paths", presets: [preset.with { $0.keepsEmpty = keepsEmpty }], looksUnderRoots: false)
  }

  /// The shape that versions of this program up to 1.2 knew.
  package static let original = paths(
    Preset.Source("$.artists[*]", name: "name", "@", id: ["id"], image: ["imageURL"]), keepsEmpty: true)

  /// Whether a person has chosen where to look, instead of all built-in presets.
  package var isChosen: Bool { name != Self.auto.name }

  /// Whether a person names members of the documents, by a preset or by the paths of a track's own details.
  package func namesMembers(_ paths: JSONPath?...) -> Bool { isChosen || paths.contains { $0 != nil } }

  /// The presets that are not built in.
  package var ownPresets: [Preset] {
    let known = Set(Preset.builtIn)
    return presets.filter { !known.contains($0) }
  }

  /// Recreates a shape from a report: from its name, and from the presets that are not built in.
  package init?(name: String, ownPresets: [Preset]) {
    if ownPresets.count == 1, ownPresets[0].name == name {
      self.init(name: name, presets: ownPresets, looksUnderRoots: name != "paths")
      return
    }
    let shapes = name.split(separator: ",").map(String.init).compactMap { part -> JSONShape? in
      if part == Self.auto.name { return .auto }
      return (ownPresets.first { $0.name == part } ?? Preset.named(part)).map(Self.preset)
    }
    guard shapes.map(\.name).joined(separator: ",") == name else { return nil }
    self = .joined(shapes)
  }

  static let fieldsName = "fields"

  /// The shape of the lines that an export writes, which no document matches by itself.
  private static let fields = Preset(
    fieldsName, "fields by name", "", ids: "", ["$.key", "!$.key"],
    artists: (["$.artists[*]", "$.artist[*]", "$.artist"] as [JSONPath]).map { path in
      var source = Preset.Source(
        path, names: Preset.Word.names, credited: ["credited"], id: ["id"], image: ["imageURL"], role: ["role"])
      source.key = ["key"]
      source.isOnlyArray = path == "$.artist[*]"
      return source
    }
  ).with {
    $0.keepsEmpty = true
    // Also of answers of which their presets find none, and beside a track that a member of the line holds.
    $0.playedAt = Preset.Word.times
  }

  /// The shape of a feed: the last of its presets is that of lines that are read by the names of their fields.
  ///
  /// - Parameters:
  ///   - titlePath: Where a title is, whatever the presets say.
  ///   - playedPath: The same for the time.
  package func ofFeed(titlePath: JSONPath?, playedPath: JSONPath?) -> JSONShape {
    let presets = (presets.map(Self.withUsualWords) + [Self.fields]).map { preset in
      preset.with {
        if let titlePath { $0.trackTitle = [titlePath] }
        if let playedPath { $0.playedAt = [playedPath] }
      }
    }
    var shape = JSONShape(name: name, presets: presets, looksUnderRoots: looksUnderRoots)
    shape.splitsByIDs = splitsByIDs
    return shape
  }

  /// Whether a person has said where the title and the time of a feed's tracks are, by the last preset of its shape.
  package static func givenPlaces(_ fields: Preset) -> (title: Bool, played: Bool) {
    (!fields.trackTitle.isEmpty, fields.playedAt != Self.fields.playedAt)
  }

  /// A preset that says only where artists stand finds a track's own details by the words of all services.
  private static func withUsualWords(_ preset: Preset) -> Preset {
    preset.with {
      guard $0.kind == .track, $0.trackTitle.isEmpty else { return }
      $0.trackTitle = Preset.Word.titles + Preset.Word.nestedTitles
      if $0.trackImage.isEmpty { $0.trackImage = [Preset.Source.usualImage] }
    }
  }

  private init(name: String, presets: [Preset], looksUnderRoots: Bool) {
    (self.name, self.presets, self.looksUnderRoots) = (name, presets, looksUnderRoots)
  }
}
