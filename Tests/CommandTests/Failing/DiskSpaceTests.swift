import Foundation
import TestSupport
import Testing

@Suite("The free-space check")
struct DiskSpaceTests {
  @Test func `A lack of space is found before any work`() throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    let library = disk + "/Library.sqlite"
    try LibraryBuilder(tracks: .many(3000)).write(to: library)
    try mount.leaveFree(64 << 10)
    let before = try FolderSnapshot(disk)
    for (more, named) in [([], library), (["--output", disk + "/New.sqlite"], disk + "/New.sqlite")] {
      let result = try CommandRunner([library] + more).run()
      #expect(result.status == 75)
      #expect(result.stderr.contains("error: there is not enough space for '\(named)': it takes about "), "\(result)")
      #expect(result.stderr.contains(", and 64.0 KiB are free in '\(disk)'. No data was changed. Free some space, "))
      #expect(try FolderSnapshot(disk) == before)
    }
    try mount.leaveFree(8 << 20)
    try successfully(library)
  }

  @Test(arguments: [false, true])
  func `A lack of space is found before an app's store is migrated`(isOutput: Bool) throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    let store = disk + "/App.sqlite"
    try successfully("sample", "20000", store, "--example", "notes")
    let arguments =
      [store, "--model", SampleStore.data("Notes/Notes.xcdatamodeld")]
      + (isOutput ? ["--output", disk + "/New.sqlite"] : [])
    try mount.leaveFree(400 << 10)
    let before = try FolderSnapshot(disk)
    let result = try CommandRunner(arguments).run()
    #expect(result.status == 75)
    let named = isOutput ? disk + "/New.sqlite" : store
    #expect(result.stderr.contains("error: there is not enough space for '\(named)': it takes about "), "\(result)")
    #expect(result.stderr.contains(", and 400.0 KiB are free in '\(disk)'. No data was changed. "), "\(result)")
    #expect(try FolderSnapshot(disk) == before)
    try mount.leaveFree(10 << 20)
    #expect(try CommandRunner(arguments).run().status == 0)
  }

  @Test(.enabled(if: FaultInjector.shared != nil, "needs a C compiler"), arguments: [nil, 100])
  func `A lack of space is found when the backup has to be a copy`(log: Int?) throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    let library = disk + "/Library.sqlite"
    try LibraryBuilder(tracks: .many(3000), writeAheadLogStart: log).write(to: library)
    // As much as the new library takes with the log that is folded in, and a little more.
    let sizes = try ["", "-wal"].filter { Files.exists(library + $0) }.map { try Files.bytes(library + $0).count }
    try mount.leaveFree(sizes.reduce(0, +) * (log == nil ? 10 : 17) / 8)
    let before = try FolderSnapshot(disk)
    var command = CommandRunner([library])
    command.environment = try #require(FaultInjector.shared).environment(root: disk, ["LEASES": "\(EINVAL)"])
    let result = try command.run()
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("error: there is not enough space for '\(library)': it takes about "), "\(result)")
    #expect(try FolderSnapshot(disk) == before)
    try successfully(library)
  }

  @Test func `A small disk suffices when the library is written to another disk`() throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    try LibraryBuilder(tracks: .many(3000)).write(to: disk + "/Library.sqlite")
    try mount.leaveFree(64 << 10)
    try successfully(disk + "/Library.sqlite", "--output", folder.file("New.sqlite"))
  }
}
