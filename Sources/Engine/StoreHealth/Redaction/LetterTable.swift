/// The letters that stand for each other, by script.
///
/// A letter is replaced by one of the same alphabet: of the same script, as many bytes in UTF-8 and units in UTF-16, and in
/// the same case. Two letters that differ in case only count as one, so that words that are equal but for case stay so.
final class LetterTable {
  /// A letter's place in its alphabet.
  struct Letter: Hashable {
    var alphabet: Int32
    var value: Int32
    var isUppercase: Bool
  }

  /// The meaning of a character in a word.
  enum Meaning: Hashable {
    case letter(Letter)
    /// A mark that belongs to the letter before it, and stays.
    case mark
    /// A character between words, which stays.
    case other
  }

  /// The letters of an alphabet by their values: in lower case, and in upper case where there are two.
  private struct Alphabet {
    var lower: [UInt32]
    var upper: [UInt32] = []
  }

  static let asciiLetters: Int32 = 0
  static let asciiDigits: Int32 = 1
  /// The bytes of short data.
  static let bytes: Int32 = 2

  // Read for each character of a store: checks for overlapping accesses would take longer.
  @exclusivity(unchecked) private var alphabets: [Alphabet]
  /// The meanings of the characters of a block, by its first character.
  @exclusivity(unchecked) private var blocks: [UInt32: [Meaning]] = [:]
  private let ascii: [Meaning]

  init() {
    alphabets = [
      Alphabet(lower: Array(0x61...0x7A), upper: Array(0x41...0x5A)), Alphabet(lower: Array(0x30...0x39)),
      Alphabet(lower: Array(0...0xFF)),
    ]
    ascii = (0..<0x80 as Range<UInt32>).map { value in
      switch value {
      case 0x30...0x39: .letter(Letter(alphabet: Self.asciiDigits, value: Int32(value - 0x30), isUppercase: false))
      case 0x41...0x5A: .letter(Letter(alphabet: Self.asciiLetters, value: Int32(value - 0x41), isUppercase: true))
      case 0x61...0x7A: .letter(Letter(alphabet: Self.asciiLetters, value: Int32(value - 0x61), isUppercase: false))
      default: .other
      }
    }
  }

  /// The number of letters of an alphabet.
  @inline(__always)
  func count(_ alphabet: Int32) -> Int32 { Int32(alphabets[Int(alphabet)].lower.count) }

  /// A number by which an alphabet is known in each run: its first character.
  func name(_ alphabet: Int32) -> UInt64 { UInt64(alphabets[Int(alphabet)].lower.first ?? 0) }

  /// The character that is a letter.
  func scalar(_ letter: Letter) -> UInt32 {
    let alphabet = alphabets[Int(letter.alphabet)]
    return letter.isUppercase ? alphabet.upper[Int(letter.value)] : alphabet.lower[Int(letter.value)]
  }

  /// The meaning of a character.
  @inline(__always)
  func meaning(_ scalar: UInt32) -> Meaning {
    if scalar < 0x80 { return ascii[Int(scalar)] }
    let start = Self.block(scalar).lowerBound
    if let block = blocks[start] { return block[Int(scalar - start)] }
    return makeBlock(scalar)
  }

  /// The characters among which one is replaced: a part of its script whose characters have as many bytes.
  private static func block(_ scalar: UInt32) -> Range<UInt32> {
    for block in largeBlocks where block.contains(scalar) { return block }
    return scalar & ~0x7F..<(scalar & ~0x7F) + 0x80
  }

  /// The blocks of scripts with many letters, and of those that do not begin at a multiple of 128.
  private static let largeBlocks: [Range<UInt32>] = [
    0x3041..<0x3097, 0x30A1..<0x30FB, 0x3400..<0x4DC0, 0x4E00..<0xA000, 0xAC00..<0xD7A4, 0x20000..<0x2A6E0,
  ]

  /// Characters that are none of letters and digits, and write text nevertheless: in circles and squares, as radicals, in
  /// Braille, as flags, unseen, or as an app's own.
  private static let textRanges: [ClosedRange<UInt32>] = [
    0x2100...0x2121, 0x2123...0x214F, 0x249C...0x24B5, 0x24B6...0x24CF, 0x24D0...0x24E9, 0x24EA...0x24FF,
    0x2800...0x28FF, 0x2E80...0x2FD5, 0x3190...0x319F, 0x3200...0x33FF, 0xE000...0xF8FF, 0x1F100...0x1F12F,
    0x1F130...0x1F149, 0x1F14A...0x1F16F, 0x1F170...0x1F189, 0x1F18A...0x1F1E5, 0x1F1E6...0x1F1FF, 0x1F200...0x1F2FF,
    0xE0020...0xE007E, 0xE0100...0xE01EF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD,
  ]

  /// The characters that stand for each other within a block.
  private struct Group: Hashable {
    let category: Unicode.GeneralCategory
    /// The number of their range, for characters that are not letters or digits.
    var range: Int?
  }

  /// The group of a character; `nil` if it stays.
  private static func group(_ scalar: Unicode.Scalar) -> Group? {
    let category = scalar.properties.generalCategory
    switch category {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber:
      return Group(category: category)
    case .letterNumber, .otherNumber, .otherSymbol, .format, .privateUse, .nonspacingMark:
      let range = textRanges.firstIndex { $0.contains(scalar.value) }
      let isNumber = category == .letterNumber || category == .otherNumber
      return range != nil || isNumber ? Group(category: category, range: range) : nil
    default: return nil
    }
  }

  @inline(never)
  private func makeBlock(_ scalar: UInt32) -> Meaning {
    let block = Self.block(scalar)
    var meanings = [Meaning](repeating: .other, count: block.count)
    // Characters of a larger block inside a small one are looked up there.
    let members = block.compactMap { value in
      Self.block(value) == block ? Unicode.Scalar(value).map { ($0, $0.properties.generalCategory) } : nil
    }
    var pairs = Alphabet(lower: [])
    var groups: [Group: Alphabet] = [:]
    var numbers: [(value: UInt32, group: Group?, place: Int, isUppercase: Bool)] = []
    for (scalar, category) in members {
      if category == .lowercaseLetter, let upper = Self.uppercase(scalar, in: block) {
        numbers.append((scalar.value, nil, pairs.lower.count, false))
        numbers.append((upper, nil, pairs.lower.count, true))
        pairs.lower.append(scalar.value)
        pairs.upper.append(upper)
      } else if category == .uppercaseLetter, Self.isOfPair(scalar, in: block) {
        continue
      } else if let group = Self.group(scalar) {
        numbers.append((scalar.value, group, groups[group]?.lower.count ?? 0, false))
        groups[group, default: Alphabet(lower: [])].lower.append(scalar.value)
      } else if [.nonspacingMark, .spacingMark, .enclosingMark].contains(category) {
        meanings[Int(scalar.value - block.lowerBound)] = .mark
      }
    }
    var places: [Group?: Int32] = [:]
    if !pairs.lower.isEmpty { places[nil] = add(pairs) }
    // Whatever their order: an alphabet is known by its first character.
    for (group, alphabet) in groups { places[group] = add(alphabet) }
    for number in numbers {
      guard let alphabet = places[number.group] else { continue }
      meanings[Int(number.value - block.lowerBound)] = .letter(
        Letter(alphabet: alphabet, value: Int32(number.place), isUppercase: number.isUppercase))
    }
    blocks[block.lowerBound] = meanings
    return meanings[Int(scalar - block.lowerBound)]
  }

  private func add(_ alphabet: Alphabet) -> Int32 {
    alphabets.append(alphabet)
    return Int32(alphabets.count - 1)
  }

  /// The letter in upper case, if that is one character of the same block, and leads back.
  private static func uppercase(_ scalar: Unicode.Scalar, in block: Range<UInt32>) -> UInt32? {
    let upper = scalar.properties.uppercaseMapping.unicodeScalars
    guard upper.count == 1, let other = upper.first, other != scalar, block.contains(other.value),
      other.properties.generalCategory == .uppercaseLetter, Self.block(other.value) == block
    else { return nil }
    let back = other.properties.lowercaseMapping.unicodeScalars
    return back.count == 1 && back.first == scalar ? other.value : nil
  }

  private static func isOfPair(_ scalar: Unicode.Scalar, in block: Range<UInt32>) -> Bool {
    let lower = scalar.properties.lowercaseMapping.unicodeScalars
    guard lower.count == 1, let other = lower.first, block.contains(other.value) else { return false }
    return uppercase(other, in: block) == scalar.value
  }
}
