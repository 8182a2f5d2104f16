internal import MigrationDiagnostics

/// The tracks of a JSON list, each in a line of its own.
///
/// Only what stands around the elements is understood here. An element that is not JSON is passed on, so that it is
/// rejected like a bad line.
final class ListLines: MadeBytes {
  private let source: any FeedBytes
  private let name: String
  /// The members that lead to the list; without any, each value is a track or a list of tracks.
  private let path: [[UInt8]]
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var (place, end, offset) = (0, 0, 0)
  /// The number of elements so far.
  private var elementCount = 0
  /// The lists of objects beside the path, which are passed over.
  private(set) var otherLists: Set<String> = []

  /// The number of objects and arrays that are open.
  private var depth = 0
  /// The number of members of the path that the open objects have.
  ///
  /// If it is `depth`, the value of the last one follows.
  private var matched = 0
  private var (isInList, hasFoundList) = (false, false)
  /// The value of `depth` outside of the element that is being read.
  private var elementDepth: Int?
  /// Whether the element is a number or a word, which ends before what follows it.
  private var isWord = false
  private var (isInString, isEscaped) = (false, false)
  /// The token before the next element.
  private enum Before { case bracket, comma, element }
  private var before = Before.bracket
  /// The last text outside of elements, and whether an array of this name has just begun.
  private var key: [UInt8] = []
  private var beginsArray = false

  init(_ source: any FeedBytes, name: String, path: [String]) {
    (self.source, self.name, self.path) = (source, name, path.map { Array($0.utf8) })
  }

  deinit { input.deallocate() }

  override func make() throws(MigrationError) {
    while output.isEmpty {
      if place == end {
        offset += end
        (place, end) = (0, try source.read(into: input))
        if end == 0 { return try finish() }
      }
      while place < end { try take(input[place]) }
    }
  }

  /// Ends the last word, or says that something is missing.
  private func finish() throws(MigrationError) {
    guard depth == 0, elementDepth == nil || isWord else {
      throw feedError(name, "its JSON ends in the middle, \(whereabouts)", Self.advice)
    }
    if elementDepth != nil { endElement() }
  }

  /// A text outside of elements is kept so far: a name that matters is shorter.
  private static let longestKey = 1000
  private static let otherListsLimit = 100

  private static let advice: Advice =
    "Nothing was changed. Export or fetch it again, or look for the place with: jq empty FILE"

  private var whereabouts: String {
    elementCount == 0 ? "before the first track" : "after \(elementCount) \(elementCount == 1 ? "track" : "tracks")"
  }

  private func unexpected(_ byte: UInt8) -> MigrationError {
    let shown = (0x21..<0x7F).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "a byte \(byte)"
    return feedError(
      name, "it is not JSON: there is \(shown) at byte \(offset + place + 1), \(whereabouts)", Self.advice)
  }

  /// Takes the next byte, unless it ends a word: then it is taken next time.
  private func take(
    _ byte: UInt8
  ) throws(MigrationError) {
    if elementDepth != nil {
      takeInElement(byte)
      return
    }
    if isInString {
      takeInString(byte)
      if isInString, key.count < Self.longestKey { key.append(byte) }
    } else if !ListFinder.isSpace(byte) {
      if isInList && depth == path.count + 1 {
        try takeInList(byte)
      } else if depth == 0 && path.isEmpty && byte != UInt8(ascii: "[") {
        beginElement(byte)
      } else {
        try takeOutside(byte)
      }
    }
    place += 1
  }

  private func takeInString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
    }
  }

  private func takeInList(
    _ byte: UInt8
  ) throws(MigrationError) {
    switch byte {
    case UInt8(ascii: ","):
      guard before == .element else { throw unexpected(byte) }
      before = .comma
    case UInt8(ascii: "]"):
      guard before != .comma else { throw unexpected(byte) }
      isInList = false
      depth -= 1
    default:
      guard before != .element, byte != UInt8(ascii: "}"), byte != UInt8(ascii: ":") else { throw unexpected(byte) }
      beginElement(byte)
    }
  }

  private func takeOutside(_ byte: UInt8) throws(MigrationError) {
    let beginsObjectInArray = beginsArray && byte == UInt8(ascii: "{")
    beginsArray = false
    switch byte {
    case UInt8(ascii: "\""):
      (isInString, key) = (true, [])
    case UInt8(ascii: ":"):
      if depth == matched + 1, matched < path.count, key == path[matched] { matched += 1 }
    case UInt8(ascii: ","):
      guard depth > 0 else { throw unexpected(byte) }
      if matched == depth { matched -= 1 }
    case UInt8(ascii: "{"):
      if beginsObjectInArray, otherLists.count < Self.otherListsLimit {
        otherLists.insert(String(decoding: key, as: UTF8.self))
      }
      if depth == 0 { hasFoundList = false }
      depth += 1
    case UInt8(ascii: "["):
      if depth == matched, matched == path.count {
        (isInList, hasFoundList, before) = (true, true, .bracket)
      } else {
        guard depth > 0 else { throw unexpected(byte) }
        beginsArray = depth == matched + 1
      }
      depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard depth > 0 else { throw unexpected(byte) }
      depth -= 1
      matched = min(matched, depth)
      guard depth > 0 || hasFoundList || path.isEmpty else {
        let words = path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
        throw feedError(name, "a page of it lacks the list '\(words)', \(whereabouts)", Self.advice)
      }
    default: guard depth > 0 else { throw unexpected(byte) }
    }
  }

  private func beginElement(_ byte: UInt8) {
    elementDepth = depth
    isWord = false
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "\""): isInString = true
    default: isWord = true
    }
    output.append(byte)
  }

  private func takeInElement(_ byte: UInt8) {
    if isWord, ListFinder.isSpace(byte) || ",]".utf8.contains(byte) {
      endElement()
      return
    }
    // A line break stands between tokens, or makes a text no JSON, as other control characters do.
    output.append(byte == 0x0A ? (isInString ? 0x01 : 0x20) : byte)
    place += 1
    if isInString {
      takeInString(byte)
    } else {
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: return
      }
    }
    if !isInString, !isWord, depth == elementDepth { endElement() }
  }

  private func endElement() {
    output.append(0x0A)
    (elementDepth, before, isWord, isInString) = (nil, .element, false, false)
    elementCount += 1
  }
}
