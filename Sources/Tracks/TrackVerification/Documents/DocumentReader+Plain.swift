internal import Verification

// Hot: nearly all of every document passes through here. Indices cannot overflow because they are below the length of a
// buffer.

extension DocumentReader {
  /// Reads on token by token, as long as these are whole and each of their bytes stands for itself.
  ///
  /// Whatever else there is, and all that is broken, is left to the automaton: this stops in front of it, in the state in
  /// which that goes on.
  ///
  /// - Parameter bytes: A piece that is not longer than text may be.
  mutating func readPlainTokens(_ bytes: DocumentPiece, _ index: inout Int) {
    switch place {
    case .value:
      index = bytes.endOfSpace(from: index)
      if readPlainValue(bytes, &index) { readPlainRest(bytes, &index) }
    case .commaOrEnd: readPlainRest(bytes, &index)
    default: break
    }
  }

  /// Reads what follows a value: others, and the ends of what it is in.
  private mutating func readPlainRest(_ bytes: DocumentPiece, _ index: inout Int) {
    while place == .commaOrEnd {
      index = bytes.endOfSpace(from: index)
      guard index < bytes.count else { return }
      let byte = bytes[index]
      if byte == UInt8(ascii: ",") {
        index = bytes.endOfSpace(from: index &+ 1)
        if level.isArray {
          (place, isWanted, keyNumber) = (.value, level.node >= 0, -1)
        } else {
          place = .key
          guard readPlainKey(bytes, &index) else { return }
        }
        guard readPlainValue(bytes, &index) else { return }
      } else if byte == level.end {
        index &+= 1
        endLevel(byte)
      } else {
        return
      }
    }
  }

  /// Reads a key and the colon after it.
  private mutating func readPlainKey(_ bytes: DocumentPiece, _ index: inout Int) -> Bool {
    guard let text = bytes.plainString(at: index) else { return false }
    endKey(level.node < 0 ? nil : tree.number(of: bytes[text]))
    index = bytes.endOfSpace(from: text.upperBound &+ 1)
    guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return false }
    index = bytes.endOfSpace(from: index &+ 1)
    place = .value
    return true
  }

  /// Reads a value, of an array or object that is not empty up to the end of the first value in it that has none.
  private mutating func readPlainValue(_ bytes: DocumentPiece, _ index: inout Int) -> Bool {
    while index < bytes.count {
      isBlank = false
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = bytes.plainString(at: index) else { return false }
        if isWanted { add(.text, bytes[text]) }
        index = text.upperBound &+ 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        beginValue(byte)
        index = bytes.endOfSpace(from: index &+ 1)
        guard index < bytes.count, place != .broken else { return false }
        let end = byte &+ 2
        if bytes[index] == end {
          index &+= 1
          endLevel(end)
          return true
        }
        guard place == .elementOrEnd || readPlainKey(bytes, &index) else { return false }
        place = .value
        continue
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard let end = bytes.endOfPlainNumber(from: index) else { return false }
        if isWanted { add(.number, bytes[index..<end]) }
        index = end
      default:
        guard let (kind, length) = bytes.plainLiteral(at: index) else { return false }
        if isWanted { tree.add(kind, key: keyNumber) }
        index &+= length
      }
      place = outerLevels.isEmpty ? .end : .commaOrEnd
      return true
    }
    return false
  }

  private mutating func add(_ kind: DocumentTree.Kind, _ text: UnsafeRawBufferPointer) {
    let start = tree.bytes.count
    tree.bytes.append(contentsOf: text)
    tree.add(kind, key: keyNumber, start..<tree.bytes.count)
  }
}
