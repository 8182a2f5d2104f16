import SQLiteDatabase
import TestSupport
import Testing

@testable import PersistentStore

/// Pages that are appended behind SQLite's back, as its file format wants them.
struct DatabasePagesTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("New.sqlite")
  }

  private func integer(at offset: Int) throws -> Int {
    try Files.bytes(path, limit: offset + 4).suffix(4).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Appends pages that are each full of their place, and gives their numbers.
  private func append(_ count: Int, to pages: DatabasePages) throws -> [UInt32] {
    try (1...count).map { place in
      try [UInt8](repeating: UInt8(place), count: pages.pageSize).withUnsafeBytes { bytes in try pages.append(bytes) }
    }
  }

  @Test func `An open connection sees that the file has changed`() throws {
    try Database.run("CREATE TABLE t (a)", in: path)
    let connection = try Connection(path: path, access: .readWrite)
    #expect(try connection.integer("PRAGMA page_count") == 2)
    let counter = try integer(at: 24)
    let pages = try DatabasePages(path: path)
    #expect(try append(2, to: pages) == [3, 4])
    try pages.finish()
    #expect(try integer(at: 24) == counter + 1)
    // The number of pages is believed only where this is the same.
    #expect(try integer(at: 92) == counter + 1)
    #expect(try integer(at: 28) == 4)
    #expect(try connection.integer("PRAGMA page_count") == 4)
  }

  /// Of the page with the byte at 1 GiB SQLite locks bytes, so that it has no content; what of the file comes before is a
  /// hole.
  @Test(arguments: [(512, 0), (1024, 1), (4096, 0), (65536, 2)])
  func `The page that contains the lock bytes is skipped`(pageSize: Int, autoVacuum: Int) throws {
    try Database.run(
      "PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum); CREATE TABLE t (a)", in: path)
    let lockPage = 0x4000_0000 / pageSize + 1
    var header = try Files.bytes(path, limit: 100)
    let oldCount = lockPage - 4
    for (place, shift) in [24, 16, 8, 0].enumerated() { header[28 + place] = UInt8(oldCount >> shift & 0xFF) }
    try Files.write(header, to: path)
    try Files.resize(path, to: UInt64(oldCount * pageSize))

    let pages = try DatabasePages(path: path)
    let numbers = try append(6, to: pages).map(Int.init)
    for number in numbers { pages.setParent(of: UInt32(number), to: 7) }
    try pages.finish()
    // With pages of 1,024 bytes the pointer map would be there, so it is on the next page.
    let maps = pageSize == 1024 ? [lockPage, lockPage + 1] : [lockPage]
    #expect(numbers == Array((oldCount + 1..<oldCount + 20).filter { !maps.contains($0) }.prefix(6)))
    #expect(try integer(at: 28) == numbers.last)

    let file = try #require(OpenPages(path, pageSize))
    #expect(file.page(lockPage).allSatisfy { $0 == 0 })
    for (place, number) in numbers.enumerated() {
      #expect(file.page(number).allSatisfy { $0 == UInt8(place + 1) }, "page \(number)")
    }
    guard pageSize == 1024 else { return }
    // The entries of the pages that come after the map: pages of a b-tree, with their parent.
    let entries = file.page(lockPage + 1)
    for number in numbers where number > lockPage {
      let start = 5 * (number - lockPage - 2)
      #expect(Array(entries[start..<start + 5]) == [5, 0, 0, 0, 7], "page \(number)")
    }
    #expect(entries[(5 * (numbers.count))...].allSatisfy { $0 == 0 })
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The pages of a file that is too large to be read as a whole.
private final class OpenPages {
  private let descriptor: Int32
  private let pageSize: Int

  init?(_ path: String, _ pageSize: Int) {
    descriptor = open(path, O_RDONLY)
    self.pageSize = pageSize
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  func page(_ number: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: pageSize)
    let count = pread(descriptor, &bytes, pageSize, off_t((number - 1) * pageSize))
    return count == pageSize ? bytes : []
  }
}
