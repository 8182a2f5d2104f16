internal import JSONPresets

/// Finds the artists in documents by following the paths of presets, one after the other.
///
/// The migration follows all paths at once while it reads; here, the whole tree of a document is at hand, and each path is
/// looked up by itself.
struct PresetEvaluation {
  /// Why a document mentions no artists.
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
    var duplicateKeyCount = 0
    /// Whether there are artists with roles that are not wanted.
    var hasOtherRoles = false
  }

  fileprivate typealias Steps = [Step]

  /// A step of a path, with the number of a key.
  fileprivate enum Step: Hashable { case member(Int), every, element(Int), last }

  fileprivate struct Source {
    let preset: Preset.Source
    let path: Steps
    let filter: (path: Steps, value: [UInt8])?
    let name, id, image, role, joinPhrase, key: [Steps]
    /// The ids of the parts of a joined name; empty if none is split.
    let partIDs: [[Steps]]
    let isElement: Bool
  }

  /// A preset: an object, since it is looked at for every document and large.
  fileprivate final class Entry: Sendable {
    let preset: Preset
    let conditions: [[(path: Steps, value: [UInt8]?, isNegated: Bool)]]
    /// The members that the document must have for the conditions to hold.
    let requiredKeys: [Int]
    let artists: [Source]
    let otherwise: [Source]
    /// Where the track itself has its title, time and picture.
    let title, played, image: [Steps]
    let namespace: Int
    /// What it reads.
    let reads: ReadTree

    fileprivate init(_ preset: Preset, _ numbers: inout PresetEvaluation.Numbering, splitsByIDs: Bool) {
      self.preset = preset
      conditions = preset.conditions.map { condition in
        condition.tests.map { (numbers.steps($0.path), $0.value.map { Array($0.utf8) }, $0.isNegated) }
      }
      requiredKeys = conditions.compactMap { tests in
        guard tests.count == 1, !tests[0].isNegated, case .member(let key) = tests[0].path.first else { return nil }
        return key
      }
      func source(_ source: Preset.Source) -> PresetEvaluation.Source {
        let partIDs = splitsByIDs ? (0...Preset.Source.joinedNamesLimit).map { source.id(at: $0) } : []
        return PresetEvaluation.Source(
          preset: source, path: numbers.steps(source.path),
          filter: source.path.filter.map { filter in
            (filter.members.map { .member(numbers.number(of: $0)) }, Array(filter.value.utf8))
          },
          name: source.name.map { numbers.steps($0) }, id: source.id.map { numbers.steps($0) },
          image: source.image.map { numbers.steps($0) }, role: source.role.map { numbers.steps($0) },
          joinPhrase: source.joinPhrase.map { [numbers.steps($0)] } ?? [], key: source.key.map { numbers.steps($0) },
          partIDs: partIDs.filter { !$0.isEmpty }.map { $0.map { numbers.steps($0) } },
          isElement: source.path.leadsToElements)
      }
      artists = preset.artists.map(source)
      otherwise = preset.otherwise.map(source)
      namespace = numbers.namespace(preset.namespace)
      (title, played) = (preset.trackTitle.map { numbers.steps($0) }, preset.playedAt.map { numbers.steps($0) })
      image = preset.trackImage.map { numbers.steps($0) }
      var reads = PresetEvaluation.ReadTree()
      for source in artists + otherwise {
        reads.add(source.path[...], containers: source.isElement)
        let filter = source.filter.map { [$0.path] } ?? []
        let credited = source.preset.credited.map { numbers.steps($0) }
        for detail in source.name + credited + source.id + source.image + source.role + source.joinPhrase + filter {
          reads.add((source.path + detail)[...])
        }
      }
      self.reads = reads
    }
  }

  /// The keys that any path names.
  let keys: [String]
  private let entries: [Entry]
  private let roots: [Steps]
  /// Where arrays of artists stand, in whose place an object counts as the only element.
  private let containers: Set<[Step]>
  private let roles: Set<ArtistRole>?

  init(_ shape: JSONShape, roles: Set<ArtistRole>?) {
    var numbers = Numbering()
    entries = shape.presets.map { Entry($0, &numbers, splitsByIDs: shape.splitsByIDs) }
    roots = shape.looksUnderRoots ? Preset.roots.map { $0.map { .member(numbers.number(of: $0)) } } : []
    containers = Set(
      entries.flatMap { $0.artists + $0.otherwise }.filter(\.isElement).map { Array($0.path.dropLast()) })
    keys = numbers.keys
    self.roles = roles
  }

  /// The name of a preset.
  func name(ofPreset number: Int) -> String { entries[number].preset.name }

  /// Finds the artists of a document, which may be a value in another one.
  func evaluate(_ tree: DocumentTree, at node: Int = 0) -> Finding {
    guard node < tree.nodes.count, tree.nodes[node].kind == .object else {
      return Finding(mentions: ArtistMentions(), shape: .notAnObject)
    }
    if let entry = match(node, in: tree, isLate: false) { return read(entry, at: node, in: tree) }
    for root in tracks(in: tree, at: node) {
      if let entry = match(root, in: tree, isLate: false) { return read(entry, at: root, in: tree) }
    }
    if let entry = match(node, in: tree, isLate: true) { return read(entry, at: node, in: tree) }
    return Finding()
  }

  /// The objects under one of the roots, in the order of the document.
  private func tracks(in tree: DocumentTree, at start: Int) -> [Int] {
    roots.compactMap { path -> Int? in
      var node = start
      for case .member(let key) in path {
        guard let member = tree.member(key, of: node) else { return nil }
        node = member
      }
      if tree.nodes[node].kind == .array {
        let elements = tree.children(of: node)
        guard elements.count == 1 else { return nil }
        node = elements[0]
      }
      return tree.nodes[node].kind == .object ? node : nil
    }.sorted()
  }

  private func match(_ root: Int, in tree: DocumentTree, isLate: Bool) -> Int? {
    entries.indices.first { number in
      let entry = entries[number]
      guard entry.preset.kind.comesLast == isLate,
        entry.requiredKeys.allSatisfy({ tree.member($0, of: root) != nil })
      else { return false }
      return entry.conditions.allSatisfy { tests in
        tests.contains { test in
          let found = values(at: test.path, from: root, in: tree)
          guard let value = test.value else { return found.isEmpty == test.isNegated }
          return found.contains { tree.text(of: $0)?.elementsEqual(value) == true }
        }
      }
    }
  }

  /// The values at a path.
  ///
  /// - Parameter prefix: The path from the root to where this one begins.
  private func values(
    at path: Steps, from node: Int, after prefix: Steps = [], in tree: DocumentTree
  ) -> [Int] {
    var found = [node]
    var way = prefix
    for step in path {
      var next: [Int] = []
      for node in found {
        let isOnlyElement = tree.nodes[node].kind == .object && containers.contains(way)
        let elements = tree.nodes[node].kind == .array ? tree.children(of: node) : isOnlyElement ? [node] : []
        switch step {
        case .member(let key): if let member = tree.member(key, of: node) { next.append(member) }
        case .every: next += elements
        case .element(let index): if index < elements.count { next.append(elements[index]) }
        case .last: if let last = elements.last { next.append(last) }
        }
      }
      found = next
      way.append(step.plain)
    }
    return found
  }

  // MARK: - Artists

  /// Finds the artists of a document that has the shape of a preset.
  func read(_ number: Int, at root: Int, in tree: DocumentTree) -> Finding {
    let entry = entries[number]
    var finding = Finding()
    (finding.preset, finding.root) = (number, root)
    finding.mentions.bytes = tree.bytes
    finding.duplicateKeyCount = entry.reads.repeatedCount(at: root, in: tree)
    guard entry.preset.kind == .track else {
      finding.shape = .otherAnswer
      return finding
    }
    for sources in [entry.artists, entry.otherwise] where finding.mentions.named.isEmpty && !finding.hasOtherRoles {
      for source in sources { collect(source, of: entry, at: root, in: tree, &finding) }
    }
    return finding
  }

  private func collect(
    _ source: Source, of entry: Entry, at root: Int, in tree: DocumentTree, _ finding: inout Finding
  ) {
    let place = source.isElement ? Array(source.path.dropLast()) : source.path
    if let container = values(at: place, from: root, in: tree).first, finding.shape == .noArtists {
      switch tree.nodes[container].kind {
      case .object: break
      case .array: finding.shape = .emptyArtists
      case .null: finding.shape = .nullArtists
      default: finding.shape = .artistsNotAnArray
      }
    }
    var isFeatured = false
    for artist in values(at: source.path, from: root, in: tree)
    where source.isElement || tree.nodes[artist].kind == .object {
      if let filter = source.filter {
        let found = values(at: filter.path, from: artist, after: source.path, in: tree).first
        guard found.flatMap(tree.text)?.elementsEqual(filter.value) == true else { continue }
      }
      let details = Details(evaluation: self, tree: tree, artist: artist, path: source.path)
      let role = role(details.text(source.role).map(tree.string), source, entry.preset, isFeatured)
      if let phrase = details.text(source.joinPhrase), Self.isFeaturing(tree.string(phrase)) { isFeatured = true }
      let key = details.text(source.key)
      let name = details.text(source.name).flatMap { cleaned($0, entry.preset, tree, &finding) }
      guard name != nil || key != nil else {
        if source.isElement { finding.mentions.addNameless() }
        if source.isElement || finding.shape == .noArtists { finding.shape = .noUsableArtist }
        continue
      }
      if let roles, !roles.contains(role ?? .main) {
        finding.hasOtherRoles = true
        if finding.shape != .noUsableArtist { finding.shape = .otherRoles }
        continue
      }
      if let name, let parts = parts(of: Array(finding.mentions.bytes[name]), source.partIDs.map { details.text($0) }) {
        finding.mentions.splitNameCount += 1
        for part in parts {
          let name = finding.mentions.append(part.name)
          finding.mentions.add(ArtistMentions.Mention(name: name, id: part.id, namespace: entry.namespace))
        }
        continue
      }
      // Of an artist of a library, the key is enough.
      var mention = ArtistMentions.Mention(
        name: name ?? details.anyText(source.name[0]), key: key, namespace: entry.namespace)
      mention.id = details.value(source.id, keepsEmpty: entry.preset.keepsEmpty, &mention.longCount)
      let image = details.value(source.image, keepsEmpty: entry.preset.keepsEmpty, &mention.longCount)
      mention.imageURL = image.flatMap { address($0, entry.preset, tree, &finding) }
      finding.mentions.add(mention)
    }
  }

  /// Splits a joined name if it has as many parts as there are ids.
  private func parts(of name: [UInt8], _ ids: [Range<Int>?]) -> [(name: [UInt8], id: Range<Int>)]? {
    let count = ids.prefix { $0 != nil }.count
    guard count > 1, ids.dropFirst(count).allSatisfy({ $0 == nil }) else { return nil }
    var open = [name[...]]
    for separator in JoinedName.separators.map({ Array($0.utf8) }) {
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
    let parts = open.map { Array($0.drop { $0 == 0x20 }) }.filter { !$0.isEmpty }
    return parts.count == count ? zip(parts, ids.compactMap { $0 }).map { ($0, $1) } : nil
  }

  private func role(_ word: String?, _ source: Source, _ preset: Preset, _ isFeatured: Bool) -> ArtistRole? {
    if isFeatured { return .featured }
    return word.map(preset.role) ?? (source.joinPhrase.isEmpty ? source.preset.fixedRole : .main)
  }

  private static func isFeaturing(_ phrase: String) -> Bool {
    phrase.lowercased().contains(/\b(feat|ft|featuring)\b/)
  }

  /// The name without what the service adds to it.
  private func cleaned(
    _ name: Range<Int>, _ preset: Preset, _ tree: DocumentTree, _ finding: inout Finding
  ) -> Range<Int>? {
    guard preset.trimsNames || preset.hasEntities else { return name }
    let text = preset.cleaned(tree.string(name))
    return text.isEmpty ? nil : finding.mentions.append(text)
  }

  private func address(
    _ image: Range<Int>, _ preset: Preset, _ tree: DocumentTree, _ finding: inout Finding
  ) -> Range<Int>? {
    guard !image.isEmpty, !preset.images.isPlain else { return image }
    return preset.images.address(tree.string(image)).map { finding.mentions.append($0) }
  }
}

extension PresetEvaluation {
  /// What a document says of the track itself.
  typealias TrackDetails = (title: [UInt8]?, played: [UInt8]?, image: [UInt8]?)

  /// Finds out what a document says of the track itself.
  func details(_ finding: Finding, in tree: DocumentTree) -> TrackDetails {
    guard let number = finding.preset, entries[number].preset.kind == .track else { return (nil, nil, nil) }
    let entry = entries[number]
    let details = Details(evaluation: self, tree: tree, artist: finding.root, path: [])
    let image = details.text(entry.image).map(tree.string).flatMap(entry.preset.images.address)
    let title = details.text(entry.title).map(tree.string).map(entry.preset.cleaned)
    return (
      title.flatMap { $0.isEmpty ? nil : Array($0.utf8) }, details.text(entry.played).map { Array(tree.bytes[$0]) },
      image.map { Array($0.utf8) }
    )
  }

  /// Looks up the details of one artist.
  private struct Details {
    let evaluation: PresetEvaluation
    let tree: DocumentTree
    let artist: Int
    let path: Steps

    /// The first text or number at a path, and whether it is too long.
    private func first(_ steps: Steps) -> (text: Range<Int>?, isTooLong: Bool) {
      for node in evaluation.values(at: steps, from: artist, after: path, in: tree) {
        switch tree.nodes[node].kind {
        case .text: return (tree.nodes[node].text, false)
        // The artist itself is a name only if it is text.
        case .number where !steps.isEmpty: return (tree.nodes[node].text, false)
        case .longText: return (nil, true)
        default: continue
        }
      }
      return (nil, false)
    }

    /// The first of several paths that leads to text that is not empty.
    func text(_ paths: [Steps]) -> Range<Int>? {
      paths.lazy.compactMap { first($0).text }.first { !$0.isEmpty }
    }

    /// The text at a path, even if it is empty.
    func anyText(_ path: Steps) -> Range<Int>? { first(path).text }

    /// An id or image; counts one that is too long.
    func value(_ paths: [Steps], keepsEmpty: Bool, _ longCount: inout Int) -> Range<Int>? {
      if let text = text(paths) { return text }
      let all = paths.map(first)
      if all.contains(where: \.isTooLong) { longCount += 1 }
      return keepsEmpty ? all.compactMap(\.text).first : nil
    }
  }

  /// Gives keys and namespaces numbers.
  fileprivate struct Numbering {
    private(set) var keys: [String] = []
    private var keyNumbers: [[UInt8]: Int] = [:]
    private var namespaces: [String: Int] = [:]

    mutating func number(of key: String) -> Int {
      let bytes = Array(key.utf8)
      if let known = keyNumbers[bytes] { return known }
      keyNumbers[bytes] = keys.count
      keys.append(key)
      return keys.count - 1
    }

    mutating func namespace(_ name: String) -> Int {
      let number = namespaces[name] ?? namespaces.count
      namespaces[name] = number
      return number
    }

    mutating func steps(_ path: JSONPath) -> Steps {
      path.steps.map { step in
        switch step {
        case .member(let name): .member(number(of: name))
        case .every, .filter: .every
        case .element(let index): .element(index)
        case .last: .last
        }
      }
    }
  }

  /// The keys that a preset reads, as a tree.
  fileprivate struct ReadTree {
    private var members: [Int: ReadTree] = [:]
    private var elements: [ReadTree] = []
    /// Whether an object here counts as the only element.
    private var takesObject = false

    mutating func add(_ path: ArraySlice<Step>, containers: Bool = false) {
      guard let step = path.first else { return }
      if case .member(let key) = step {
        members[key, default: ReadTree()].add(path.dropFirst(), containers: containers)
      } else {
        if elements.isEmpty { elements = [ReadTree()] }
        if containers, path.count == 1 { takesObject = true }
        elements[0].add(path.dropFirst(), containers: containers)
      }
    }

    /// The number of repeated keys that are read.
    func repeatedCount(at node: Int, in tree: DocumentTree) -> Int {
      switch tree.nodes[node].kind {
      case .object: members(at: node, in: tree) + (takesObject ? elements[0].members(at: node, in: tree) : 0)
      case .array:
        elements.first.map { element in
          tree.children(of: node).reduce(0) { $0 + element.repeatedCount(at: $1, in: tree) }
        } ?? 0
      default: 0
      }
    }

    private func members(at node: Int, in tree: DocumentTree) -> Int {
      var count = 0
      var seen: Set<Int> = []
      for child in tree.children(of: node) {
        guard let member = members[tree.nodes[child].key] else { continue }
        count += seen.insert(tree.nodes[child].key).inserted ? member.repeatedCount(at: child, in: tree) : 1
      }
      return count
    }
  }
}

extension PresetEvaluation.Step {
  /// The step, whichever element it chooses.
  fileprivate var plain: Self {
    if case .member = self { self } else { .every }
  }
}
