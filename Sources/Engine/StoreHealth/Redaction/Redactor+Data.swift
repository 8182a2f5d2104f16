internal import PersistentStore

extension Redactor {
  /// Replaces data by noise of the same length, but for the first bytes of known formats.
  ///
  /// No byte of the noise is a letter, so that a search for words in a redacted file finds none in it. Equal data become
  /// equal noise. A UUID becomes a UUID, and what is too short for noise that is surely different is permuted.
  func noise(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.count == 16 { return uuid(bytes) }
    if bytes.count < 16 { return permuted(bytes) }
    var hash = KeyedHash(key, .data)
    bytes.withUnsafeBytes { hash.combine($0) }
    var noise = Noise(key, hash.finish())
    var result = noise.next(bytes.count)
    let head = DataHead.ranges(bytes)
    // What is left has to tell different data apart.
    let isShort = head.reduce(8) { $0 + $1.count } > bytes.count
    let kept = 0..<max(0, isShort ? bytes.count - 8 : bytes.count)
    for range in head.map({ $0.clamped(to: kept) }) {
      result.replaceSubrange(range, with: bytes[range])
      keep(range)
    }
    return result
  }

  private func permuted(_ bytes: [UInt8]) -> [UInt8] {
    cipher.removeAll()
    for byte in bytes {
      cipher.values.append(Int32(byte))
      cipher.sizes.append(letters.count(LetterTable.bytes))
    }
    // What is not JSON does not become JSON, which is replaced in another way.
    while true {
      cipher.replace(alphabet: UInt64.max)
      let result = cipher.values.map { UInt8(truncatingIfNeeded: $0) }
      if !JSONScan.isText(result) { return result }
    }
  }

  /// Replaces the value of an attribute that may be in a file: the form stays, and the file's name is replaced.
  func externalValue(_ bytes: [UInt8]) -> [UInt8] {
    switch ExternalValue(bytes) {
    case .inline(let value): ExternalValue.inline(data(value)).bytes
    case .file(let name): fileValue(name)
    case nil: foreignValue(bytes)
    }
  }

  /// Replaces data without a form, which get none.
  private func foreignValue(_ bytes: [UInt8]) -> [UInt8] {
    var result = data(bytes)
    while ExternalValue(result) != nil { result = data(result) }
    return result
  }

  /// Replaces only the file name of such a value.
  func keptExternalValue(_ bytes: [UInt8]) -> [UInt8] {
    if case .file(let name) = ExternalValue(bytes) { return fileValue(name) }
    return bytes
  }

  private func fileValue(_ name: String) -> [UInt8] {
    let value = ExternalValue.file(externalName(name)).bytes
    kept = [0..<value.count]
    return value
  }

  /// The name of an external data file in the redacted store.
  func externalName(_ name: String) -> String {
    let bytes = Array(name.utf8)
    return uuidText(bytes, 0, bytes.count).map { String(decoding: $0, as: UTF8.self) } ?? name
  }
}

/// Bytes that tell nothing and contain no letters: those from 0x80 to 0xBF, which begin no character.
struct Noise {
  private var stream: KeyStream

  init(_ key: RedactionKey, _ content: UInt64) {
    var hash = KeyedHash(key, .noise)
    hash.combine(content)
    stream = KeyStream(hash)
  }

  /// The next bytes; all but the last request must be for a multiple of eight.
  mutating func next(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      var word = stream.next() & 0x3F3F_3F3F_3F3F_3F3F | 0x8080_8080_8080_8080
      for _ in 0..<min(8, count - bytes.count) {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
    }
    return bytes
  }
}
