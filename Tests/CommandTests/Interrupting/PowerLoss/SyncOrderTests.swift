import Foundation
import TestSupport
import Testing

/// The order in which a command makes its files safe: looked at call by call, as a sweep of power cuts hits one that is
/// missing only with luck.
@Suite(
  "What a command makes safe before it goes on",
  .enabled(if: !Sanitizer.isOn && Striker.shared != nil, "needs a C compiler"))
struct SyncOrderTests {
  /// Plays the changes on a disk, and tells of each file that gets its name too early.
  ///
  /// - Parameter result: What everything else has to be safe before.
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

  @Test func `a migration's files are on the disk before they get their names, and those before the result`() throws {
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
  func `what else is written is on the disk before it gets its name`(words: [String]) throws {
    let folder = try TemporaryFolder(isInMemory: true)
    _ = try folder.library()
    let image = try FolderImage(folder.path)
    let records = try TemporaryFolder(isInMemory: true)
    let striker = try #require(Striker.shared)
    let variables = striker.environment(root: folder.path, ["RECORD": records.file("record")])
    let result = try CommandRunner(words, folder: folder.path, environment: variables).run()
    #expect(result.status == 0, "\(result)")
    let operations = try FileOperation.all(recordedIn: records.file("record"), root: folder.path)
    #expect(
      operations.contains { if case .rename = $0 { true } else if case .link = $0 { true } else { false } })
    #expect(try faults(operations, on: image, before: nil).filter { !$0.hasSuffix("in the end") } == [])
  }
}
