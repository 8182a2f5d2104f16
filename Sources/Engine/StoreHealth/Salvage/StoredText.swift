internal import MigrationDiagnostics
internal import SQLiteDatabase

extension StoredEncoding {
  /// The bytes of a text as UTF-8.
  ///
  /// Bytes in UTF-8 stay as they are, whether they are valid or not.
  ///
  /// - Returns: `nil` for UTF-16 that is not valid.
  func utf8(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard self != .utf8 else { return Array(bytes) }
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let units = (0..<bytes.count / 2).map { place in
      let unit = bytes.loadUnaligned(fromByteOffset: 2 * place, as: UInt16.self)
      return self == .utf16LittleEndian ? UInt16(littleEndian: unit) : UInt16(bigEndian: unit)
    }
    return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
  }

  /// The text, if it is valid.
  func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    self == .utf8 ? String(validating: bytes, as: UTF8.self) : utf8(bytes).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The encoding in which the texts of a file are plain ASCII, where its header does not say it.
  ///
  /// Each store has such texts: the names of its tables and entities, and its UUID.
  static func guess(_ survey: PageSurvey, sampleSize: Int = 500) throws(MigrationError) -> StoredEncoding {
    let fields = RecordFields(limit: 64)
    var votes: [StoredEncoding: Int] = [:]
    var count = 0
    for page in survey.tableLeaves {
      guard count < sampleSize, let bytes = try survey.source.load(Int(page)),
        let header = survey.treePage(Int(page), bytes)
      else { continue }
      for place in 0..<header.cellCount {
        guard let cell = survey.reader.cell(place, of: bytes, header),
          fields.find(in: UnsafeRawBufferPointer(start: bytes + cell.record, count: cell.localSize))
        else { continue }
        for position in 0..<fields.count {
          guard case .text(let text)? = fields.value(position), text.count > 3, let encoding = ofASCII(text) else {
            continue
          }
          votes[encoding, default: 0] += 1
          count += 1
        }
      }
    }
    return allCases.max { votes[$0, default: 0] < votes[$1, default: 0] } ?? .utf8
  }

  /// The only encoding in which bytes are printable ASCII; `nil` if they are in none.
  private static func ofASCII(_ bytes: UnsafeRawBufferPointer) -> StoredEncoding? {
    func isPrintable(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }
    if bytes.allSatisfy(isPrintable) { return .utf8 }
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let pairs = (0..<bytes.count / 2).map { (bytes[2 * $0], bytes[2 * $0 + 1]) }
    if pairs.allSatisfy({ isPrintable($0.0) && $0.1 == 0 }) { return .utf16LittleEndian }
    return pairs.allSatisfy { $0.0 == 0 && isPrintable($0.1) } ? .utf16BigEndian : nil
  }
}
