import TestSupport
import Testing

@Suite("The simulated disk that loses unsynced writes")
struct PowerLossTests {
  /// An incomplete record of changes would prove nothing.
  @Test(.enabled(if: !Sanitizer.isOn, "a sanitizer hides the calls"))
  func `The simulation follows a migration to the real files`() throws {
    guard let injector = FaultInjector.shared else { return }
    for scene in CrashScenario.all where ["log", "app, output", "unfinished transaction"].contains(scene.name) {
      let prepared = try PreparedScene(scene, injector)
      var disk = try SimulatedDisk(prepared.image)
      for operation in prepared.operations { try disk.apply(operation) }
      for (image, isAllSynced) in [(disk.image { $0.seen }, true), (disk.image { $0.safe }, false)] {
        // The last action of a run is to remove its undo log. If that is lost, the next run removes it.
        let listing = image.listing.filter { isAllSynced || !$0.hasSuffix(".tracks-migrate.undo") }
        #expect(listing == prepared.done.listing, "\(scene.name)")
        for name in prepared.done.names.keys {
          #expect(image.bytes(name) == prepared.done.bytes(name), "\(scene.name) \(name)")
          #expect(image.mode(name) == prepared.done.mode(name), "\(scene.name) \(name)")
        }
      }
    }
  }

  @Test func `The simulation loses a file that was not synced before its rename`() throws {
    var disk = try SimulatedDisk(Self.image)
    for operation: FileOperation in [
      .create("new", file: 7, mode: 0o600), .write(file: 7, offset: 0, bytes: [7, 7]), .rename("new", to: "old"),
      .sync(file: 1),
    ] {
      try disk.apply(operation)
    }
    #expect(disk.image { $0.safe }.bytes("old") == [])
    #expect(disk.image { $0.seen }.bytes("old") == [7, 7])
  }

  @Test func `The simulation keeps an old name until the folder is synced`() throws {
    var disk = try SimulatedDisk(Self.image)
    try disk.apply(.create("new", file: 7, mode: 0o600))
    try disk.apply(.write(file: 7, offset: 0, bytes: [7, 7]))
    try disk.apply(.sync(file: 7))
    try disk.apply(.rename("new", to: "old"))
    #expect(disk.image { $0.safe }.bytes("old") == [1, 2, 3])
    try disk.apply(.sync(file: 1))
    #expect(disk.image { $0.safe }.bytes("old") == [7, 7])
  }

  private static let image: FolderImage = {
    var image = FolderImage()
    (image.folders[""], image.folderNumbers[""]) = (0o755, 1)
    (image.names["old"], image.files[2]) = (2, FolderImage.File(bytes: [1, 2, 3], mode: 0o600))
    return image
  }()
}
