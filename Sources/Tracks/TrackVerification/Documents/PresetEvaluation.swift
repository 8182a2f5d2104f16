internal import JSONPresets
internal import Verification

/// Finds the artists in documents by following the paths of presets, one after the other.
///
/// The migration follows all paths at once while it reads; here, the whole tree of a document is at hand, and each path is
/// looked up by itself.
final class PresetEvaluation: Sendable {
  /// A reason why a document mentions no artists.
  enum Shape: String {
    case notAnObject = "not_an_object"
    case noArtists = "no_artists"
    case otherAnswer = "other_answer"
    case nullArtists = "null_artists"
    case emptyArtists = "empty_artists"
    case artistsNotAnArray = "artists_not_an_array"
    case noUsableArtist = "no_usable_artist"
    case otherRoles = "other_roles"
    case ignoredArtists = "ignored_artists"
  }

  /// The result for one document.
  struct Finding {
    var mentions = ArtistMentions()
    var shape = Shape.noArtists
    /// The number of the preset, and where its document begins.
    var preset: Int?
    var root = 0
    /// The objects around it, from the inside out, that may say when the track was played.
    var outer: [Int] = []
    var duplicateKeyCount = 0
    /// Whether there are artists with roles that are not wanted.
    var hasOtherRoles = false
  }

  /// A place where artists stand, with the paths to what each has there.
  private final class Source: Sendable {
    let path: NodePath
    /// The path to the array of artists, or to the only one.
    let container: NodePath
    /// Whether the path leads to elements of an array.
    let isElement: Bool
    let filter: (path: NodePath, value: [UInt8])?
    let name, id, image, role, joinPhrase, key: [NodePath]
    /// The ids of the parts of a joined name, or of a list of names; empty if there are none.
    let partIDs: [[NodePath]]
    /// The names of a list, and one more; empty if there is no list.
    let listedNames: [[NodePath]]
    let splitsName: Bool
    let fixedRole: ArtistRole?

    init(_ source: Preset.Source, _ paths: inout PathNumbering, splitsByIDs: Bool) {
      let steps = paths.numbered(source.path)
      isElement = source.path.leadsToElements
      path = paths.add(steps)
      container = isElement ? paths.add(steps.dropLast()) : path
      filter = source.path.filter.map {
        (paths.add(paths.numbered(members: $0.members), after: steps), Array($0.value.utf8))
      }
      func detail(_ list: [JSONPath]) -> [NodePath] { list.map { paths.add(paths.numbered($0), after: steps) } }
      (name, id, image) = (detail(source.name), detail(source.id), detail(source.image))
      (role, key) = (detail(source.role), detail(source.key))
      joinPhrase = source.joinPhrase.map { detail([$0]) } ?? []
      let places = 0...Preset.Source.joinedNamesLimit
      listedNames = places.map(source.name(at:)).filter { !$0.isEmpty }.map(detail)
      let ids = (splitsByIDs || source.names != nil ? places : 0...1).map(source.id(at:))
      partIDs = ids.filter { !$0.isEmpty }.map(detail)
      splitsName = splitsByIDs && !partIDs.isEmpty
      fixedRole = source.fixedRole
    }

    /// The paths whose repeated keys count.
    static func reads(_ source: Preset.Source, _ paths: inout PathNumbering) -> [ReadTree.Path] {
      let steps = paths.numbered(source.path)
      var details = (source.name + source.credited + source.id + source.image + source.role).map { paths.numbered($0) }
      if let names = source.names { details.append(paths.numbered(names)) }
      if let phrase = source.joinPhrase { details.append(paths.numbered(phrase)) }
      if let filter = source.path.filter { details.append(paths.numbered(members: filter.members)) }
      return [(steps[...], source.path.leadsToElements && !source.isOnlyArray)]
        + details.map { ((steps + $0)[...], false) }
    }
  }

  /// A preset that matches: an object, since it is large.
  private final class Entry: Sendable {
    let preset: Preset
    /// The places of artists, used one after the other until there are some.
    let sources: [[Source]]
    /// The paths of the track's title, time and picture.
    let title, played, image: [NodePath]
    /// Whether a value at each of the title's paths may be something else.
    let areDoubtful: [Bool]
    let namespace: Int
    /// The parts of documents that the preset reads.
    let reads: ReadTree
    /// Whether it is of a track; names and addresses of images are kept as they are; and so are empty details.
    let isTrack, keepsNames, keepsImages, keepsEmpty: Bool

    init(_ preset: Preset, _ paths: inout PathNumbering, splitsByIDs: Bool) {
      self.preset = preset
      sources = [preset.artists, preset.otherwise].map { list in
        list.map { Source($0, &paths, splitsByIDs: splitsByIDs) }
      }
      reads = ReadTree((preset.artists + preset.otherwise).flatMap { Source.reads($0, &paths) })
      namespace = paths.namespace(preset.namespace)
      func list(_ places: [JSONPath]) -> [NodePath] { places.map { paths.add(paths.numbered($0)) } }
      (title, played, image) = (list(preset.trackTitle), list(preset.playedAt), list(preset.trackImage))
      areDoubtful = preset.trackTitle.map(Preset.isDoubtful)
      (keepsNames, keepsImages) = (preset.keepsNames, preset.images.isPlain)
      (isTrack, keepsEmpty) = (preset.kind == .track, preset.keepsEmpty)
    }
  }

  /// The keys that any path names.
  let keys: [String]
  private let entries: [Entry]
  private let conditions: PresetConditions
  private let steps: [NodePath.PlacedStep]
  private let roots: [NodePath]
  /// Whether all of an answer is under each of the roots.
  private let areAnswers = Preset.roots.map { Preset.answerRoots.contains($0[0]) }
  /// The keys by which a document itself names a title or an artist.
  private let exclusions: Set<Int>
  private let roles: Set<ArtistRole>?

  /// The evaluation of a shape; that of all built-in presets is made once.
  static func of(_ shape: JSONShape, roles: Set<ArtistRole>?) -> PresetEvaluation {
    shape == .auto && roles == nil ? usual : PresetEvaluation(shape, roles: roles)
  }

  private static let usual = PresetEvaluation(.auto, roles: nil)

  init(_ shape: JSONShape, roles: Set<ArtistRole>?) {
    var paths = PathNumbering(containersOf: shape.presets)
    entries = shape.presets.map { Entry($0, &paths, splitsByIDs: shape.splitsByIDs) }
    conditions = PresetConditions(of: shape.presets, &paths)
    roots = shape.looksUnderRoots ? Preset.roots.map { paths.add(paths.numbered(members: $0)) } : []
    exclusions = Set(
      Envelopes.exclusions.sorted().flatMap { name in
        paths.numbered(members: [name]).compactMap { if case .member(let key) = $0 { key } else { nil } }
      })
    (keys, steps) = (paths.keys, paths.steps)
    self.roles = roles
  }

  /// The name of a preset.
  func name(ofPreset number: Int) -> String { entries[number].preset.name }

  /// Whether a document is the answer of a service about an artist.
  func isAboutArtist(_ tree: DocumentTree) -> Bool {
    evaluate(tree).preset.map { entries[$0].preset.kind == .artist } ?? false
  }

  /// Finds the artists of a document, which may be a value in another one.
  func evaluate(_ tree: DocumentTree, at node: Int = 0) -> Finding {
    guard node < tree.nodes.count, tree.nodes[node].kind == .object else {
      return Finding(mentions: ArtistMentions(), shape: .notAnObject)
    }
    guard let (preset, root, outer) = tree.withView(steps, { match(node, in: $0) }) else { return Finding() }
    var finding = read(preset, at: root, in: tree)
    finding.outer = outer
    return finding
  }

  /// Whether the only track inside of a document is to be looked for, whatever the names around it.
  ///
  /// - Parameter size: That of the document in bytes.
  func mayHaveTrackInside(_ finding: Finding, size: Int) -> Bool {
    guard size <= Envelopes.sizeLimit, !roots.isEmpty, finding.shape != .notAnObject else { return false }
    return finding.preset.map { entries[$0].preset.kind == .list } ?? true
  }

  /// Finds the artists of the only track inside of a document that is none itself.
  ///
  /// - Parameter tree: The document with the values of all keys.
  func evaluateInside(_ tree: DocumentTree, at node: Int = 0) -> Finding? {
    let found: [Inside] = tree.withView(steps) { document in
      let namesItself = document.hasChild(of: node) { child in
        document.nodes[child].isAnyText && exclusions.contains(document.nodes[child].key)
      }
      return namesItself ? [] : tracksInside(node, in: document, depth: 1, outer: [])
    }
    guard found.count == 1 else { return nil }
    var finding = read(found[0].preset, at: found[0].root, in: tree)
    finding.outer = found[0].outer
    // Without an artist, the document is what it was.
    return finding.mentions.named.isEmpty ? nil : finding
  }

  private typealias Inside = (preset: Int, root: Int, outer: [Int])

  /// The tracks in an array or object, but not those that are in one of them, or in something else that is known.
  ///
  /// - Parameters:
  ///   - depth: The number of arrays and objects around what is in it.
  ///   - outer: The objects around that, from the inside out.
  private func tracksInside(_ node: Int, in document: DocumentView, depth: Int, outer: [Int]) -> [Inside] {
    guard depth <= Envelopes.depth else { return [] }
    var found: [Inside] = []
    var childCount = 0
    let isArray = document.nodes[node].kind == .array
    _ = document.hasChild(of: node) { child in
      childCount += 1
      // Of several elements, none is the only one.
      if isArray, childCount > 1 { return true }
      found += judged(child, in: document, depth: depth, outer: outer)
      return false
    }
    return isArray && childCount > 1 ? [] : found
  }

  private func judged(_ node: Int, in document: DocumentView, depth: Int, outer: [Int]) -> [Inside] {
    let kind = document.nodes[node].kind
    guard kind == .object || kind == .array else { return [] }
    if kind == .object,
      let number = conditions.firstMatch(node, in: document, where: { entries[$0].preset.isKnownInside })
    {
      return entries[number].isTrack ? [(number, node, outer)] : []
    }
    return tracksInside(
      node, in: document, depth: depth + 1, outer: kind == .object ? [node] + outer : outer)
  }

  /// The first preset that a document matches, and where its track begins.
  private func match(_ node: Int, in document: DocumentView) -> (preset: Int, root: Int, outer: [Int])? {
    if let entry = conditions.firstMatch(node, in: document, isLate: false) { return (entry, node, []) }
    let roots = tracks(in: document, at: node)
    for root in roots {
      if let entry = conditions.firstMatch(root.node, in: document, isLate: false) {
        let around = roots.first { $0.node < root.node && root.node < document.nodes[$0.node].end }
        let outer = (around.map { [$0.node] } ?? []) + ((around ?? root).isAnswer ? [] : [node])
        return (entry, root.node, outer)
      }
    }
    return conditions.firstMatch(node, in: document, isLate: true).map { ($0, node, []) }
  }

  /// The objects under one of the roots, in the order of the document.
  private func tracks(in document: DocumentView, at start: Int) -> [(node: Int, isAnswer: Bool)] {
    zip(roots, areAnswers).compactMap { path, isAnswer -> (node: Int, isAnswer: Bool)? in
      guard var node = document.first(at: path, from: start) else { return nil }
      if document.nodes[node].kind == .array {
        // The only element is followed by what is after the array.
        let element = node + 1
        guard element < document.nodes[node].end, document.nodes[element].end == document.nodes[node].end else {
          return nil
        }
        node = element
      }
      return document.nodes[node].kind == .object ? (node, isAnswer) : nil
    }.sorted { $0.node < $1.node }
  }

  // MARK: - Artists

  /// Finds the artists of a document that has the shape of a preset.
  func read(_ number: Int, at root: Int, in tree: DocumentTree) -> Finding {
    let entry = entries[number]
    var finding = Finding()
    (finding.preset, finding.root) = (number, root)
    finding.mentions.bytes = tree.bytes
    tree.withView(steps) { document in
      let document = document.asking(root)
      if tree.mayHaveRepeatedKeys { finding.duplicateKeyCount = entry.reads.repeatedCount(at: root, in: document) }
      guard entry.isTrack else { return finding.shape = .otherAnswer }
      for sources in entry.sources where finding.mentions.named.isEmpty && !finding.hasOtherRoles {
        for source in sources { collect(source, of: entry, at: root, in: document, &finding) }
      }
    }
    return finding
  }

  private func collect(
    _ source: Source, of entry: Entry, at root: Int, in document: DocumentView, _ finding: inout Finding
  ) {
    if finding.shape == .noArtists, let container = document.first(at: source.container, from: root) {
      switch document.nodes[container].kind {
      case .object: break
      case .array where !source.isElement: break
      case .array: finding.shape = .emptyArtists
      case .null: finding.shape = .nullArtists
      default: finding.shape = .artistsNotAnArray
      }
    }
    var isFeatured = false
    _ = document.hasValue(at: source.path, from: root) { artist in
      if source.isElement || document.nodes[artist].kind == .object {
        add(artist, source, of: entry, in: document, &finding, &isFeatured)
      }
      return false
    }
  }

  /// Adds one artist, unless it is not wanted or has no name.
  private func add(
    _ artist: Int, _ source: Source, of entry: Entry, in document: DocumentView, _ finding: inout Finding,
    _ isFeatured: inout Bool
  ) {
    if let filter = source.filter {
      let found = document.first(at: filter.path, from: artist)
      guard let found, document.isText(found, filter.value) else { return }
    }
    let role = roles == nil ? nil : role(of: artist, source, entry, in: document, &isFeatured)
    if let list = list(of: source, at: artist, in: document) {
      guard isWanted(role, &finding) else { return }
      for (name, id) in list {
        guard let name = cleaned(name, entry, document, &finding) else { continue }
        finding.mentions.add(ArtistMentions.Mention(name: name, id: id, namespace: entry.namespace))
      }
      return
    }
    let key = document.text(at: source.key, from: artist)
    let name = document.text(at: source.name, from: artist).flatMap { cleaned($0, entry, document, &finding) }
    guard name != nil || key != nil else {
      if source.isElement { finding.mentions.addNameless() }
      if source.isElement || finding.shape == .noArtists { finding.shape = .noUsableArtist }
      return
    }
    guard isWanted(role, &finding) else { return }
    if source.splitsName, let name,
      let parts = parts(
        of: Array(finding.mentions.bytes[name]), source.partIDs.map { document.text(at: $0, from: artist) })
    {
      finding.mentions.splitNameCount += 1
      for part in parts {
        let name = finding.mentions.append(part.name)
        finding.mentions.add(ArtistMentions.Mention(name: name, id: part.id, namespace: entry.namespace))
      }
      return
    }
    // Of an artist of a library, the key is enough.
    var mention = ArtistMentions.Mention(
      name: name ?? document.firstText(at: source.name[0], from: artist).text, key: key, namespace: entry.namespace)
    // One of several ids, and its image, are not those of a name that is of all of them.
    if source.partIDs.count > 1, source.partIDs[1].contains(where: { document.hasText(at: $0, from: artist) }) {
      return finding.mentions.add(mention)
    }
    mention.id = document.value(at: source.id, from: artist, keepsEmpty: entry.keepsEmpty, &mention.longCount)
    let image = document.value(at: source.image, from: artist, keepsEmpty: entry.keepsEmpty, &mention.longCount)
    mention.imageURL = image.flatMap { address($0, entry, document, &finding) }
    finding.mentions.add(mention)
  }

  private func isWanted(_ role: ArtistRole?, _ finding: inout Finding) -> Bool {
    guard let roles, !roles.contains(role ?? .main) else { return true }
    finding.hasOtherRoles = true
    if finding.shape != .noUsableArtist { finding.shape = .otherRoles }
    return false
  }

  /// The names of a list, each with its id if there are as many ids; `nil` without a list, and of one that is too long.
  private func list(
    of source: Source, at artist: Int, in document: DocumentView
  ) -> [(name: Range<Int>, id: Range<Int>?)]? {
    guard !source.listedNames.isEmpty else { return nil }
    let names = source.listedNames.map { document.text(at: $0, from: artist) }
    guard names.first != .some(nil), names.last == .some(nil) else { return nil }
    let ids = source.partIDs.map { document.text(at: $0, from: artist) }
    let matches = zip(names, ids).allSatisfy { ($0 == nil) == ($1 == nil) }
    return names.enumerated().compactMap { place, name in
      name.map { ($0, matches && place < ids.count ? ids[place] : nil) }
    }
  }

  /// Splits a joined name if it has as many parts as there are ids.
  private func parts(of name: [UInt8], _ ids: [Range<Int>?]) -> [(name: [UInt8], id: Range<Int>)]? {
    let count = ids.prefix { $0 != nil }.count
    guard count > 1, ids.dropFirst(count).allSatisfy({ $0 == nil }) else { return nil }
    for separators in JoinedName.separatorsByLevel {
      let parts = Self.parts(of: name, at: separators.map { Array($0.utf8) })
      if parts.count == count { return zip(parts, ids.compactMap { $0 }).map { ($0, $1) } }
    }
    return nil
  }

  private static func parts(of name: [UInt8], at separators: [[UInt8]]) -> [[UInt8]] {
    var open = [name[...]]
    for separator in separators {
      var place = 0
      while place < open.count {
        let text = open[place]
        let start = text.indices.first { text[$0...].starts(with: separator) }
        if let start {
          open.replaceSubrange(place...place, with: [text[..<start], text[(start + separator.count)...]])
        }
        place += 1
      }
    }
    return open.map { Array($0.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()) }.filter { !$0.isEmpty }
  }

  /// The role of an artist; after a join phrase such as "feat.", all are featured.
  private func role(
    of artist: Int, _ source: Source, _ entry: Entry, in document: DocumentView, _ isFeatured: inout Bool
  ) -> ArtistRole? {
    let wasFeatured = isFeatured
    if let phrase = document.text(at: source.joinPhrase, from: artist), Self.isFeaturing(document.string(phrase)) {
      isFeatured = true
    }
    if wasFeatured { return .featured }
    let word = document.text(at: source.role, from: artist).map(document.string)
    return word.map(entry.preset.role) ?? (source.joinPhrase.isEmpty ? source.fixedRole : .main)
  }

  private static func isFeaturing(_ phrase: String) -> Bool {
    phrase.lowercased().contains(/\b(feat|ft|featuring)\b/)
  }

  /// The name without what the service adds to it.
  private func cleaned(
    _ name: Range<Int>, _ entry: Entry, _ document: DocumentView, _ finding: inout Finding
  ) -> Range<Int>? {
    if entry.keepsNames { return name }
    let text = entry.preset.cleaned(document.string(name))
    return text.isEmpty ? nil : finding.mentions.append(text)
  }

  private func address(
    _ image: Range<Int>, _ entry: Entry, _ document: DocumentView, _ finding: inout Finding
  ) -> Range<Int>? {
    if image.isEmpty || entry.keepsImages { return image }
    return entry.preset.images.address(document.string(image)).map { finding.mentions.append($0) }
  }
}

extension PresetEvaluation {
  /// A document's details of the track itself.
  typealias TrackDetails = (title: [UInt8]?, played: [UInt8]?, image: [UInt8]?)

  /// Finds the time of a document of which its preset finds none, by the words of the last preset.
  func time(at node: Int, in tree: DocumentTree) -> [UInt8]? {
    tree.withView(steps) { document in
      let document = document.asking(node)
      return (entries.last?.played).flatMap { Self.time(at: $0, from: node, in: document) }
        .map { Array(tree.bytes[$0]) }
    }
  }

  /// The first time that can be read, or the first value.
  private static func time(at paths: [NodePath], from node: Int, in document: DocumentView) -> Range<Int>? {
    let texts = paths.lazy.compactMap { document.text(at: [$0], from: node) }
    return texts.first { FeedEvaluation.playedTime(document.string($0)) != nil } ?? texts.first
  }

  /// The first title, where a word that is also used for numbers and ids has one, or the first value.
  private static func title(of entry: Entry, from node: Int, in document: DocumentView) -> Range<Int>? {
    let texts = entry.title.indices.lazy.compactMap { place in
      document.text(at: [entry.title[place]], from: node).map { (text: $0, isDoubtful: entry.areDoubtful[place]) }
    }
    return (texts.first { !$0.isDoubtful || !isIdentifier(document.bytes[$0.text]) } ?? texts.first)?.text
  }

  /// Whether a text is a number, one of several, a UUID or an address.
  private static func isIdentifier(_ text: some BidirectionalCollection<UInt8>) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
    let rest = text.drop(while: isDigit)
    if rest.count < text.count, text.last.map(isDigit) == true {
      // Two numbers have a sign or a word between them.
      let between = String(decoding: rest.reversed().drop(while: isDigit).reversed(), as: UTF8.self)
      if ["", ".", "/"].contains(between) { return true }
      let word = between.drop { $0 == " " }
      if word.hasPrefix("/"), word.dropFirst().allSatisfy({ $0 == " " }) { return true }
      if word.hasPrefix("of "), word.dropFirst(3).allSatisfy({ $0 == " " }) { return true }
    }
    let parts = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isHexadecimal = parts.joined().allSatisfy { isDigit($0) || 0x61...0x66 ~= $0 | 0x20 }
    if isHexadecimal, parts.map(\.count) == [8, 4, 4, 4, 12] { return true }
    let scheme = text.prefix { isDigit($0) || 0x61...0x7a ~= $0 }
    let address = text.dropFirst(scheme.count + 1)
    return scheme.count > 1 && text.dropFirst(scheme.count).first == UInt8(ascii: ":")
      && !text.contains { $0 <= 0x20 } && (address.starts(with: "//".utf8) || address.contains(UInt8(ascii: ":")))
  }

  /// Finds out what a document says of the track itself.
  func details(_ finding: Finding, in tree: DocumentTree) -> TrackDetails {
    guard let number = finding.preset, entries[number].isTrack else { return (nil, nil, nil) }
    let entry = entries[number]
    return tree.withView(steps) { document in
      let document = document.asking(finding.root)
      func text(_ paths: [NodePath]) -> Range<Int>? { document.text(at: paths, from: finding.root) }
      let image = text(entry.image).map(document.string).flatMap(entry.preset.images.address)
      let title = Self.title(of: entry, from: finding.root, in: document).map(document.string)
        .map(entry.preset.cleanedTitle)
      return (
        title.flatMap { $0.isEmpty ? nil : Array($0.utf8) },
        Self.time(at: entry.played, from: finding.root, in: document).map { Array(tree.bytes[$0]) },
        image.map { Array($0.utf8) }
      )
    }
  }
}
