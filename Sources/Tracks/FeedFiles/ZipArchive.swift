internal import CTracksZlib
internal import MigrationDiagnostics
internal import SystemC

/// A zip archive, as services send exports: the list of its members, and the bytes of one.
struct ZipArchive {
  struct Member {
    let name: String
    fileprivate let method: UInt16
    fileprivate let isEncrypted: Bool
    fileprivate let checksum: UInt32
    fileprivate let packedSize, size, offset: UInt64
  }

  let members: [Member]
  private let descriptor: Int32
  private let name: String

  /// Reads the list, which stands at the end of the file.
  init(_ descriptor: Int32, name: String) throws(MigrationError) {
    (self.descriptor, self.name) = (descriptor, name)
    let file = FileRange(descriptor: descriptor, name: name)
    let size = try file.size()
    // Behind the record there may be a comment of 64 KiB.
    let tailStart = size > 65_557 ? size - 65_557 : 0
    let tail = try file.bytes(from: tailStart, count: size - tailStart)
    guard
      let record = (0...max(0, tail.count - 22)).reversed().first(where: { tail.starts(with: "PK\u{5}\u{6}", at: $0) }),
      tail.count >= 22
    else { throw Self.damaged(name) }
    var (count, listSize, listStart) = (
      tail.number(2, at: record + 10), tail.number(4, at: record + 12), tail.number(4, at: record + 16)
    )
    // A large archive has a second record, to which a locator leads.
    if record >= 20, tail.starts(with: "PK\u{6}\u{7}", at: record - 20) {
      let large = try file.bytes(from: tail.number(8, at: record - 12), count: 56)
      guard large.count == 56, large.starts(with: "PK\u{6}\u{6}", at: 0) else { throw Self.damaged(name) }
      (count, listSize, listStart) = (large.number(8, at: 32), large.number(8, at: 40), large.number(8, at: 48))
    }
    guard listStart <= size, listSize <= size - listStart, listSize <= 1 << 28 else { throw Self.damaged(name) }
    let list = try file.bytes(from: listStart, count: listSize)
    var members: [Member] = []
    var place = 0
    while members.count < Int(clamping: count) {
      guard place + 46 <= list.count, list.starts(with: "PK\u{1}\u{2}", at: place) else { throw Self.damaged(name) }
      let lengths = [28, 30, 32].map { Int(list.number(2, at: place + $0)) }
      let next = place + 46 + lengths.reduce(0, +)
      guard next <= list.count else { throw Self.damaged(name) }
      let extraStart = place + 46 + lengths[0]
      members.append(
        Self.member(list, at: place, nameLength: lengths[0], extra: extraStart..<(extraStart + lengths[1])))
      place = next
    }
    self.members = members
  }

  private static func member(
    _ list: [UInt8], at place: Int, nameLength: Int, extra: Range<Int>
  ) -> Member {
    // Packed size, size and offset: those that do not fit into four bytes stand in an extra field, in another order.
    var sizes = [24, 20, 42].map { list.number(4, at: place + $0) }
    var field = extra.lowerBound
    while field + 4 <= extra.upperBound {
      let fieldEnd = min(extra.upperBound, field + 4 + Int(list.number(2, at: field + 2)))
      if list.number(2, at: field) == 1 {
        var value = field + 4
        for index in 0..<3 where sizes[index] == 0xFFFF_FFFF && value + 8 <= fieldEnd {
          sizes[index] = list.number(8, at: value)
          value += 8
        }
      }
      field = fieldEnd
    }
    return Member(
      name: String(decoding: list[(place + 46)..<(place + 46 + nameLength)], as: UTF8.self),
      method: UInt16(list.number(2, at: place + 10)), isEncrypted: list.number(2, at: place + 8) & 1 != 0,
      checksum: UInt32(list.number(4, at: place + 16)), packedSize: sizes[1], size: sizes[0], offset: sizes[2])
  }

  /// The endings of names of feeds.
  private static let endings = [".json", ".ndjson", ".jsonl", ".csv", ".tsv", ".gz"]

  /// Returns the member of a name, or the only one that can be a feed.
  func feed(named wanted: String?) throws(MigrationError) -> Member {
    let feeds = members.filter { member in
      Self.endings.contains { member.name.lowercased().hasSuffix($0) } && !member.name.contains("__MACOSX/")
    }
    let candidates = wanted.map { name in members.filter { $0.name == name } } ?? feeds
    if candidates.count == 1 { return candidates[0] }
    let shown = (feeds.isEmpty ? members : feeds).prefix(10).map { "'\($0.name)'" }.joined(separator: ", ")
    let count = (feeds.isEmpty ? members : feeds).count
    let list = count > 10 ? "\(shown) and \(count - 10) more" : shown
    if let wanted {
      throw feedError(
        name, "the archive has \(candidates.isEmpty ? "no" : "more than one") member '\(wanted)'",
        "Nothing was changed. Name one of its members: \(list).")
    }
    guard !members.isEmpty else {
      throw feedError(name, "the archive is empty", "Nothing was changed. Name a feed.")
    }
    if feeds.isEmpty, let inner = members.first(where: { $0.name.lowercased().hasSuffix(".zip") }) {
      throw isNested(inner)
    }
    guard !feeds.isEmpty || !members.contains(where: { $0.name == "[Content_Types].xml" }) else {
      throw feedError(
        name, "it is a document of an office program", "Nothing was changed. Save the sheet with the tracks as CSV.")
    }
    throw feedError(
      name, feeds.isEmpty ? "the archive has no feed, but \(list)" : "the archive has \(count) files: \(list)",
      "Nothing was changed. Say which of them it is with \(.member), and import others one by one.")
  }

  /// The error of an archive in the archive.
  func isNested(_ member: Member) -> MigrationError {
    let (outer, inner) = (ErrorMessage.shellPath(name), ErrorMessage.shellWord(member.name))
    return feedError(
      name, "'\(member.name)' in it is a zip archive itself",
      "Nothing was changed. Unpack that first, with: unzip \(outer) \(inner), and import \(inner).")
  }

  func bytes(of member: Member) throws(MigrationError) -> any FeedBytes {
    let title = "\(name): \(member.name)"
    guard !member.isEncrypted else {
      throw feedError(
        name, "'\(member.name)' is encrypted", "Nothing was changed. Unpack the archive with its password first.")
    }
    guard member.method == 0 || member.method == 8 else {
      throw feedError(
        name, "'\(member.name)' is compressed by method \(member.method)",
        "Nothing was changed. Unpack the archive first, for instance with 7z.")
    }
    let file = FileRange(descriptor: descriptor, name: name)
    let header = try file.bytes(from: member.offset, count: 30)
    guard header.count == 30, header.starts(with: "PK\u{3}\u{4}", at: 0) else { throw Self.damaged(name) }
    let start = member.offset + 30 + header.number(2, at: 26) + header.number(2, at: 28)
    return try ZipMemberBytes(
      FileRange(descriptor: descriptor, name: name, place: start, end: start &+ member.packedSize), member, title)
  }

  fileprivate static func damaged(_ name: String) -> MigrationError {
    feedError(
      name, "it begins like a zip archive, but its list of members is missing or damaged",
      "Nothing was changed. Download the archive again.")
  }
}

/// A part of a file.
private final class FileRange: FeedBytes {
  private let descriptor: Int32
  private let name: String
  private var place: UInt64
  private let end: UInt64

  init(descriptor: Int32, name: String, place: UInt64 = 0, end: UInt64 = .max) {
    (self.descriptor, self.name, self.place, self.end) = (descriptor, name, place, end)
  }

  func size() throws(MigrationError) -> UInt64 {
    let size = lseek(descriptor, 0, SEEK_END)
    guard size >= 0 else {
      throw feedError(
        name, "a zip archive has its list at the end, which a pipe does not show",
        "Nothing was changed. Save it to a file, and import that.")
    }
    return UInt64(size)
  }

  func bytes(from start: UInt64, count: UInt64) throws(MigrationError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(clamping: count))
    var done = 0
    while done < bytes.count {
      let read = pread(descriptor, &bytes[done], bytes.count - done, off_t(clamping: start) + off_t(done))
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { throw ZipArchive.damaged(name) }
      done += read
    }
    return bytes
  }

  func read(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    let wanted = Int(clamping: min(UInt64(room.count), end > place ? end - place : 0))
    guard wanted > 0 else { return 0 }
    var count = -1
    repeat {
      count = pread(descriptor, room.baseAddress, wanted, off_t(clamping: place))
    } while count < 0 && errno == EINTR
    guard count > 0 else { throw feedError(name, "the archive ends in the middle of a member") }
    place += UInt64(count)
    return count
  }
}

/// The unpacked bytes of a member, whose checksum is compared at the end.
private final class ZipMemberBytes: FeedBytes {
  private let packed: FileRange
  private let member: ZipArchive.Member
  private let name: String
  private let inflation: Inflation?
  private var checksum: uLong = crc32(0, nil, 0)
  private var isComplete = false
  private var count: UInt64 = 0

  init(_ packed: FileRange, _ member: ZipArchive.Member, _ name: String) throws(MigrationError) {
    (self.packed, self.member, self.name) = (packed, member, name)
    inflation = member.method == 8 ? try Inflation(name, czlib_inflate_init_raw) : nil
  }

  func read(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    let added = try unpack(into: UnsafeMutableRawBufferPointer(rebasing: room.prefix(1 << 30)))
    checksum = crc32(checksum, room.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(added))
    count += UInt64(added)
    guard added > 0 || UInt32(truncatingIfNeeded: checksum) == member.checksum && count == member.size else {
      throw feedError(name, "its checksum is wrong", "Nothing was changed. Download the archive again.")
    }
    return added
  }

  private func unpack(into room: UnsafeMutableRawBufferPointer) throws(MigrationError) -> Int {
    guard let inflation else { return try packed.read(into: room) }
    while !isComplete {
      if inflation.needsInput, try inflation.refill(from: packed) == 0 {
        throw feedError(name, "it ends in the middle", "Nothing was changed. Download the archive again.")
      }
      let (count, isComplete) = try inflation.unpack(into: room)
      self.isComplete = isComplete
      if count > 0 { return count }
    }
    return 0
  }
}

extension [UInt8] {
  fileprivate func starts(with text: String, at place: Int) -> Bool { self[place...].starts(with: text.utf8) }

  /// A number of so many bytes, the least significant one first.
  fileprivate func number(_ byteCount: Int, at place: Int) -> UInt64 {
    self[place..<(place + byteCount)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
