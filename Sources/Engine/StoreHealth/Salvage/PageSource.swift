internal import MigrationDiagnostics
internal import PersistentStore
internal import SQLiteDatabase
internal import SystemC

/// A damaged store's file, and the log or journal next to it, open for reading without SQLite.
final class DamagedFile {
  /// The path as the user named it.
  let path: String
  /// The file itself, with every symbolic link resolved.
  let resolvedPath: String
  fileprivate let descriptor: Int32
  private let statuses: [FileStatus?]

  /// The store, which may be replaced while its file is open, and SQLite's own files next to it.
  private static let suffixes = ["", "-wal", "-journal"]

  /// Opens a file, which may be anything.
  ///
  /// - Throws: `MigrationError` if there is none, or it is not a regular file that can be read.
  init(_ path: String) throws(MigrationError) {
    let (resolved, _) = try StoreFile.find(path)
    (self.path, resolvedPath) = (path, resolved)
    descriptor = try FileSystem.openFile(resolved, O_RDONLY, orThrow: .unreadable, path)
    statuses = Self.statuses(resolved, descriptor)
  }

  deinit { close(descriptor) }

  private static func statuses(_ path: String, _ descriptor: Int32) -> [FileStatus?] {
    [FileStatus(descriptor: descriptor)] + suffixes.map { FileStatus(unresolved: path + $0) }
  }

  /// The size in bytes.
  var size: Int64 { (statuses.first ?? nil)?.size ?? 0 }

  /// The path of the write-ahead log.
  var logPath: String { resolvedPath + "-wal" }

  /// The path of the rollback journal.
  var journalPath: String { resolvedPath + "-journal" }

  /// Reads bytes as far as there are any; `nil` if the disk refuses them.
  func read(_ count: Int, at offset: Int64) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return FileSystem.read(descriptor, into: &bytes, at: off_t(offset)).map { Array(bytes.prefix($0)) }
  }

  /// The next offset that is not in a hole of the file; `nil` at its end.
  func nextData(from offset: Int64) -> Int64? {
    let place = FileSystem.nextData(descriptor, from: off_t(offset))
    return place >= 0 ? Int64(place) : errno == ENXIO ? nil : offset
  }

  /// Makes sure that no program has written to the files since they were opened.
  ///
  /// Nothing locks them: the locks of a damaged store are as little to be relied upon as the rest of it.
  func requireUnchanged() throws(MigrationError) {
    let now = Self.statuses(resolvedPath, descriptor)
    let isSame = zip(statuses, now).allSatisfy { before, after in
      before?.size == after?.size && before?.modificationTime == after?.modificationTime
        // A copy may have the time of the original.
        && before?.fileNumber == after?.fileNumber
    }
    guard isSame else { throw MigrationError(.changedMeanwhile, path: path) }
  }
}

/// The pages of a damaged store as they were committed last: those of its log, or of a journal that would be rolled back,
/// in place of the file's.
final class PageSource {
  /// The sizes of the pages.
  let format: PageFormat
  /// The number of pages that there are, of which some may be missing.
  let pageCount: Int
  /// The number of pages that are in the file as a whole, or beside it.
  let wholeCount: Int
  /// The pages whose newest image is lost.
  let outdatedPages: Set<Int>
  /// The number of pages that come from the log or the journal.
  let imageCount: Int

  private let file: DamagedFile
  private let images: [Int: Int64]
  private var imageDescriptor: Int32 = -1
  private let window: UnsafeMutableRawPointer
  private var (firstInWindow, countInWindow) = (0, 0)

  private static let windowSize = 128 << 10

  /// Prepares to read pages.
  ///
  /// - Parameters:
  ///   - pageCount: The number of pages, if the header or the log says it.
  ///   - images: The pages that are not in the file itself.
  init(_ file: DamagedFile, _ format: PageFormat, pageCount: Int?, _ images: PageImages) throws(MigrationError) {
    (self.file, self.format, self.images) = (file, format, images.offsets)
    let fileCount = file.size > 0 ? Int(clamping: (file.size - 1) / Int64(format.pageSize) + 1) : 0
    self.pageCount = min(Int(UInt32.max) - 1, max(pageCount ?? fileCount, images.pageCount == nil ? fileCount : 0))
    let inFile = min(self.pageCount, Int(clamping: file.size / Int64(format.pageSize)))
    wholeCount = min(self.pageCount, max(inFile, images.offsets.keys.max() ?? 0))
    (outdatedPages, imageCount) = (images.outdatedPages, images.offsets.count)
    let size = max(Self.windowSize, format.pageSize) + TreePageReader.padding
    window = .allocate(byteCount: size, alignment: 16)
    window.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    if let path = images.path {
      imageDescriptor = try FileSystem.openFile(path, O_RDONLY, orThrow: .unreadable)
    }
  }

  deinit {
    window.deallocate()
    if imageDescriptor >= 0 { close(imageDescriptor) }
  }

  /// The bytes of a page, followed by ``TreePageReader/padding``, which stay until the next is read; `nil` if not all of them
  /// are there, or the disk refuses them.
  func load(_ page: Int) throws(MigrationError) -> UnsafeRawPointer? {
    guard page > 0, page <= pageCount else { return nil }
    if page >= firstInWindow, page < firstInWindow + countInWindow {
      return UnsafeRawPointer(window) + (page - firstInWindow) * format.pageSize
    }
    if EndRequest.isMade { throw MigrationError(.interrupted, path: file.path) }
    let isNext = countInWindow > 0 && page == firstInWindow + countInWindow
    countInWindow = 0
    if let offset = images[page] {
      guard read(1, from: imageDescriptor, at: offset) == 1 else { return nil }
      (firstInWindow, countInWindow) = (page, 1)
      return UnsafeRawPointer(window)
    }
    // Pages that follow each other are read together, up to the first that is in the log.
    var wanted = isNext ? max(1, Self.windowSize / format.pageSize) : 1
    wanted = min(wanted, pageCount - page + 1)
    if !images.isEmpty, let end = (1..<max(wanted, 1)).first(where: { images[page + $0] != nil }) { wanted = end }
    let offset = Int64(page - 1) * Int64(format.pageSize)
    var found = read(wanted, from: file.descriptor, at: offset)
    // A bad sector must not take its neighbours with it.
    if found == 0, wanted > 1 { found = read(1, from: file.descriptor, at: offset) }
    guard found > 0 else { return nil }
    (firstInWindow, countInWindow) = (page, found)
    return UnsafeRawPointer(window)
  }

  /// Whether a page comes from the log or the journal.
  func isImage(_ page: Int) -> Bool { images[page] != nil }

  /// Copies a page, so that others can be read beside it.
  ///
  /// - Returns: Whether it is there.
  func copy(_ page: Int, to memory: PageMemory) throws(MigrationError) -> Bool {
    guard let bytes = try load(page) else { return false }
    memory.bytes.copyMemory(from: bytes, byteCount: format.pageSize)
    return true
  }

  /// The first page from this one on that is not in a hole of the file.
  func nextPage(from page: Int) -> Int? {
    guard page <= pageCount else { return nil }
    let data = file.nextData(from: Int64(page - 1) * Int64(format.pageSize))
    let inFile = data.map { Int($0 / Int64(format.pageSize)) + 1 } ?? Int.max
    // Most pages may be in the log only. To search all of them for each would take too long.
    if images[page] != nil { return page }
    if inFile <= page || images.isEmpty { return inFile <= pageCount ? inFile : nil }
    let next = images.keys.lazy.filter { $0 >= page }.min() ?? Int.max
    let found = min(inFile, next)
    return found <= pageCount ? found : nil
  }

  /// Reads whole pages into the window, and returns their number.
  private func read(_ count: Int, from descriptor: Int32, at offset: Int64) -> Int {
    let bytes = UnsafeMutableRawBufferPointer(start: window, count: count * format.pageSize)
    return (FileSystem.read(descriptor, into: bytes, at: off_t(offset)) ?? 0) / format.pageSize
  }
}

/// The pages beside a file: those of its log, or those that a journal keeps.
struct PageImages {
  /// The file that they are in.
  var path: String?
  var offsets: [Int: Int64] = [:]
  /// The number of pages of the store; `nil` if nothing says it.
  var pageCount: Int?
  var outdatedPages: Set<Int> = []
  /// The number of damaged frames of the log whose pages are not known.
  var unknownFrameCount = 0
  /// The number of frames of the log whose transaction has no end.
  var openFrameCount = 0
  /// The reason why pages of the file may be of a transaction that was never committed; `nil` if none are.
  var journalDamage: String?
  /// The size of the pages; `nil` if there are none.
  var pageSize: Int?

  /// No pages.
  init() {}

  /// Reads the journal or the log of a file.
  init(beside file: DamagedFile) throws(MigrationError) {
    if let journal = try JournalPages(ofJournalAt: file.journalPath) {
      (journalDamage, outdatedPages) = (journal.damage, journal.damagedPages)
      if !journal.offsets.isEmpty {
        (path, offsets, pageCount) = (file.journalPath, journal.offsets, journal.pageCount)
        pageSize = journal.pageSize
        return
      }
    }
    let header = file.read(FileHeader.size, at: 0).flatMap { FileHeader($0) }
    guard let log = try LogPages(ofLogAt: file.logPath, pageSize: header?.format.pageSize), let count = log.pageCount
    else { return }
    (path, offsets, pageCount) = (file.logPath, log.offsets, count)
    (outdatedPages, unknownFrameCount) = (outdatedPages.union(log.outdatedPages), log.unknownFrameCount)
    openFrameCount = log.openFrameCount
    pageSize = log.pageSize
  }
}

/// Memory for a page, and for what is read beyond its end.
final class PageMemory {
  let bytes: UnsafeMutableRawPointer

  init(_ format: PageFormat) {
    let size = format.pageSize + TreePageReader.padding
    bytes = .allocate(byteCount: size, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { bytes.deallocate() }

  /// The page.
  var page: UnsafeRawPointer { UnsafeRawPointer(bytes) }
}
