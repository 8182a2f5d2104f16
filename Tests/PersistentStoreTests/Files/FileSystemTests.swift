import MigrationDiagnostics
import TestSupport
import Testing

@testable import PersistentStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct FileSystemTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [
    ("a", ".", "a"), ("/a", "/", "a"), ("/a/b", "/a", "b"), ("a/b", "a", "b"), ("/a/", "/a", ""), ("./a", ".", "a"),
  ])
  func `A path is split into folder and name`(path: String, folder: String, name: String) {
    #expect(FileSystem.split(path).folder == folder)
    #expect(FileSystem.split(path).name == name)
  }

  @Test(arguments: [("a", "x"), ("/a", "/x"), ("/a/b", "/a/x"), ("a/b", "a/x"), ("./a", "./x")])
  func `A sibling is in the same folder`(path: String, sibling: String) {
    #expect(FileSystem.sibling(of: path, named: "x") == sibling)
  }

  @Test func `A folder that is writable but not listable need not be synced`() throws {
    folder.setPermissions(0o733)
    try Privileges.asNobody { try FileSystem.synchronizeFolder(of: folder.file("x")) }
  }

  @Test func `A missing folder cannot be synced`() throws {
    #expect(throws: MigrationError.self) { try FileSystem.synchronizeFolder(of: folder.file("no/such")) }
  }

  @Test(.enabled(if: Files.exists("/proc/self"), "there is no /proc"))
  func `A folder of a file system that cannot sync folders need not be synced`() throws {
    try FileSystem.synchronizeFolder(of: "/proc/x")
  }

  @Test func `A file that must not stay is missed if it is missing, and reported if it stays`() throws {
    try FileSystem.remove(folder.file("missing"), orThrow: .inputOutput)
    let inner = try folder.makeFolder("inner")
    let error = try #require(throws: MigrationError.self) { try FileSystem.remove(inner, orThrow: .cannotReplace) }
    #expect(error.code == .cannotReplace)
    #expect(error.subject.path == inner)
  }

  @Test func `A lock that another program has is no missing lock service`() throws {
    try Files.write("x", to: folder.file("a"))
    let descriptors = (0..<2).map { _ in open(folder.file("a"), O_RDWR | O_CLOEXEC) }
    defer { for descriptor in descriptors { close(descriptor) } }
    // A lock of the descriptor, because those of one process do not exclude each other. 37 is F_OFD_SETLK on Linux.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    #expect(fcntl(descriptors[0], 37, &lock) == 0)
    try FileSystem.requireLocks(descriptors[1], named: "a")
  }

  @Test func `A copy has the same bytes and permissions and replaces nothing`() throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Files.write(bytes, to: folder.file("a"))
    try Files.setPermissions(0o640, of: folder.file("a"))
    try FileSystem.copy(folder.file("a"), to: folder.file("b"))
    #expect(try Files.bytes(folder.file("b")) == bytes)
    #expect(try #require(FileStatus(folder.file("b"))).mode == 0o640)
    #expect(
      try #require(throws: MigrationError.self) {
        try FileSystem.copy(folder.file("a"), to: folder.file("b"))
      }.code == .cannotCreate)
  }

  @Test func `files are equal only to their last byte`() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var other = bytes
    other[199_999] ^= 1
    for (name, bytes) in [("a", bytes), ("same", bytes), ("late", other), ("short", Array(bytes.dropLast()))] {
      try Files.write(bytes, to: folder.file(name))
    }
    try Files.link(folder.file("link"), to: folder.file("a"))
    let alike = ["a", "same", "late", "short", "link", "missing"].filter {
      FileContents.areEqual(folder.file("a"), folder.file($0))
    }
    #expect(alike == ["a", "same"])
  }

  @Test func `Moving without replacing keeps an existing target and otherwise leaves one name`() throws {
    try Files.write("new", to: folder.file("a"))
    try Files.write("old", to: folder.file("b"))
    #expect(try !FileSystem.moveWithoutReplacing(folder.file("a"), to: folder.file("b")))
    #expect(try FileSystem.moveWithoutReplacing(folder.file("a"), to: folder.file("c")))
    #expect(try folder.listing() == ["b", "c"])
    #expect(try Files.text(folder.file("b")) == "old")
    #expect(try Files.text(folder.file("c")) == "new")
  }

  @Test func `Writing to a pipe without a reader waits until it is canceled`() throws {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    var questions = 0
    let error = try #require(throws: MigrationError.self) {
      try FileSystem.writeToDevice([1], at: folder.file("pipe")) {
        questions += 1
        return questions == 3
      }
    }
    #expect(error.code == .interrupted)
    #expect(questions == 3)
  }

  @Test func `Writing to a full pipe waits until it is canceled`() throws {
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    let reader = open(folder.file("pipe"), O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let error = try #require(throws: MigrationError.self) {
      try FileSystem.writeToDevice([UInt8](repeating: 7, count: 1 << 22), at: folder.file("pipe")) { true }
    }
    #expect(error.code == .interrupted)
  }

  @Test(
    arguments: [
      (user: 6, group: 0, others: 0, mode: 0o660, expected: 0o600), (0, 6, 4, 0o664, 0o600), (4, 6, 4, 0o664, 0o644),
      (7, 4, 0, 0o670, 0o640),
    ] as [(user: UInt8, group: UInt8, others: UInt8, mode: UInt32, expected: UInt32)])
  func `Removing an access control list gives nobody more rights`(
    user: UInt8, group: UInt8, others: UInt8, mode: UInt32, expected: UInt32
  ) throws {
    let bytes = Files.accessList(owner: 6, user: (7, user), group: group, others: others)
    let list = try #require(AccessControlList(bytes))
    #expect(list.permissions(insteadOf: mode) == expected)
  }

  @Test func `An inaccessible file is not reported as missing`() throws {
    try Files.write("there", to: folder.file("a"))
    #expect(try FileSystem.isThere(folder.file("a")))
    #expect(try !FileSystem.isThere(folder.file("b")))
    #expect(try !FileSystem.isThere(folder.file("a/b")))
    folder.setPermissions(0o000)
    try Privileges.asNobody {
      #expect(throws: MigrationError.self) { try FileSystem.isThere(folder.file("b")) }
      #expect(FileSystem.exists(folder.file("b")))
    }
  }

  @Test func `Writing does not follow a link`() throws {
    try Files.write("precious", to: folder.file("precious"))
    try Files.link(folder.file("link"), to: folder.file("precious"))
    #expect(throws: MigrationError.self) { try FileSystem.write([1], to: folder.file("link")) }
    #expect(try Files.text(folder.file("precious")) == "precious")
  }

  @Test(.enabled(if: Files.exists("/dev/full"), "needs /dev/full"))
  func `A full disk is reported as such`() throws {
    let error = try #require(throws: MigrationError.self) { try FileSystem.writeToDevice([1, 2, 3], at: "/dev/full") }
    #expect(error.code == .diskFull)
    #expect(error.exitStatus == 75)
  }
}
