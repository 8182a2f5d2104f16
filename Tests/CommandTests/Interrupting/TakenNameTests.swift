import Foundation
import TestSupport
import Testing

/// Stops a command before each of its calls in turn and puts another file under an important name.
///
/// Locks belong to files and not to names, so they do not prevent this.
@Suite(
  "Files replaced by someone else during a command",
  .enabled(if: !Sanitizer.isOn && FaultInjector.shared != nil, "needs a C compiler"))
struct TakenNameTests {
  /// The calls between the last check and the rename that follows it.
  ///
  /// Nothing is promised between them.
  private static let calls: [Fault.Kind] = [.sync, .mode, .lock]

  private func makeOther(in folder: TemporaryFolder) throws -> (path: String, bytes: [UInt8]) {
    let path = try folder.library("Other.sqlite", [TrackRow(title: "Theirs", artistName: "Them")])
    return (path, try Files.bytes(path))
  }

  @Test func `A library that replaces the one being migrated is not lost`() throws {
    var statuses: Set<Int32?> = []
    let count = try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      let other = try makeOther(in: folder)
      let result = try CommandRunner([library]).run(stoppedAt: call, of: [.sync, .mode], in: folder) {
        rename(other.path, library)
      }
      guard let result else { return nil }
      statuses.insert(result.status)
      // Until it is opened for the first time, the other file is the library.
      let isKept = try [library, library + ".v1-backup"].contains { try Files.bytes($0) == other.bytes }
      #expect(isKept, "call \(call): \(result)")
      if result.status != 0 {
        #expect(try Files.bytes(library) == other.bytes, "call \(call): \(result)")
        #expect(result.status == 75, "call \(call): \(result)")
        #expect(try folder.listing() == ["Library.sqlite"], "call \(call): \(result)")
      }
      return result
    }
    #expect(count > 5)
    // Before and after it was replaced.
    #expect(statuses == [75, 0])
  }

  @Test(arguments: ["Library.sqlite", "Library.sqlite.v1-backup"])
  func `A file that replaces the one being restored is not lost`(name: String) throws {
    let count = try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      try successfully(library, "--quiet")
      let other = try makeOther(in: folder)
      let result = try CommandRunner(["restore", library]).run(stoppedAt: call, of: Self.calls, in: folder) {
        rename(other.path, folder.file(name))
      }
      guard let result else { return nil }
      let isThere = try folder.listing().contains { try Files.bytes(folder.file($0)) == other.bytes }
      #expect(isThere, "call \(call): \(result)")
      if result.status != 0 {
        #expect([65, 66, 75].contains(result.status), "call \(call): \(result)")
        #expect(try Files.bytes(folder.file(name)) == other.bytes, "call \(call): \(result)")
        #expect(try !folder.listing().contains { $0.contains(".tracks-migrate") || $0.hasSuffix(".replaced") })
      }
      return result
    }
    #expect(count > 10)
  }

  @Test func `A failed restoration leaves no external data files behind`() throws {
    let store = try PictureStore()
    let migrated = try TemporaryFolder(isInMemory: true)
    try successfully(try store.copy(to: migrated), "--model", store.model, "--quiet")
    // Since then the app has removed one value and added another.
    let values = ".App_SUPPORT/_EXTERNAL_DATA/"
    Files.remove(migrated.file(values + "00000001-ABCD-4EF0-8123-456789ABCDEF"))
    try migrated.write([1, 2, 3], to: values + "0000000A-ABCD-4EF0-8123-456789ABCDEF")
    let image = try FolderImage(migrated.path)
    var failures = 0
    try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      try image.write(to: folder.path)
      let library = folder.file("App.sqlite")
      let other = try makeOther(in: folder)
      let result = try CommandRunner(["restore", library]).run(stoppedAt: call, of: [.sync], in: folder) {
        rename(other.path, library)
      }
      guard let result, result.status != 0 else { return result }
      failures += 1
      #expect(try FolderImage(folder.path).listing == image.listing, "call \(call): \(result)")
      return result
    }
    #expect(failures > 0)
  }

  @Test func `External data files that somebody else puts beside an output are kept`() throws {
    let store = try PictureStore()
    var failures = 0
    try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let path = try store.copy(to: folder)
      let theirs = folder.file(".New_SUPPORT")
      var isPlaced = false
      let result = try CommandRunner([path, "--model", store.model, "--output", folder.file("New.sqlite")]).run(
        stoppedAt: call, of: [.name], in: folder, ["ONLY": "rename"]
      ) {
        guard !Files.exists(theirs) else { return }
        try FileManager.default.copyItem(atPath: folder.file(".App_SUPPORT"), toPath: theirs)
        isPlaced = true
      }
      guard let result, isPlaced else { return result }
      if result.status != 0 { failures += 1 }
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.file(".App_SUPPORT/_EXTERNAL_DATA")) {
        #expect(Files.exists("\(theirs)/_EXTERNAL_DATA/\(name)"), "call \(call): \(result)")
      }
      return result
    }
    #expect(failures > 0)
  }

  @Test func `A run notices that its backup was replaced and keeps the replacement`() throws {
    var wasReplaced = false
    try forEachCall { call in
      guard !wasReplaced else { return nil }
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      let old = try Files.bytes(library)
      let other = try makeOther(in: folder)
      let backup = library + ".v1-backup"
      let result = try CommandRunner([library]).run(stoppedAt: call, of: [.sync], in: folder) {
        if Files.exists(backup) { wasReplaced = rename(other.path, backup) == 0 }
      }
      guard wasReplaced, let result else { return result }
      #expect(result.status == 75, "\(result)")
      #expect(try Files.bytes(backup) == other.bytes)
      #expect(try Files.bytes(library) == old)
      #expect(try folder.listing() == ["Library.sqlite", "Library.sqlite.v1-backup"])
      return result
    }
    #expect(wasReplaced)
  }

  @Test(arguments: ["Library.sqlite.v1-backup", "Library.sqlite.migration.json", "Library.sqlite.rejects.ndjson"])
  func `A failed run that removes its own files keeps those of others`(name: String) throws {
    var failures = 0
    try forEachCall(every: Rounds.areMany ? 1 : 2) { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      let other = try makeOther(in: folder)
      let theirs = try folder.write([1, 2, 3], to: "theirs")
      var wasReplaced = false
      let result = try CommandRunner([library]).run(stoppedAt: call, of: [.sync, .mode, .look], in: folder) {
        guard Files.exists(folder.file(name)), Files.exists(folder.file(".Library.sqlite.tracks-migrate")) else {
          return
        }
        wasReplaced = rename(theirs, folder.file(name)) == 0 && rename(other.path, library) == 0
      }
      guard let result, wasReplaced, result.status != 0 else { return result }
      failures += 1
      #expect(try Files.bytes(folder.file(name)) == [1, 2, 3], "call \(call): \(result)")
      let remark = "'\(folder.file(name))' is another program's file by now and was left alone"
      #expect(result.stderr.contains(remark), "call \(call): \(result)")
      #expect(try folder.listing() == ["Library.sqlite", name], "call \(call): \(result)")
      return result
    }
    #expect(failures > 0)
  }

  @Test func `A failed restoration that removes its own files keeps those of others`() throws {
    var failures = 0
    try forEachCall(every: Rounds.areMany ? 1 : 5) { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      try successfully(library, "--quiet")
      let other = try makeOther(in: folder)
      let theirs = try folder.write([1, 2, 3], to: "theirs")
      let replaced = library + ".replaced"
      var wasReplaced = false
      let result = try CommandRunner(["restore", library]).run(stoppedAt: call, of: [.sync, .look], in: folder) {
        guard Files.exists(replaced), Files.exists(library + ".v1-backup") else { return }
        wasReplaced = rename(theirs, replaced) == 0 && rename(other.path, library) == 0
      }
      guard let result, wasReplaced, result.status != 0 else { return result }
      failures += 1
      #expect(try Files.bytes(replaced) == [1, 2, 3], "call \(call): \(result)")
      #expect(result.stderr.contains("'\(replaced)' is another program's file by now"), "call \(call): \(result)")
      return result
    }
    #expect(failures > 0)
  }

  @Test func `A change to a copied backup is noticed`() throws {
    var changes = 0
    try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      let old = try Files.bytes(library)
      let copy = folder.file(".Library.sqlite.tracks-migrate.backup")
      var isChanged = false
      let result = try CommandRunner([library]).run(
        stoppedAt: call, of: [.sync, .mode], in: folder, ["DENY": "\(EPERM)"]
      ) {
        guard var bytes = try? RawFile.read(copy), bytes.count == old.count else { return }
        bytes[bytes.count - 1] ^= 1
        try FileHandle(forWritingTo: URL(filePath: copy)).write(contentsOf: bytes)
        isChanged = true
      }
      guard let result, isChanged else { return result }
      changes += 1
      #expect(result.status == 74, "call \(call): \(result)")
      #expect(result.stderr.contains("the copy differs from the library"), "call \(call): \(result)")
      #expect(try Files.bytes(library) == old)
      #expect(try folder.listing() == ["Library.sqlite"], "call \(call)")
      return result
    }
    #expect(changes > 0)
  }

  @Test func `A run that fails because of a replaced file keeps the earlier statistics`() throws {
    var failures = 0
    try forEachCall { call in
      let folder = try TemporaryFolder(isInMemory: true)
      let library = try folder.library()
      let old = try Rows.original(library)
      try Files.write("{}", to: library + ".migration.json")
      let rejects = library + ".rejects.ndjson"
      let result = try CommandRunner([library]).run(stoppedAt: call, of: [.sync], in: folder) {
        if !Files.exists(rejects) { try Files.write("theirs", to: rejects) }
      }
      guard let result, result.status != 0 else { return result }
      failures += 1
      #expect(result.status == 73, "call \(call): \(result)")
      #expect(try Rows.original(library) == old)
      #expect(try Files.text(rejects) == "theirs")
      #expect(
        try folder.listing() == ["Library.sqlite", "Library.sqlite.migration.json", "Library.sqlite.rejects.ndjson"])
      return result
    }
    #expect(failures > 0)
  }
}
