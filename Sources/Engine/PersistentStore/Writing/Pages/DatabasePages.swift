internal import Dispatch
internal import MigrationDiagnostics
internal import SystemC

/// Appends pages to a database file while no connection has it locked.
///
/// This is SQLite's own file format (sqlite.org/fileformat2.html): the pages come after the last one, each with an entry in
/// the pointer map if the file has one, and `finish` updates the header on page 1. The change counter there tells open
/// connections that their cache is out of date.
final class DatabasePages {
  let pageSize: Int
  /// The bytes of a page that hold content.
  let usableSize: Int

  private let path: String
  /// The file, from `begin` to `finish`: to close it would release locks of SQLite's.
  private var file: OpenFile?
  private var descriptor: Int32 = -1
  private let hasPointerMap: Bool
  private var changeCounter: UInt32 = 0
  private var oldPageCount: UInt32 = 0
  /// The number of the last page.
  private var pageCount: UInt32 = 0
  /// The new pages whose parents are known.
  private var parents: [(page: UInt32, parent: UInt32)] = []
  /// Consecutive pages that have not been written yet.
  private let background: BackgroundWrites
  private var bufferStart: UInt32 = 0
  private var bufferCount = 0

  private static let bufferSize = 1 << 18

  // The file is closed after this.
  deinit { background.wait() }

  /// Begins to append pages.
  init(path: String) throws(MigrationError) {
    self.path = path
    let file = try Self.open(path)
    let header = try Self.read(100, at: 0, from: file.descriptor, path: path)
    let size = Int(header.integer(at: 16, count: 2))
    pageSize = size == 1 ? 65536 : size
    usableSize = pageSize - Int(header[20])
    hasPointerMap = header.integer(at: 52, count: 4) != 0
    background = BackgroundWrites(bufferSize: Self.bufferSize)
    guard pageSize >= 512, usableSize >= 480 else { throw Self.contradiction(path) }
    try begin(file, header)
  }

  /// Begins again, after SQLite has written to the file.
  func begin() throws(MigrationError) {
    let file = try Self.open(path)
    try begin(file, Self.read(100, at: 0, from: file.descriptor, path: path))
  }

  private func begin(_ file: consuming OpenFile, _ header: [UInt8]) throws(MigrationError) {
    descriptor = file.descriptor
    self.file = file
    changeCounter = header.integer(at: 24, count: 4)
    oldPageCount = header.integer(at: 28, count: 4)
    pageCount = oldPageCount
    guard changeCounter == header.integer(at: 92, count: 4),
      lseek(descriptor, 0, SEEK_END) == off_t(oldPageCount) * off_t(pageSize)
    else { throw Self.contradiction(path) }
  }

  private static func open(_ path: String) throws(MigrationError) -> OpenFile {
    OpenFile(descriptor: try FileSystem.openFile(path, O_RDWR, orThrow: .inputOutput))
  }

  private static func contradiction(_ path: String) -> MigrationError {
    MigrationError(.migrationFailed, path: path, detail: "its header and its size do not agree")
  }

  /// Adds a page and returns its number.
  func append(_ page: UnsafeRawBufferPointer) throws(MigrationError) -> UInt32 {
    guard pageCount < UInt32.max - 4 else {
      throw MigrationError(.migrationFailed, path: path, detail: "it has no room for more pages")
    }
    repeat { pageCount += 1 } while isReserved(pageCount)
    let isConsecutive = bufferStart + UInt32(bufferCount / pageSize) == pageCount
    if bufferCount > 0, !isConsecutive || bufferCount + pageSize > Self.bufferSize {
      background.write(bufferCount, to: descriptor, at: bufferOffset, path: path)
      bufferCount = 0
    }
    if bufferCount == 0 { bufferStart = pageCount }
    UnsafeMutableRawBufferPointer(rebasing: background.buffer[bufferCount...]).copyMemory(from: page)
    bufferCount += pageSize
    return pageCount
  }

  /// Sets the parent of an appended page.
  func setParent(of page: UInt32, to parent: UInt32) {
    if hasPointerMap { parents.append((page, parent)) }
  }

  /// Replaces an existing page.
  func replace(_ number: UInt32, with page: UnsafeRawBufferPointer) throws(MigrationError) {
    try write(page, at: off_t(number - 1) * off_t(pageSize))
  }

  /// Writes what is left, updates the header and lets go of the file, which the disk gets meanwhile: there is time while
  /// rows are read and checked, and at the end there is nothing else to do.
  func finish() throws(MigrationError) {
    try flush()
    if let failure = background.wait() { throw failure }
    try writePointerMap()
    // The last page may be an empty pointer map page.
    var header: [UInt8] = []
    header.append(bigEndian: changeCounter &+ 1)
    header.append(bigEndian: pageCount)
    try write(header[...], at: 24)
    try write(header.prefix(4), at: 92)
    FileSystem.startWriting(descriptor)
    file = nil
  }

  private func flush() throws(MigrationError) {
    guard bufferCount > 0 else { return }
    try write(UnsafeRawBufferPointer(rebasing: background.buffer[..<bufferCount]), at: bufferOffset)
    bufferCount = 0
  }

  private var bufferOffset: off_t { off_t(bufferStart - 1) * off_t(pageSize) }

  // MARK: - The pointer map

  /// The page whose bytes SQLite locks, which never has content.
  private var lockPage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }

  /// The page of the pointer map with the parent of another page.
  private func mapPage(of page: UInt32) -> UInt32 {
    let pagesPerMap = UInt32(usableSize / 5) + 1
    let map = (page - 2) / pagesPerMap * pagesPerMap + 2
    return map == lockPage ? map + 1 : map
  }

  private func isReserved(_ page: UInt32) -> Bool {
    page == lockPage || hasPointerMap && mapPage(of: page) == page
  }

  private func writePointerMap() throws(MigrationError) {
    var (map, content): (UInt32, [UInt8]) = (0, [])
    for (page, parent) in parents.sorted(by: { $0.page < $1.page }) {
      if mapPage(of: page) != map {
        try replaceMap(map, content)
        map = mapPage(of: page)
        content = try contentOfMap(map)
      }
      let offset = 5 * Int(page - map - 1)
      // 5 is the type of a b-tree page that is not a root.
      content[offset] = 5
      content.replace(at: offset + 1, bigEndian: parent)
    }
    try replaceMap(map, content)
    parents = []
  }

  private func contentOfMap(_ map: UInt32) throws(MigrationError) -> [UInt8] {
    guard map <= oldPageCount else { return [UInt8](repeating: 0, count: pageSize) }
    return try Self.read(pageSize, at: off_t(map - 1) * off_t(pageSize), from: descriptor, path: path)
  }

  private func replaceMap(_ map: UInt32, _ content: [UInt8]) throws(MigrationError) {
    guard map != 0 else { return }
    try write(content[...], at: off_t(map - 1) * off_t(pageSize))
  }

  // MARK: - Bytes

  private func write(_ bytes: ArraySlice<UInt8>, at offset: off_t) throws(MigrationError) {
    try bytes.withUnsafeBufferPointer { bytes throws(MigrationError) in
      try write(UnsafeRawBufferPointer(bytes), at: offset)
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: off_t) throws(MigrationError) {
    try Self.write(bytes, to: descriptor, at: offset, path: path)
  }

  /// Writes bytes to a place in a file.
  static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: off_t, path: String
  ) throws(MigrationError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, offset + off_t(done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileSystem.failure(.inputOutput, path) }
      done += count
    }
  }

  private static func read(
    _ count: Int, at offset: off_t, from descriptor: Int32, path: String
  ) throws(MigrationError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard let read = FileSystem.read(descriptor, into: &bytes, at: offset) else {
      throw FileSystem.failure(.inputOutput, path)
    }
    guard read == count else { throw MigrationError(.inputOutput, path: path, detail: "it ends too early") }
    return bytes
  }
}

/// Writes consecutive pages on another thread, so that the one that makes them need not wait until the system has copied
/// them.
private final class BackgroundWrites: @unchecked Sendable {
  private let queue = BackgroundQueue()
  /// One buffer is filled while the others are written.
  private let buffers: [UnsafeMutableRawBufferPointer]
  private let room: DispatchSemaphore
  private var current = 0
  /// Accessed only by the queue's work, and once that is done.
  private var failure: MigrationError?

  init(bufferSize: Int) {
    buffers = (0..<3).map { _ in .allocate(byteCount: bufferSize, alignment: 16) }
    room = DispatchSemaphore(value: 0)
    for _ in buffers.dropFirst() { room.signal() }
  }

  deinit { buffers.forEach { $0.deallocate() } }

  /// The buffer to fill.
  var buffer: UnsafeMutableRawBufferPointer { buffers[current] }

  /// Writes the beginning of the buffer to a file, which must stay open until `wait` has been called, and takes the next.
  func write(_ count: Int, to descriptor: Int32, at offset: off_t, path: String) {
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    nonisolated(unsafe) let content = bytes
    room.wait()
    current = (current + 1) % buffers.count
    queue.async { [self] in
      do throws(MigrationError) {
        try DatabasePages.write(content, to: descriptor, at: offset, path: path)
      } catch {
        failure = failure ?? error
      }
      room.signal()
    }
  }

  /// Waits until everything is written, and returns the first error.
  @discardableResult
  func wait() -> MigrationError? {
    queue.wait()
    return failure
  }
}

extension [UInt8] {
  fileprivate func integer(at offset: Int, count: Int) -> UInt32 {
    self[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt32($1) }
  }

  fileprivate mutating func append(bigEndian value: UInt32) {
    for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
  }

  fileprivate mutating func replace(at offset: Int, bigEndian value: UInt32) {
    for (place, shift) in [24, 16, 8, 0].enumerated() {
      self[offset + place] = UInt8(truncatingIfNeeded: value >> UInt32(shift))
    }
  }
}
