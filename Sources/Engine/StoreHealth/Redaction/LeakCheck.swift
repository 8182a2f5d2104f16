/// Finds words of a store in its redacted copy.
///
/// A word is a run of letters and digits with at least four letters; case does not count. While values are replaced, their
/// words are noted, and each has to change where it stands. When the file is complete, everything in it is read once more,
/// by code that knows nothing of the replacement: no word of the store may be there that the replacement has not made of
/// another one. A schema's names, keys of JSON and what a person wants to keep are words that may stay.
struct LeakCheck {
  /// The words of the values that were to be replaced.
  private var source = WordSample()
  /// The words that may stand in the copy.
  private var result = WordSample()
  private let letters: LetterTable

  /// The number of letters from which on a word counts.
  static let letterCount = 4

  /// The number of letters and digits from which on a word counts that is found in the bytes of the file.
  ///
  /// There, words are cut where pages end, and run together where values meet. A short one would be one of the store by
  /// chance.
  static let byteCount = 10

  init(_ letters: LetterTable) { self.letters = letters }

  /// Notes a value that was replaced.
  ///
  /// - Parameter kept: The parts that stay by intention, in their order.
  /// - Returns: Whether each of its other words has changed.
  mutating func note(_ value: [UInt8], replacedBy other: [UInt8], kept: [Range<Int>]) -> Bool {
    var isChanged = value.count == other.count
    var next = 0
    WordScan.forEach(in: value, letters) { word in
      source.insert(word.hash)
      // The rest of `pr\u00e9sent` is replaced with the whole, and can be what it was by chance.
      guard isChanged, !word.isPart || word.range.count >= Self.byteCount,
        value[word.range].elementsEqual(other[word.range])
      else { return }
      // Words and parts are in the same order: a document can have very many of both.
      while next < kept.count, kept[next].upperBound <= word.range.lowerBound { next += 1 }
      isChanged = next < kept.count && kept[next].overlaps(word.range)
    }
    allow(other)
    return isChanged
  }

  /// Notes a text that was left out.
  mutating func seek(_ value: [UInt8]) {
    WordScan.forEach(in: value, letters) { source.insert($0.hash) }
  }

  /// Notes a value that may stand in the copy.
  mutating func allow(_ value: [UInt8]) {
    WordScan.forEach(in: value, letters) { result.insert($0.hash) }
  }

  /// Whether a value of the copy has a word of the store that nothing explains.
  func finds(in value: [UInt8]) -> Bool { finds(in: value, from: 0) }

  /// Whether a part of the file has such a word.
  ///
  /// - Parameter hasZeros: Whether letters of ASCII have zeros beside them, as in UTF-16.
  func finds(inFile bytes: [UInt8], hasZeros: Bool) -> Bool {
    finds(in: hasZeros ? bytes.filter { $0 != 0 } : bytes, from: Self.byteCount)
  }

  private func finds(in value: [UInt8], from count: Int) -> Bool {
    var isFound = false
    WordScan.forEach(in: value, letters) { word in
      if !isFound, word.range.count >= count, source.contains(word.hash), !result.mayContain(word.hash) {
        isFound = true
      }
    }
    return isFound
  }
}

/// The words of a store: all of them, or of very many a part that is chosen by their hashes.
private struct WordSample {
  private var words: Set<UInt64> = []
  /// The bits that the hash of a chosen word does not have.
  private var mask: UInt64 = 0

  private static let limit = 1 << 22

  mutating func insert(_ word: UInt64) {
    guard word & mask == 0, words.insert(word).inserted, words.count > Self.limit else { return }
    mask = mask << 1 | 1
    words = words.filter { $0 & mask == 0 }
  }

  func contains(_ word: UInt64) -> Bool { words.contains(word) }

  /// Whether a word is in the sample, or would not be if it had been inserted.
  func mayContain(_ word: UInt64) -> Bool { word & mask != 0 || words.contains(word) }
}

/// Finds the words in the bytes of a value.
enum WordScan {
  /// A word.
  struct Word {
    let range: Range<Int>
    /// The same for words that are equal but for case.
    let hash: UInt64
    /// Whether it may be a part of a longer word, since a spelled-out letter is beside it.
    let isPart: Bool
  }

  /// Calls back with each word of at least four letters.
  ///
  /// A backslash and what it escapes stand between words, and so does a byte that is spelled with a percent sign: whether a
  /// value is JSON or an address is not known here.
  static func forEach(in bytes: [UInt8], _ letters: LetterTable, _ body: (Word) -> Void) {
    var (place, start, count, hash) = (0, -1, 0, initialHash)
    var (followsSpelling, isPart) = (false, false)
    func end(_ place: Int, isPart: Bool) {
      if count >= LeakCheck.letterCount { body(Word(range: start..<place, hash: mixed(hash), isPart: isPart)) }
      (start, count, hash) = (-1, 0, initialHash)
    }
    while place < bytes.count {
      let byte = bytes[place]
      var (meaning, length, isSpelling) = (LetterTable.Meaning.other, 1, false)
      if byte < 0x80 {
        if byte == UInt8(ascii: "\\") {
          length = escapeLength(bytes, place)
          isSpelling = length > 1 && Redactor.isWordByte(bytes[place + 1])
        } else if byte == UInt8(ascii: "%"), place + 3 <= bytes.count, let code = Redactor.hex(bytes, place + 1, 2) {
          (length, isSpelling) = (3, Redactor.isWordByte(UInt8(truncatingIfNeeded: code)))
        } else {
          meaning = letters.meaning(UInt32(byte))
        }
      } else if let (scalar, bytesCount) = UTF8Scan.scalar(bytes, place, bytes.count) {
        (meaning, length) = (letters.meaning(scalar), bytesCount)
      }
      switch meaning {
      case .letter(let letter):
        if start < 0 { (start, isPart) = (place, followsSpelling) }
        // Letters that have no others cannot change.
        if letter.alphabet != LetterTable.asciiDigits, letters.count(letter.alphabet) > 1 { count += 1 }
        hash = (hash ^ (letters.name(letter.alphabet) << 16 ^ UInt64(UInt32(letter.value)))) &* 0x100_0000_01B3
      case .mark: break
      case .other: if start >= 0 { end(place, isPart: isPart || isSpelling) }
      }
      followsSpelling = isSpelling
      place += length
    }
    if start >= 0 { end(bytes.count, isPart: isPart) }
  }

  private static let initialHash: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The low bits of the hash decide which words are chosen.
  private static func mixed(_ hash: UInt64) -> UInt64 {
    var hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }

  private static func escapeLength(_ bytes: [UInt8], _ place: Int) -> Int {
    guard place + 6 <= bytes.count, bytes[place + 1] == UInt8(ascii: "u"), Redactor.hex(bytes, place + 2, 4) != nil
    else {
      return min(2, bytes.count - place)
    }
    return 6
  }
}
