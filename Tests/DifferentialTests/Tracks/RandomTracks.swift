import TestSupport

/// A random small library of version 1.
enum RandomTracks {
  static func make(_ random: inout SeededGenerator, isClean: Bool = false) -> TrackLibraryBuilder {
    var builder = TrackLibraryBuilder()
    builder.pageSize = random.pick(512, 1024, 4096, 65536)
    builder.autoVacuum = random.number(0...2)
    builder.encoding = random.pick("UTF-8", "UTF-8", "UTF-8", "UTF-16le", "UTF-16be")
    builder.journalMode = random.pick("delete", "wal")
    let isWide = builder.encoding != "UTF-8"
    var key: Int64 = random.chance(30) ? -5 : random.chance(5) ? .min : 0
    var rows: [TrackRow] = []
    for _ in 0..<(random.chance(4) ? 0 : random.number(1...60)) {
      key += random.chance(3) ? 1 << 40 : Int64(random.number(1...4))
      rows.append(isClean ? clean(key, &random) : row(key, isWide, &random))
    }
    if !isClean, random.chance(1), !rows.isEmpty { rows[0].json = large(isWide, &random) }
    if random.chance(20) {
      let split = random.number(0...rows.count)
      builder.rowsInLog = Array(rows[split...])
      rows.removeSubrange(split...)
    }
    builder.rows = rows
    if random.chance(10) { builder.greatestKey = random.pick(0, 1 << 50) }
    return builder
  }

  private static func clean(_ key: Int64, _ random: inout SeededGenerator) -> TrackRow {
    TrackRow(key, title: .text("T\(key)"), json: .text(String(decoding: RandomDocument.clean(&random), as: UTF8.self)))
  }

  private static func row(_ key: Int64, _ isWide: Bool, _ random: inout SeededGenerator) -> TrackRow {
    var row = TrackRow(
      key, title: cell(isWide, &random), artistName: random.chance(60) ? "Fallback" : cell(isWide, &random), json: nil)
    row.json = random.chance(5) ? cell(isWide, &random) : text(RandomDocument.make(&random), isWide, &random)
    row.imageURL = cell(isWide, &random)
    row.lastPlayedAt = random.pick(.null, .real(694_224_000.5), .integer(7), .text("never"))
    row.version = .integer(Int64(random.number(1...3)))
    return row
  }

  /// Returns a document large enough to be read in pieces.
  private static func large(_ isWide: Bool, _ random: inout SeededGenerator) -> CellValue {
    let filler = String(repeating: "é東🎵 and much that is plain ASCII, so that it is read fast; ", count: 18_000)
    let artists = random.pick(
      #"[{"name":"Large","id":1}]"#, #"[{"name":"Large","imageURL":"\#(filler)"}]"#,
      #"["Large","\uD800"]"#, #"["Large"]}"#, #"["Large""#)
    return text(Array("{\"x\":\"\(filler)\",\"artists\":\(artists)}".utf8), isWide, &random)
  }

  /// Returns any value that a text column may contain.
  private static func cell(_ isWide: Bool, _ random: inout SeededGenerator) -> CellValue {
    switch random.number(0...9) {
    case 0, 1: .null
    case 2: .integer(Int64(random.number(-3...3)))
    case 3: .real(1.5)
    case 4: text(random.pick([0x61, 0xFF, 0x00], [0xC3], Array("B".utf8)), isWide, &random)
    default: text(Array(random.pick(from: RandomDocument.names, or: "B").utf8), isWide, &random)
    }
  }

  /// Returns bytes as text or as a blob.
  ///
  /// Text for a UTF-16 library is made valid first.
  private static func text(_ bytes: [UInt8], _ isWide: Bool, _ random: inout SeededGenerator) -> CellValue {
    let repaired = String(decoding: bytes, as: UTF8.self)
    if random.chance(4) { return .blob(isWide ? Array(repaired.utf8) : bytes) }
    return isWide ? .text(repaired) : .rawText(bytes)
  }
}
