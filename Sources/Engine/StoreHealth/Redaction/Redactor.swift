internal import PersistentStore
internal import PropertyListFormat

/// Replaces values by others that tell no more than their shape.
///
/// - Text is replaced letter by letter, a word at a time: length, case, script and punctuation stay, and equal words stay
///   equal, whatever text they stand in.
/// - In JSON, keys and structure stay, and so does what is broken. See `Redactor+JSON.swift`.
/// - Numbers keep their digits' number, dates are moved by a secret number of days, and data becomes noise.
///
/// Each replacement follows from the value and the key alone, and different values stay different. So links by value,
/// unique values, conflicts and duplicates are what they were.
final class Redactor {
  let key: RedactionKey
  let vocabulary: RedactionVocabulary
  let letters = LetterTable()
  // Changed for each character of a store: checks for overlapping accesses would take longer.
  @exclusivity(unchecked) var cipher: WordCipher
  /// The days by which all dates are moved.
  let dayOffset: Int64
  /// The parts of the current value that stay by intention, or are UUIDs, in their order.
  @exclusivity(unchecked) var kept: [Range<Int>] = []
  /// The letters and marks of the current word.
  @exclusivity(unchecked) var word: [WordUnit] = []
  /// The words in ASCII letters that were replaced before, most of which come again.
  @exclusivity(unchecked) var knownWords: [[UInt8]: [UInt8]] = [:]

  /// The number of words that are remembered.
  static let knownWordLimit = 1 << 16
  /// The number of bytes of the longest of them.
  static let knownWordLength = 64

  /// A letter or mark of a word.
  struct WordUnit {
    /// The spelling of a character: as it is, as `\u00e9` or as `%C3%A9`.
    enum Spelling { case plain, escape, percent }

    /// The letter; `nil` for a mark, which stays.
    let letter: LetterTable.Letter?
    let spelling: Spelling
    /// Its place in the value.
    let source: Range<Int>
  }

  init(key: RedactionKey, vocabulary: RedactionVocabulary) {
    (self.key, self.vocabulary) = (key, vocabulary)
    cipher = WordCipher(key)
    // Into the past: a date of the future may be one that an app still waits for.
    let days = KeyedHash(key, .days).finish() % 3500
    dayOffset = -Int64(days) - 100
  }

  /// Notes that a part of the current value stays.
  func keep(_ range: Range<Int>) { if !range.isEmpty { kept.append(range) } }
}

// MARK: - Values of columns

extension Redactor {
  /// Replaces the bytes of text.
  ///
  /// - Parameters:
  ///   - isURI: Whether it is an address, whose scheme stays.
  ///   - isJSON: Whether it is to be read as JSON whatever it begins with.
  func text(_ bytes: [UInt8], isURI: Bool = false, isJSON: Bool = false) -> [UInt8] {
    kept.removeAll(keepingCapacity: true)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    if isJSON || JSONScan.begins(bytes) {
      appendJSON(bytes, to: &result)
      return result
    }
    var start = 0
    if isURI, let end = Self.schemeEnd(bytes) {
      result += bytes[..<end]
      keep(0..<end)
      start = end
    }
    append(bytes, start..<bytes.count, inJSON: false, to: &result)
    return result
  }

  /// Replaces data: JSON as JSON, and everything else by noise.
  func data(_ bytes: [UInt8]) -> [UInt8] {
    kept.removeAll(keepingCapacity: true)
    guard !JSONScan.isText(bytes) else { return text(bytes) }
    return noise(bytes)
  }

  /// Replaces the values of metadata, but not those of Core Data's own keys, which say which model the store has.
  ///
  /// - Parameter note: Gets each text or data and its replacement.
  func metadata(
    _ properties: PropertyListDictionary, _ note: ([UInt8], [UInt8]) throws -> Void
  ) rethrows -> PropertyListDictionary {
    var result = properties
    for pair in properties.pairs where !Self.metadataKeys.contains(pair.key) {
      result[pair.key] = try value(pair.value, note)
    }
    return result
  }

  /// The keys whose values say by which model and which version of Core Data the store was written.
  ///
  /// An app's keys may begin as these do.
  private static let metadataKeys: Set = [
    StoreMetadata.Key.versionHashes, StoreMetadata.Key.versionHashesVersion, StoreMetadata.Key.versionHashesDigest,
    StoreMetadata.Key.versionChecksum, StoreMetadata.Key.versionIdentifiers, StoreMetadata.Key.frameworkVersion,
    StoreMetadata.Key.storeType, StoreMetadata.Key.autoVacuumLevel, "NSPersistenceMaximumFrameworkVersion",
  ]

  private func value(
    _ value: PropertyList, _ note: ([UInt8], [UInt8]) throws -> Void
  ) rethrows -> PropertyList {
    switch value {
    case .null, .boolean, .uid, .wideInteger: return value
    case .integer(let integer): return .integer(self.integer(integer))
    case .real(let real): return .real(self.real(real))
    case .date(let seconds): return .date(date(seconds))
    case .data(let bytes):
      let result = data(bytes)
      try note(bytes, result)
      return .data(result)
    case .string(let text):
      let result = self.text(Array(text.utf8))
      try note(Array(text.utf8), result)
      return .string(String(decoding: result, as: UTF8.self))
    case .array(let elements): return .array(try elements.map { try self.value($0, note) })
    case .dictionary(let dictionary):
      var result = dictionary
      for pair in dictionary.pairs { result[pair.key] = try self.value(pair.value, note) }
      return .dictionary(result)
    }
  }
}
