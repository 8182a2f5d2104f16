internal import MigrationDiagnostics
internal import SQLiteDatabase

/// The reason why a record, or a part of it, cannot be trusted.
enum RecordFault: Hashable {
  /// A page that it goes on in is lost.
  case lostPage(Int)
  /// A page that it goes on in belongs to something else.
  case foreignPage(Int)
  /// The newest image of a page that it goes on in is lost.
  case outdatedPage(Int)
  /// The last page that it goes on in has the end of another value.
  case otherEnd(Int)
  /// It was deleted, and the pages that it went on in may have had other contents since.
  case deletedOverflow
}

/// A row's record as the file has it.
struct StoredRecord {
  let key: Int64
  /// The bytes that are there, followed by ``TreePageReader/padding`` of zeros.
  let bytes: [UInt8]
  /// The number of bytes that are there.
  let count: Int
  /// The reason why the rest is missing, or cannot be trusted; `nil` if nothing is.
  let fault: RecordFault?
  /// The places in which a part of a page that a disk has lost would begin and end.
  let blanks: [Range<Int>]
  /// The places at which the bytes go on in another page.
  let joints: [Int]
}

/// Puts records together from the pages that they are in.
final class RecordAssembly {
  private let survey: PageSurvey
  private let usableSize: Int
  private var ends = ValueEnds()
  /// The pages that are followed by another than the next one, in a file without a map of its pages.
  private var jumps: [Int: Jump] = [:]
  private var chainCount = 0

  /// A place where a value does not go on in the next page.
  private struct Jump {
    let next: Int
    /// Whether the value came here from the page before this one, or begins to go on here.
    let isInOrder: Bool
    /// The number of the value, and of the pages that it has after this one.
    let (chain, rest): (Int, Int)
  }

  init(_ survey: PageSurvey) {
    (self.survey, usableSize) = (survey, survey.format.usableSize)
  }

  // MARK: - Claims

  /// Notes which pages the records of a leaf go on in, so that a page of which several say so is known.
  ///
  /// - Parameter isPlaced: Whether the leaf is where the pages above it say.
  func claim(_ page: Int, isPlaced: Bool, _ memory: PageMemory) throws(MigrationError) {
    guard try survey.source.copy(page, to: memory), let header = survey.treePage(page, memory.page) else { return }
    let fields = RecordFields(limit: 2000)
    for place in 0..<header.cellCount {
      guard let cell = survey.reader.cell(place, of: memory.page, header), cell.localSize < cell.payloadSize else {
        continue
      }
      let chain = try chain(of: cell, memory.page, in: isPlaced ? page : nil)
      if !survey.format.hasPageMap {
        chainCount += 1
        for (place, (page, next)) in zip(chain.pages, chain.pages.dropFirst()).enumerated() where next != page + 1 {
          jumps[page] = Jump(
            next: next, isInOrder: place == 0 || chain.pages[place - 1] == page - 1, chain: chainCount,
            rest: pageCount(of: cell) - place - 1)
        }
      }
      for page in chain.pages {
        survey.facts[page].insert(survey.facts[page].contains(.isClaimed) ? .isContested : .isClaimed)
      }
      guard chain.fault == nil, let last = chain.pages.last, let end = try end(of: cell, in: last) else { continue }
      let isText =
        fields.find(in: UnsafeRawBufferPointer(start: memory.page + cell.record, count: cell.localSize))
        && (0..<fields.count).last { !fields.extent($0).isEmpty }.map(fields.isText) ?? false
      ends.add(end, isText: isText)
    }
  }

  /// The pages that a record goes on in, as far as they fit, and what is wrong with the next.
  ///
  /// - Parameter leaf: The page of the record; `nil` if that has changed its place, so that the map has another.
  private func chain(
    of cell: TreeCell, _ page: UnsafeRawPointer, in leaf: Int?
  ) throws(MigrationError) -> (pages: [Int], fault: RecordFault?) {
    let count = pageCount(of: cell)
    var (pages, next, before) = ([Int](), page.doubleWord(cell.record + cell.localSize), leaf)
    while pages.count < count {
      // No value has more pages than the file: these lead in a circle.
      guard pages.count < survey.source.pageCount else { return (pages, .foreignPage(next)) }
      if let fault = try fault(of: next, isFirst: pages.isEmpty, after: before) { return (pages, fault) }
      guard let bytes = try survey.source.load(next) else { return (pages, .lostPage(next)) }
      let following = bytes.doubleWord(0)
      let isLast = pages.count + 1 == count
      // An end where there must be more, or the other way round: one of the two pages is not the right one.
      guard isLast == (following == 0) else { return (pages, .foreignPage(next)) }
      pages.append(next)
      (before, next) = (next, following)
    }
    return (pages, nil)
  }

  /// The number of pages that a record goes on in.
  private func pageCount(of cell: TreeCell) -> Int {
    (cell.payloadSize - cell.localSize + usableSize - 5) / (usableSize - 4)
  }

  private func fault(of page: Int, isFirst: Bool, after before: Int?) throws(MigrationError) -> RecordFault? {
    guard survey.isUsable(page) else { return .lostPage(page) }
    let facts = survey.facts[page]
    // Zeros are what is left of a page that was never written, or that a disk has lost.
    guard facts.contains(.isPresent), !facts.contains(.isZero) else { return .lostPage(page) }
    guard !facts.contains(.isPlaced) else { return .foreignPage(page) }
    if survey.source.outdatedPages.contains(page) { return .outdatedPage(page) }
    guard let entry = try survey.mapEntry(page) else {
      return facts.contains(.isListedAsFree) ? .foreignPage(page) : nil
    }
    let isExpected = entry.use == (isFirst ? .overflow : .nextOverflow) && before.map { $0 == entry.parent } ?? true
    return isExpected ? nil : .foreignPage(page)
  }

  /// Whether a page leads to the one behind another, which leads to the one behind it: the two have changed places.
  ///
  /// SQLite takes pages in their order, where it can. Where it could not, pages may follow each other in any way; but pages of
  /// one value, or of values that go on for different lengths, cannot have changed places without another fault.
  private func isExchanged(_ page: Int) -> Bool {
    guard let one = jumps[page], let two = jumps[one.next - 1], two.next == page + 1 else { return false }
    return one.chain != two.chain && one.rest == two.rest && one.isInOrder && two.isInOrder
  }

  /// The end of a record in its last page, if that page has another end.
  private func end(of cell: TreeCell, in page: Int) throws(MigrationError) -> ValueEnd? {
    guard let bytes = try survey.source.load(page) else { return nil }
    let room = usableSize - 4
    let needed = (cell.payloadSize - cell.localSize - 1) % room + 1
    var found = room
    while found > 0, bytes.load(fromByteOffset: 3 + found, as: UInt8.self) == 0 { found -= 1 }
    return found == needed ? nil : ValueEnd(needed: needed, found: found)
  }

  // MARK: - Records

  /// Puts a row's record together.
  ///
  /// - Parameters:
  ///   - cell: The row.
  ///   - page: The page that it is in, which stays in memory meanwhile.
  ///   - leaf: The number of the page; `nil` if it has changed its place.
  ///   - isDeleted: Whether the row is no longer in use: then nothing that it goes on in is its own.
  func record(
    of cell: TreeCell, _ page: UnsafeRawPointer, in leaf: Int?, isDeleted: Bool = false
  ) throws(MigrationError) -> StoredRecord {
    var bytes: [UInt8] = []
    let local = UnsafeRawBufferPointer(start: page + cell.record, count: cell.localSize)
    var blanks = Self.blanks(in: page, cell.record..<cell.record + cell.localSize, at: 0, survey.format)
    guard cell.localSize < cell.payloadSize else {
      bytes.reserveCapacity(local.count + TreePageReader.padding)
      bytes += local
      return record(cell.key, bytes, nil, blanks, [])
    }
    bytes += local
    guard !isDeleted else { return record(cell.key, bytes, .deletedOverflow, blanks, []) }
    var (pages, fault) = try chain(of: cell, page, in: leaf)
    var joints: [Int] = []
    for number in pages {
      guard !survey.facts[number].contains(.isContested), !isExchanged(number),
        let content = try survey.source.load(number)
      else {
        fault = .foreignPage(number)
        break
      }
      joints.append(bytes.count)
      let size = min(usableSize - 4, cell.payloadSize - bytes.count)
      blanks += Self.blanks(in: content, 4..<4 + size, at: bytes.count, survey.format)
      bytes += UnsafeRawBufferPointer(start: content + 4, count: size)
    }
    if fault == nil, let last = pages.last, let end = try end(of: cell, in: last), ends.isOfAnother(end) {
      fault = .otherEnd(last)
    }
    return record(cell.key, bytes, fault, blanks, joints)
  }

  private func record(
    _ key: Int64, _ bytes: [UInt8], _ fault: RecordFault?, _ blanks: [Range<Int>], _ joints: [Int]
  ) -> StoredRecord {
    StoredRecord(
      key: key, bytes: bytes + [UInt8](repeating: 0, count: TreePageReader.padding), count: bytes.count, fault: fault,
      blanks: blanks, joints: joints)
  }

  /// The parts of a record in a page that are zeros from one sector's beginning to another's end, and only there.
  ///
  /// Zeros that a value has of its own begin and end anywhere.
  private static func blanks(
    in page: UnsafeRawPointer, _ place: Range<Int>, at offset: Int, _ format: PageFormat
  ) -> [Range<Int>] {
    guard place.count >= sectorSize, format.pageSize > sectorSize else { return [] }
    var (blanks, sector) = ([Range<Int>](), place.lowerBound / sectorSize)
    func isZero(_ sector: Int) -> Bool {
      UnsafeRawBufferPointer(start: page + sector * sectorSize, count: sectorSize).isZero
    }
    while sector * sectorSize < place.upperBound {
      guard isZero(sector) else {
        sector += 1
        continue
      }
      let start = sector * sectorSize
      while sector * sectorSize < place.upperBound, isZero(sector) { sector += 1 }
      let end = sector * sectorSize
      let begins = start <= place.lowerBound || page.load(fromByteOffset: start - 1, as: UInt8.self) != 0
      let ends = end >= place.upperBound || page.load(fromByteOffset: end, as: UInt8.self) != 0
      let part = max(start, place.lowerBound)..<min(end, place.upperBound)
      if begins, ends, !part.isEmpty {
        blanks.append(part.lowerBound - place.lowerBound + offset..<part.upperBound - place.lowerBound + offset)
      }
    }
    return blanks
  }

  /// Disks lose bytes in such portions.
  private static let sectorSize = 512
}

/// The end of a value in the last page that it goes on in.
struct ValueEnd: Hashable {
  /// The number of bytes that the value has there.
  let needed: Int
  /// The number of bytes in the page up to the last that is not zero.
  let found: Int
}

/// The ends of values that are not where their pages' bytes end.
///
/// Nothing in a file says whose the last page of a value is, so two such pages may have changed places. If they are not full,
/// zeros follow the end of a value in pages that were not used before. Then the one has too many bytes and the other too few,
/// each as many as the other needs.
private struct ValueEnds {
  private var counts: [ValueEnd: Int] = [:]
  private var needed: Set<Int> = []
  /// Whether a text ends with zeros, as no text does.
  private var hasCutText = false

  mutating func add(_ end: ValueEnd, isText: Bool) {
    counts[end, default: 0] += 1
    needed.insert(end.needed)
    // The last byte of a text in UTF-16 may be zero.
    if isText, end.found < end.needed - 1 { hasCutText = true }
  }

  /// Whether a value's last page is likely that of another.
  func isOfAnother(_ end: ValueEnd) -> Bool {
    if counts[ValueEnd(needed: end.found, found: end.needed)] != nil { return true }
    return hasCutText && (end.found < end.needed - 1 || needed.contains(end.found))
  }
}
