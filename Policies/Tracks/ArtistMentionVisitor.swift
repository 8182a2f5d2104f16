internal import JSONStream
internal import SystemC

/// Collects the artists that a document names: `{"artists":[{"id":…,"name":…,"imageURL":…}, …]}`.
///
/// Everything else in the document is skipped. A single artist may appear without the array, and an element may be only
/// the name. If a key occurs twice, the first one is used.
final class ArtistMentionVisitor: JSONVisitor {
  /// The mentions collected from all documents since the batch was last taken.
  var batch = TrackBatch()
  /// What is wrong with `artists` in the current document, as long as it has provided no artist.
  private(set) var problem: FallbackReason = .noArtists
  private(set) var namelessArtistCount = 0
  private(set) var duplicateKeyCount = 0
  /// The number of ids and images that are too long to keep, of artists that have a name.
  private(set) var longValueCount = 0

  private enum Field { case none, id, name, imageURL }

  private let identity: ArtistIdentity

  private var depth = 0
  private var isInArtists = false
  private var hasSeenArtists = false
  /// The depth of the keys of the current artist; 0 outside an artist.
  private var artistDepth = 0
  private var field = Field.none
  private var seenFields: (id: Bool, name: Bool, imageURL: Bool) = (false, false, false)
  private var mention = TrackBatch.Mention()
  /// The number of values of that artist that are too long.
  private var longValues = 0

  init(identity: ArtistIdentity) { self.identity = identity }

  /// Starts a document.
  func begin() {
    problem = .notAnObject
    namelessArtistCount = 0
    duplicateKeyCount = 0
    longValueCount = 0
    depth = 0
    isInArtists = false
    hasSeenArtists = false
    artistDepth = 0
  }

  override func startObject() {
    depth += 1
    if depth == 1 {
      problem = .noArtists
    } else if isInArtists, artistDepth == 0, depth <= 3 {
      // The value of "artists" is an object at depth 2; an element of the array is an object at depth 3.
      artistDepth = depth
      field = .none
      seenFields = (false, false, false)
      mention = TrackBatch.Mention()
      longValues = 0
    } else if isInArtists, depth == artistDepth + 1 {
      field = .none
    }
  }

  override func endObject() {
    if depth == artistDepth, depth > 0 {
      finishArtist()
      artistDepth = 0
    }
    depth -= 1
    if depth == 1 { isInArtists = false }
  }

  override func startArray() {
    depth += 1
    if depth == 2, isInArtists {
      problem = .emptyArtists
    } else if depth == artistDepth + 1 {
      field = .none
    } else if depth == 3, isInArtists, artistDepth == 0 {
      countNamelessArtist()
    }
  }

  override func endArray() {
    depth -= 1
    if depth == 1 { isInArtists = false }
  }

  override func key(_ utf8: UnsafeRawBufferPointer) -> JSONVisit {
    if depth == 1 {
      guard utf8.matches("artists") else { return .skip }
      return enterArtists()
    }
    guard depth == artistDepth else { return .skip }
    if utf8.matches("id") { return enter(.id, &seenFields.id) }
    if utf8.matches("name") { return enter(.name, &seenFields.name) }
    if utf8.matches("imageURL") { return enter(.imageURL, &seenFields.imageURL) }
    return .skip
  }

  override func string(_ utf8: UnsafeRawBufferPointer, isTruncated: Bool) {
    scalar(isTruncated ? nil : utf8)
  }

  override func number(_ text: UnsafeRawBufferPointer) {
    // In an array of artists, a number is not a name, but as an id or a name it is accepted as written.
    if artistDepth > 0 { scalar(text) } else { other(.artistsNotAnArray) }
  }

  override func boolean(_ value: Bool) {
    other(.artistsNotAnArray)
  }

  override func null() {
    other(.nullArtists)
  }

  private func enterArtists() -> JSONVisit {
    guard !hasSeenArtists else {
      duplicateKeyCount += 1
      return .skip
    }
    hasSeenArtists = true
    isInArtists = true
    return .enter
  }

  private func enter(_ field: Field, _ seen: inout Bool) -> JSONVisit {
    guard !seen else {
      duplicateKeyCount += 1
      return .skip
    }
    seen = true
    self.field = field
    return .enter
  }

  /// Handles text where it is expected; `nil` stands for text that is too long to keep.
  private func scalar(_ utf8: UnsafeRawBufferPointer?) {
    guard isInArtists else { return }
    if depth == artistDepth {
      guard let utf8 else {
        if field == .id || field == .imageURL { longValues += 1 }
        return field = .none
      }
      switch field {
      case .id: mention.id = store(utf8)
      case .name: mention.name = store(utf8)
      case .imageURL: mention.imageURL = store(utf8)
      case .none: break
      }
      field = .none
    } else if depth == 2, artistDepth == 0 {
      mention = TrackBatch.Mention()
      longValues = 0
      if let utf8 { mention.name = store(utf8) }
      finishArtist()
    } else if depth == 1 {
      other(.artistsNotAnArray)
    }
  }

  /// Handles a value that is not text.
  private func other(_ problemAtTop: FallbackReason) {
    guard isInArtists else { return }
    if depth == 1 {
      problem = problemAtTop
      isInArtists = false
    } else if depth == artistDepth {
      field = .none
    } else if depth == 2, artistDepth == 0 {
      countNamelessArtist()
    }
  }

  private func finishArtist() {
    if mention.name.count > 0 {
      batch.append(mention, identity)
      longValueCount += longValues
    } else {
      countNamelessArtist()
    }
  }

  private func countNamelessArtist() {
    namelessArtistCount += 1
    problem = .noUsableArtist
  }

  private func store(_ utf8: UnsafeRawBufferPointer) -> TrackBatch.Text {
    let start = batch.bytes.count
    batch.bytes.append(utf8)
    return TrackBatch.Text(start: start, count: utf8.count)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these are the bytes of an ASCII text.
  @inline(__always)
  func matches(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    let other = text.utf8Start
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// Whether these bytes equal others.
  func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard count > 0, let bytes = baseAddress, let otherBytes = other.baseAddress else { return true }
    return memcmp(bytes, otherBytes, count) == 0
  }

  /// The text, or the beginning of one too long to be read to its end.
  var excerpt: String {
    let limit = 1000
    return String(decoding: prefix(limit), as: UTF8.self) + (count > limit ? "…" : "")
  }
}

/// The bytes of the texts of one batch, one after the other.
///
/// For an array stored in a class, every access would check for exclusivity, and handing on a batch would copy it. One
/// thread fills an arena and then hands it on with its batch; it never changes after that.
final class ByteArena: @unchecked Sendable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 1 << 12) {
    self.capacity = capacity
    start = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { start.deallocate() }

  /// The bytes of a range, which always have a base address.
  ///
  /// They are valid as long as the arena exists, until more bytes are added.
  subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    UnsafeMutableRawBufferPointer(start: start + count, count: bytes.count).copyMemory(from: bytes)
    count += bytes.count
  }

  func append(_ byte: UInt8) {
    reserve(1)
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends a copy of bytes that are already in the arena.
  func appendCopy(of range: Range<Int>) {
    reserve(range.count)
    append(self[range])
  }

  /// Removes all bytes from an offset on.
  func removeAll(from end: Int) { count = min(count, end) }

  private func reserve(_ additional: Int) {
    guard capacity - count < additional else { return }
    capacity = max(capacity * 2, count + additional)
    let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    new.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = new
  }
}
