import Foundation
import PersistentStore
import TestSupport
import Testing

/// The order in which a command syncs its files, checked call by call.
///
/// A sweep of power cuts finds a missing sync only with luck.
@Suite(
  "The order of syncs and renames",
  .enabled(if: !Sanitizer.isOn && FaultInjector.shared != nil, "needs a C compiler"))
struct SyncOrderTests {
  /// Replays the changes on a disk and returns a message for each file that gets its name too early.
  ///
  /// - Parameter result: The file that everything else must be synced before.
  private func faults(_ operations: [FileOperation], on image: FolderImage, before result: String?) throws -> [String] {
    var disk = try SimulatedDisk(image)
    var faults: [String] = []
    for operation in operations {
      switch operation {
      case .rename(let path, let name), .link(let path, let name):
        guard !name.contains(".tracks-migrate") else { break }
        if try !disk.isSafe(path) { faults.append("\(name) is not on the disk when it gets its name") }
        if name == result, try !disk.hasSafeNames(besides: name) {
          faults.append("names that \(name) relies on are not on the disk")
        }
      default: break
      }
      try disk.apply(operation)
    }
    let (seen, safe) = (disk.image { $0.seen }, disk.image { $0.safe })
    for name in seen.listing where !name.contains(".tracks-migrate") {
      if !safe.listing.contains(name) || safe.bytes(name) != seen.bytes(name) || safe.mode(name) != seen.mode(name) {
        faults.append("\(name) is not on the disk in the end")
      }
    }
    return faults
  }

  @Test func `Files are synced before they are renamed, and renames before the result`() throws {
    var names: Set<String> = []
    for prepared in try CrashPointTests.strands.get().map(\.prepared) where names.insert(prepared.scene.name).inserted {
      let faults = try faults(prepared.operations, on: prepared.image, before: prepared.scene.target)
      #expect(faults == [], "\(prepared.scene.name)")
    }
    #expect(names.count > 15)
  }

  @Test(arguments: [
    ["stats", "Library.sqlite", "--output", "New.json"], ["sample", "9", "New.sqlite"],
    ["sample", "9", "New.sqlite", "--wal"], ["Library.sqlite", "--dry-run", "--stats", "New.json"],
  ])
  func `Every other written file is synced before it is renamed`(words: [String]) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    _ = try folder.library()
    let image = try FolderImage(folder.path)
    let records = try TemporaryFolder(isInMemory: true)
    let injector = try #require(FaultInjector.shared)
    let variables = injector.environment(root: folder.path, ["RECORD": records.file("record")])
    let result = try CommandRunner(words, folder: folder.path, environment: variables).run()
    #expect(result.status == 0, "\(result)")
    let operations = try FileOperation.all(recordedIn: records.file("record"), root: folder.path)
    #expect(
      operations.contains { if case .rename = $0 { true } else if case .link = $0 { true } else { false } })
    #expect(try faults(operations, on: image, before: nil).filter { !$0.hasSuffix("in the end") } == [])
  }

  private static let writtenStore = ProcessInfo.processInfo.environment["TRACKS_MIGRATE_WRITE_STORE"]

  /// The injector must be preloaded when a process starts, so the next test runs this one in a process of its own.
  @Test(.enabled(if: writtenStore != nil, "for the next test"))
  func `A store is written`() throws {
    let writer = try StoreWriter(
      path: try #require(Self.writtenStore), schema: StoreSchema(TrackModels.v1), layout: .coreData)
    try writer.finish(metadata: .new(for: TrackModels.v1, uuid: "ID"))
  }

  /// This is what an app gets that calls the migration manager itself: nothing else syncs the store afterwards.
  @Test(.enabled(if: writtenStore == nil))
  func `A store is synced when its writer has finished it`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let image = try FolderImage(folder.path)
    let records = try TemporaryFolder(isInMemory: true)
    var runner = CommandRunner([
      "--testing-library", "swift-testing", "--filter", "SyncOrderTests/`A store is written`",
    ])
    runner.executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    runner.environment = try #require(FaultInjector.shared).environment(
      root: folder.path, ["RECORD": records.file("record")])
    runner.environment["TRACKS_MIGRATE_WRITE_STORE"] = folder.file("New.sqlite")
    let result = try runner.run()
    #expect(result.status == 0, "\(result)")
    var disk = try SimulatedDisk(image)
    for operation in try FileOperation.all(recordedIn: records.file("record"), root: folder.path) {
      try disk.apply(operation)
    }
    #expect(try disk.isSafe("New.sqlite"))
  }
}
