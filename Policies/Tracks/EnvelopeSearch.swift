internal import JSONPresets
internal import JSONStream

/// Looks for the only track inside a document that no preset knows, whatever the names around it.
///
/// Services wrap what they answer in objects and in lists of one element, with names of their own. Here every object is
/// compared with the presets, which takes long: only documents that nothing else explains are read again in this way.
final class EnvelopeSearch: JSONVisitor {
  /// An object that is compared with the presets.
  final class Candidate {
    var track: InnerTrack
    /// The objects around it, from the inside out, that may say when it was played.
    var outer: [Candidate] = []

    init(_ trie: PresetTrie, _ arena: ByteArena) { track = InnerTrack(PresetMatcher(trie, arena: arena)) }
  }

  /// An open array or object.
  private struct Level {
    let isArray: Bool
    /// Whether it is in an array of several elements, none of which is the only one.
    var isCrowded: Bool
    /// Whether it is compared with the presets.
    let isCandidate: Bool
    /// The number of tracks that had been found where it began.
    let foundCount: Int
    var elementCount = 0
  }

  private let trie: PresetTrie
  private let limits: JSONStreamLimits
  private lazy var parser = JSONStreamParser(visitor: self, limits: limits)
  private var arena = ByteArena()
  /// The member of a line that is the document; `nil` if the whole line is.
  private var member: [UInt8]?
  private var levels: [Level] = []
  private var open: [Candidate] = []
  private var free: [Candidate] = []
  /// The tracks that may be the only one; of several, two say as much as all.
  private var found: [Candidate] = []
  /// Whether the document itself names a title or an artist, whose track is not another one inside.
  private var namesItself = false
  private var isAtWord = false
  /// Whether what is read is in the document, where only a member of a line is.
  private var isInDocument = false
  /// Whether that member has come, and its value comes next.
  private var (hasMember, isAtMember) = (false, false)

  /// The names of members that say what a document itself is about.
  private static let words = Set(Envelopes.exclusions.map { Array($0.utf8) })

  init(_ trie: PresetTrie, limits: JSONStreamLimits = JSONStreamLimits()) {
    (self.trie, self.limits) = (trie, limits)
  }

  /// Looks for a track in a document.
  ///
  /// - Parameters:
  ///   - arena: Where its texts go.
  ///   - member: The member that is the document, if it is in a line.
  func track(
    in document: UnsafeRawBufferPointer, _ arena: ByteArena, member: String? = nil
  ) -> Candidate? {
    guard document.count <= Envelopes.sizeLimit else { return nil }
    begin(arena, member: member)
    do { try parser.parse(document) } catch { return nil }
    return only
  }

  /// The same for a document whose pieces are handed to the closure that `body` is called with.
  func track<Failure: Error>(
    _ arena: ByteArena, inPieces body: ((UnsafeRawBufferPointer) -> Void) throws(Failure) -> Void
  ) throws(Failure) -> Candidate? {
    begin(arena, member: nil)
    parser.begin()
    var (size, isBroken) = (0, false)
    try body { piece in
      size += piece.count
      // What is broken or too large is read no further.
      guard !isBroken, size <= Envelopes.sizeLimit else { return isBroken = true }
      isBroken = (try? self.parser.append(piece)) == nil
    }
    guard !isBroken, (try? parser.finish()) != nil else { return nil }
    return only
  }

  private var only: Candidate? { found.count == 1 && !namesItself ? found[0] : nil }

  private func begin(_ arena: ByteArena, member: String?) {
    (self.arena, self.member) = (arena, member.map { Array($0.utf8) })
    startOver()
  }

  override var canStartOver: Bool { true }

  override func startOver() {
    (open + found).forEach(release)
    (levels, open, found) = ([], [], [])
    (namesItself, isAtWord, isInDocument) = (false, false, member == nil)
    (hasMember, isAtMember) = (false, false)
  }

  // MARK: - Events

  override func startObject() { start(isObject: true) }
  override func startArray() { start(isObject: false) }
  override func endObject() { end() }
  override func endArray() { end() }
  override func number(_ text: UnsafeRawBufferPointer) { scalar(.number, text) }
  override func null() { scalar(.null, nil) }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {
    if isAtWord { namesItself = true }
    scalar(.text, isTruncated || utf8.count > FeedLineReader.longText ? nil : utf8)
  }

  override func boolean(_ value: Bool) { PresetMatcher.withText(of: value) { scalar(.boolean, $0) } }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    if !isInDocument, levels.isEmpty {
      // Of two equal keys, the first one counts.
      guard let member, !hasMember, utf8.elementsEqual(member) else { return .skip }
      (hasMember, isAtMember) = (true, true)
      return .enter
    }
    isAtWord = levels.count == 1 && Self.words.contains(Array(utf8.prefix(64)))
    for candidate in open { _ = candidate.track.key(utf8) }
    return .enter
  }

  private func start(isObject: Bool) {
    guard isInDocument else {
      // The line itself is no level, and its member is the first.
      guard isAtMember else { return }
      (isInDocument, isAtMember) = (true, false)
      return push(isObject: isObject)
    }
    push(isObject: isObject)
  }

  private func push(isObject: Bool) {
    isAtWord = false
    countElement()
    for candidate in open { candidate.track.start(isObject: isObject) }
    let isCrowded = levels.last?.isCrowded ?? false
    let isCandidate = isObject && !isCrowded && 1...Envelopes.depth ~= levels.count
    levels.append(
      Level(isArray: !isObject, isCrowded: isCrowded, isCandidate: isCandidate, foundCount: found.count))
    guard isCandidate else { return }
    let candidate = free.popLast() ?? Candidate(trie, arena)
    candidate.track.matcher.arena = arena
    candidate.track.clear()
    candidate.track.begin(at: 0)
    open.append(candidate)
  }

  /// Notes a further element of an array, after which none is the only one.
  private func countElement() {
    guard let last = levels.indices.last, levels[last].isArray else { return }
    levels[last].elementCount += 1
    guard levels[last].elementCount == 2 else { return }
    levels[last].isCrowded = true
    forgetFound(from: levels[last].foundCount)
  }

  private func forgetFound(from count: Int) {
    found[count...].forEach(release)
    found.removeSubrange(count...)
  }

  private func release(_ candidate: Candidate) {
    free += candidate.outer + [candidate]
    candidate.outer = []
  }

  private func end() {
    guard isInDocument, let level = levels.popLast() else { return }
    for candidate in open { candidate.track.end() }
    if level.isCandidate { judge(open.removeLast(), foundCount: level.foundCount) }
    if levels.isEmpty { isInDocument = false }
  }

  /// Keeps an object that is a track, or forgets what was found in one that is something else.
  private func judge(_ candidate: Candidate, foundCount: Int) {
    candidate.track.matchInside()
    guard let number = candidate.track.preset else {
      // It says when its only track was played, perhaps.
      guard found.count == foundCount + 1 else { return release(candidate) }
      return found[foundCount].outer.append(candidate)
    }
    forgetFound(from: foundCount)
    let isFurther = trie.entries[number].preset.kind == .track && found.count < 2
    if isFurther { found.append(candidate) } else { release(candidate) }
  }

  private func scalar(_ kind: PresetMatcher.Kind, _ utf8: UnsafeRawBufferPointer?) {
    isAtWord = false
    isAtMember = false
    guard isInDocument else { return }
    countElement()
    for candidate in open { candidate.track.scalar(kind, utf8) }
  }
}
