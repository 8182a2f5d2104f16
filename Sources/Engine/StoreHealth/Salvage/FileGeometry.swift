internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase

/// The form of a database file: the sizes of its pages, the encoding of its text, and what else its header says.
struct FileGeometry {
  /// The sizes of the pages.
  let format: PageFormat
  /// The encoding of text; `nil` if only the texts themselves can say.
  let encoding: StoredEncoding?
  /// The header; `nil` if it is lost.
  let header: FileHeader?

  /// Finds out the form of a file.
  ///
  /// - Parameter images: The pages of its log: the newest header may be there, and each log says the size of pages.
  /// - Throws: `MigrationError` if nothing in the file is a page of a database.
  static func find(_ file: DamagedFile, _ images: PageImages) throws(MigrationError) -> FileGeometry {
    var headers = [file.read(FileHeader.size, at: 0).flatMap { FileHeader($0) }]
    if images.offsets[1] != nil, let size = images.pageSize {
      let format = PageFormat(pageSize: size, usableSize: size, hasPageMap: false)
      let source = try PageSource(file, format, pageCount: images.pageCount, images)
      let page = try source.load(1).map { Array(UnsafeRawBufferPointer(start: $0, count: FileHeader.size)) }
      headers.insert(page.flatMap { FileHeader($0) }, at: 0)
    }
    let survey = GeometrySurvey(file, images)
    for header in headers.compactMap(\.self) {
      // A header that fits no page is damaged itself.
      guard images.pageSize == nil || images.pageSize == header.format.pageSize, try survey.hasPages(header.format)
      else {
        continue
      }
      return FileGeometry(format: header.format, encoding: header.encoding, header: header)
    }
    guard let format = try survey.likelyFormat() else { throw survey.refusal() }
    // Another page may have taken the place of the first one.
    let header = try survey.misplacedHeader(format)
    return FileGeometry(
      format: header?.format ?? format, encoding: header?.encoding ?? headers.compactMap(\.self).first?.encoding,
      header: header)
  }
}

/// The encodings of text in a database.
enum StoredEncoding: String, CaseIterable {
  case utf8 = "UTF-8"
  case utf16LittleEndian = "UTF-16le"
  case utf16BigEndian = "UTF-16be"
}

/// The first hundred bytes of a database, as far as they matter for its pages (sqlite.org/fileformat.html#the_database_header).
struct FileHeader {
  static let size = 100

  let format: PageFormat
  let encoding: StoredEncoding?
  /// 0 none, 1 full, 2 incremental.
  let autoVacuum: Int64
  let userVersion: Int64
  let applicationID: Int64
  /// The number of pages; `nil` if an old version of SQLite has written the file since.
  let pageCount: Int?
  /// The first page of the list of free pages, and their number.
  let (firstTrunk, freeCount): (Int, Int)

  /// Reads a header, even of a file that has lost the words before it; `nil` if it cannot be one.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.size else { return nil }
    func word(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    let pageSize = size == 1 ? 65536 : size
    let usableSize = pageSize - Int(bytes[20])
    // The last three are the same in every file.
    guard (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1, usableSize >= 480,
      Array(bytes[21..<24]) == [64, 32, 32], bytes[18] > 0, [1, 2].contains(bytes[19])
    else { return nil }
    format = PageFormat(pageSize: pageSize, usableSize: usableSize, hasPageMap: word(52) != 0)
    encoding = (1...3).contains(word(56)) ? StoredEncoding.allCases[word(56) - 1] : nil
    autoVacuum = word(52) == 0 ? 0 : word(64) == 0 ? 1 : 2
    userVersion = Int64(Int32(truncatingIfNeeded: word(60)))
    applicationID = Int64(Int32(truncatingIfNeeded: word(68)))
    pageCount = word(24) == word(92) && word(28) > 0 ? word(28) : nil
    (firstTrunk, freeCount) = (word(32), word(36))
  }
}

/// Looks for pages of b-trees in a file of unknown form.
private final class GeometrySurvey {
  private let file: DamagedFile
  private let images: PageImages
  private static let pageSizes = (9...16).map { 1 << $0 }
  /// So many pages are enough to tell one size from another.
  private static let enough = 256
  /// No more than so many bytes are looked at.
  private static let greatestRange: Int64 = 256 << 20

  init(_ file: DamagedFile, _ images: PageImages) { (self.file, self.images) = (file, images) }

  /// Whether there is a page of this form.
  func hasPages(_ format: PageFormat) throws(MigrationError) -> Bool { try count(format, atMost: 1) > 0 }

  /// The form with which most of the file is pages; `nil` if none are.
  func likelyFormat() throws(MigrationError) -> PageFormat? {
    var best: (covered: Int, format: PageFormat)?
    for pageSize in images.pageSize.map({ [$0] }) ?? Self.pageSizes {
      var format = PageFormat(pageSize: pageSize, usableSize: pageSize, hasPageMap: false)
      var found = try count(format, atMost: Self.enough)
      if found == 0, let reserved = try reservedSize(pageSize) {
        format = PageFormat(pageSize: pageSize, usableSize: pageSize - reserved, hasPageMap: false)
        found = try count(format, atMost: Self.enough)
      }
      guard found > 0, found * pageSize > best?.covered ?? 0 else { continue }
      best = (found * pageSize, format)
    }
    guard let format = best?.format else { return nil }
    return PageFormat(
      pageSize: format.pageSize, usableSize: format.usableSize, hasPageMap: try hasMap(format))
  }

  /// Counts the pages that are those of b-trees and not empty.
  private func count(_ format: PageFormat, atMost limit: Int) throws(MigrationError) -> Int {
    let source = try PageSource(file, format, pageCount: images.pageCount, images)
    let reader = TreePageReader(format)
    let last = Int(clamping: Self.greatestRange / Int64(format.pageSize))
    var (count, next) = (0, source.nextPage(from: 1))
    while let page = next, page <= last, count < limit {
      next = source.nextPage(from: page + 1)
      guard let bytes = try source.load(page) else { continue }
      // The schema of an empty store is the only page without cells that matters.
      for start in page == 1 ? [100, 0] : [0] {
        guard let header = TreePageHeader(bytes, at: start), header.cellCount > 0 || start == 100,
          reader.forEachCell(of: bytes, header, { _ in true })
        else { continue }
        count += 1
        break
      }
    }
    return count
  }

  /// The number of reserved bytes with which a page of this size fits; `nil` if there is none.
  ///
  /// The first cell of a page is at its end, before those bytes.
  private func reservedSize(_ pageSize: Int) throws(MigrationError) -> Int? {
    let source = try PageSource(
      file, PageFormat(pageSize: pageSize, usableSize: pageSize, hasPageMap: false), pageCount: images.pageCount, images
    )
    var (tried, next) = (0, source.nextPage(from: 1))
    while let page = next, tried < 64 {
      next = source.nextPage(from: page + 1)
      guard let bytes = try source.load(page) else { continue }
      guard let header = TreePageHeader(bytes, at: page == 1 ? 100 : 0), header.cellCount > 0 else { continue }
      tried += 1
      for reserved in 1...min(255, pageSize - 480) {
        let format = PageFormat(pageSize: pageSize, usableSize: pageSize - reserved, hasPageMap: false)
        if TreePageReader(format).forEachCell(of: bytes, header, { _ in true }) { return reserved }
      }
    }
    return nil
  }

  /// Whether the second page is one of the map of pages.
  private func hasMap(_ format: PageFormat) throws(MigrationError) -> Bool {
    let source = try PageSource(file, format, pageCount: images.pageCount, images)
    guard source.pageCount > 2, let bytes = try source.load(2) else { return false }
    let map = PageMapContent(bytes, format, pageCount: source.pageCount, map: 2)
    return map.isValid
  }

  /// The header in a page that is not the first one; `nil` if there is none.
  func misplacedHeader(_ format: PageFormat) throws(MigrationError) -> FileHeader? {
    let source = try PageSource(file, format, pageCount: images.pageCount, images)
    var next = source.nextPage(from: 2)
    let last = Int(clamping: Self.greatestRange / Int64(format.pageSize))
    while let page = next, page <= last {
      next = source.nextPage(from: page + 1)
      guard let bytes = try source.load(page) else { continue }
      let beginning = UnsafeRawBufferPointer(start: bytes, count: FileHeader.size)
      guard beginning.starts(with: "SQLite format 3".utf8), let header = FileHeader(Array(beginning)),
        header.format.pageSize == format.pageSize
      else { continue }
      return header
    }
    return nil
  }

  /// The error for a file without any page of a database, which says what else it is, if that is known.
  func refusal() -> MigrationError {
    guard file.read(FileHeader.size, at: 0).flatMap({ DatabaseHeader($0) }) == nil else {
      if let error = StoreFile.encryption(file.path, file.resolvedPath) { return error }
      var error = MigrationError(.damaged, path: file.path, detail: "none of its pages can be read")
      error.advice = "Nothing was written. Restore it from a backup."
      return error
    }
    // That there is a log beside it is no advice any more.
    var error = StoreFile.notADatabase(file.path, file.resolvedPath, isEmpty: false, size: file.size)
    error.detail = error.detail ?? (file.size == 0 ? "it is empty" : nil) ?? "nothing in it is a page of one"
    return error
  }
}

/// A page of the map of pages (sqlite.org/fileformat.html#pointer_map_or_ptrmap_pages).
struct PageMapContent {
  /// The use of a page, as the map has it.
  enum Use: UInt8 {
    case root = 1, free, overflow, nextOverflow, tree
  }

  /// Whether all entries can be true.
  let isValid: Bool
  private let entries: [(use: Use, parent: Int)?]
  private let map: Int

  /// Reads a page.
  ///
  /// - Parameter map: Its number.
  init(_ bytes: UnsafeRawPointer, _ format: PageFormat, pageCount: Int, map: Int) {
    self.map = map
    let count = max(0, min(format.usableSize / 5, pageCount - map))
    var entries: [(use: Use, parent: Int)?] = []
    var (knownCount, isValid) = (0, true)
    entries.reserveCapacity(count)
    for place in 0..<count {
      let (kind, parent) = (bytes.load(fromByteOffset: 5 * place, as: UInt8.self), bytes.doubleWord(5 * place + 1))
      // The page of the locks has no entry.
      guard kind != 0 || parent != 0 else {
        entries.append(nil)
        continue
      }
      guard let use = Use(rawValue: kind), parent <= pageCount else {
        isValid = false
        break
      }
      knownCount += 1
      entries.append((use, parent))
    }
    self.entries = isValid ? entries : []
    self.isValid = isValid && (knownCount > 0 || count == 0)
  }

  /// The entry of a page; `nil` if there is none.
  subscript(page: Int) -> (use: Use, parent: Int)? {
    let place = page - map - 1
    return entries.indices.contains(place) ? entries[place] : nil
  }
}
