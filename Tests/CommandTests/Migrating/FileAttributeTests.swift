import Foundation
import TestSupport
import Testing

/// The attributes of a file: an access control list and an extended attribute.
private enum Adornment {
  /// A list that lets one other user read and write, but not the group, although the file's mode is 0660.
  static let list = Files.accessList(owner: 6, user: (65534, 6), group: 0, others: 0)
  static let tag = Array("gift".utf8)

  /// Gives a file both attributes.
  ///
  /// - Returns: `false` if the file system supports neither.
  static func give(to path: String) -> Bool {
    Files.setAttribute("user.tag", tag, of: path) && Files.setAttribute(Files.accessList, list, of: path)
  }

  static let isPossible: Bool = {
    guard let folder = try? TemporaryFolder(), let path = try? folder.write([], to: "x") else { return false }
    return give(to: path)
  }()
}

@Suite("Access control lists and extended attributes", .enabled(if: Adornment.isPossible))
struct FileAttributeTests {
  let folder: TemporaryFolder
  let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = try folder.library()
    try #require(Adornment.give(to: library))
  }

  private func requireAll(_ path: String) throws {
    #expect(Files.attribute(Files.accessList, of: path) == Adornment.list, "\(path)")
    #expect(Files.attribute("user.tag", of: path) == Adornment.tag, "\(path)")
    #expect(try Files.access(path).mode == 0o660, "\(path)")
  }

  @Test func `The new library and its backup keep the attributes`() throws {
    try successfully(library)
    try requireAll(library)
    try requireAll(library + ".v1-backup")
  }

  @Test func `An output gets the attributes`() throws {
    let output = folder.file("New.sqlite")
    let result = try successfully(library, "--output", output)
    try requireAll(output)
    #expect(!result.stderr.contains("warning"))
  }

  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"))
  func `A copied backup gets the attributes`() throws {
    guard let injector = FaultInjector.shared else { return }
    var runner = CommandRunner([library])
    runner.environment = injector.environment(root: folder.path, ["DENY": "\(EPERM)"])
    #expect(try runner.run().status == 0)
    #expect(try Files.fileNumber(library) != Files.fileNumber(library + ".v1-backup"))
    try requireAll(library + ".v1-backup")
  }

  /// An attribute that grows between the question for its size and its reading is read again.
  @Test(
    .enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"),
    // The first value that is asked for is the access list, for the files that are made beside the library.
    arguments: [("llistxattr", 1), ("lgetxattr", 2)])
  func `An attribute that cannot be read is read again, or the disk error is reported`(
    function: String, call: Int
  ) throws {
    guard let injector = FaultInjector.shared else { return }
    for (number, status) in [(ERANGE, 0), (EIO, 74)] as [(Int32, Int32)] {
      let folder = try TemporaryFolder()
      let path = try folder.library()
      try #require(Adornment.give(to: path))
      let before = try folder.snapshot()
      var runner = CommandRunner([path])
      let strike = ["KINDS": "look", "ONLY": function, "CALL": "\(call)", "ACTION": "\(number)"]
      runner.environment = injector.environment(root: folder.path, strike)
      let result = try runner.run()
      #expect(result.status == status, "\(result)")
      #expect(result.stderr.contains("struck \(function)"))
      if status == 0 { try requireAll(path) } else { #expect(try folder.snapshot() == before) }
    }
  }

  @Test func `Documents get the library's access control list but not its extended attributes`() throws {
    try successfully(library)
    for suffix in [".migration.json", ".rejects.ndjson"] {
      #expect(Files.attribute(Files.accessList, of: library + suffix) == Adornment.list, "\(suffix)")
      #expect(Files.attribute("user.tag", of: library + suffix) == nil, "\(suffix)")
    }
  }

  @Test func `A folder's default list is not given to a library without one`() throws {
    let inner = try folder.makeFolder("inner")
    let path = inner + "/Library.sqlite"
    try LibraryBuilder().write(to: path)
    chmod(path, 0o640)
    let inherited = Files.accessList(owner: 7, user: (65534, 7), group: 7, others: 0)
    try #require(Files.setAttribute("system.posix_acl_default", inherited, of: inner))
    try successfully(path)
    for suffix in ["", ".migration.json", ".rejects.ndjson"] {
      #expect(Files.attribute(Files.accessList, of: path + suffix) == nil, "\(suffix)")
      #expect(try Files.access(path + suffix).mode == 0o640, "\(suffix)")
    }
  }

  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"), arguments: [false, true])
  func `Attributes that cannot be kept are reported, and nobody gains permissions`(isApp: Bool) throws {
    guard let injector = FaultInjector.shared else { return }
    let memory = try TemporaryFolder(isInMemory: true)
    let store = try PictureStore()
    let path = isApp ? try store.copy(to: memory) : library
    guard !isApp || Adornment.give(to: path) else { return }
    var runner = CommandRunner(isApp ? [path, "--model", store.model] : [path])
    runner.environment = injector.environment(root: isApp ? memory.path : folder.path, ["PLAIN": "1"])
    let result = try runner.run()
    #expect(result.status == 0)
    #expect(result.stderr.contains("access control list, user.tag"), "\(result)")
    #expect(try Files.access(path).mode == 0o600)
    #expect(Files.attribute(Files.accessList, of: path) == nil)
  }

  @Test(
    .enabled(if: geteuid() == 0, "needs another user"), arguments: [(0o660, 0o600), (0o664, 0o644), (0o2666, 0o666)])
  func `A group that cannot be kept loses its permissions`(mode: UInt32, expected: UInt32) throws {
    folder.setPermissions(0o777)
    let path = try folder.library("Other.sqlite")
    chown(path, 65534, 1234)
    chmod(path, mode_t(mode))
    guard let result = try StrangerRunner.run([path]) else { return }
    #expect(result.status == 0)
    #expect(result.stderr.contains("warning: '\(path)' could not be given the old library's group."))
    let access = try Files.access(path)
    #expect(access.mode == expected)
    #expect(access.groupID == 65534)
  }
}
