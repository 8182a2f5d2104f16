import Foundation
import TestSupport
import Testing

@Suite("Failing migrations of an app's store")
struct AppFailureTests {
  @Test(arguments: [40, 200, 2200], [false, true])
  func `A full disk is reported, and nothing is changed or left behind`(freeKiB: Int, isOutput: Bool) throws {
    let folder = try TemporaryFolder()
    let disk = try folder.makeFolder("disk")
    guard let mount = try SmallDisk(at: disk) else { return }
    // The first hop needs about two megabytes, the second as much again.
    try successfully("sample", "30000", disk + "/App.sqlite", "--example", "notes")
    try mount.leaveFree(freeKiB << 10)
    let before = try FolderSnapshot(disk)
    let arguments = [
      disk + "/App.sqlite", "--model", SampleStore.data("Notes/Notes.xcdatamodeld"), "--no-space-check",
    ]
    let result = try CommandRunner(arguments + (isOutput ? ["--output", disk + "/New.sqlite"] : [])).run()
    #expect(result.status == 75, "\(result)")
    #expect(result.stderr.contains("there is no space left to write '\(disk)/\(isOutput ? "New" : "App").sqlite'"))
    #expect(try FolderSnapshot(disk) == before)
  }

  @Test func `A read-only folder is reported, and the result can go to another folder`() throws {
    let store = try SampleStore("Notes")
    chmod(store.folder.path, 0o555)
    defer { chmod(store.folder.path, 0o755) }
    let target = try TemporaryFolder()
    chmod(target.path, 0o777)
    // Other users may not look into the checkout.
    let model = target.file("Notes.xcdatamodeld")
    try FileManager.default.copyItem(atPath: store.model, toPath: model)
    let before = try store.folder.snapshot()
    guard let refused = try StrangerRunner.run([store.path, "--model", model]) else { return }
    #expect(refused.status == 73, "\(refused)")
    #expect(refused.stderr.contains("'\(store.path)' cannot be replaced"))
    let made = try #require(
      try StrangerRunner.run([store.path, "--model", model, "--output", target.file("New.sqlite")]))
    #expect(made.status == 0, "\(made)")
    #expect(try store.folder.snapshot() == before)
    #expect(try Database.value("SELECT count(*) FROM ZNOTE", in: target.file("New.sqlite")) == "60")
  }

  @Test func `Exactly one of several concurrent runs migrates the store`() throws {
    let store = try SampleStore("Notes", version: 2)
    let commands = try (0..<4).map { _ in try CommandRunner([store.path, "--model", store.model]).start() }
    let results = try commands.map { try $0.finish() }
    #expect(results.filter { $0.stderr.hasPrefix("Migrated ") }.count == 1)
    for result in results where !result.stderr.hasPrefix("Migrated ") {
      let isRunning = result.status == 75 && result.stderr.contains("another migration of '\(store.path)' is running")
      let isBusy = result.status == 75 && result.stderr.contains("is open in another program")
      let isCurrent = result.status == 0 && result.stderr.contains("has the version 'Notes 4' already")
      #expect(isRunning || isBusy || isCurrent, "\(result)")
    }
    #expect(try store.rows("SELECT count(*) FROM ZATTACHMENT") == ["49"])
    #expect(try store.folder.listing() == ["App.sqlite", "App.sqlite.Notes-2-backup"])
  }
}
