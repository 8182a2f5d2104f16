import DataModel
import Samples
import TestSupport
import Testing
import TrackLibrary

/// The files in `SampleData/Tracks`, which `Scripts/regenerate-samples.sh` makes.
@Suite final class CommittedSampleTests {
  private static let samples = Checkout.root.appending(path: "SampleData/Tracks").path(percentEncoded: false)
  private static let bundle = "\(samples)/Tracks.xcdatamodeld"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `The odd library is up to date`() throws {
    var sample = SampleLibrary(trackCount: 300)
    sample.includesOddities = true
    _ = try sample.write(to: folder.file("library-v1.sqlite"))
    try expectCommitted()
    #expect(try Files.bytes("\(Self.samples)/library-v1.sqlite").count < 1 << 20)
  }

  @Test func `The library with a log is up to date`() throws {
    var sample = SampleLibrary(trackCount: 120, seed: 43)
    sample.leavesWriteAheadLog = true
    _ = try sample.write(to: folder.file("library-v1-wal.sqlite"))
    #expect(try folder.listing() == ["library-v1-wal.sqlite", "library-v1-wal.sqlite-wal"])
    try expectCommitted()
  }

  private func expectCommitted() throws {
    for name in try folder.listing() {
      let isSame = try Files.bytes(folder.file(name)) == Files.bytes("\(Self.samples)/\(name)")
      #expect(isSame, "run Scripts/regenerate-samples.sh and look at what changed in \(name)")
    }
  }

  @Test func `The libraries are valid and the folder contains nothing else`() throws {
    let names = try Files.listing(Self.samples)
    #expect(
      names == [
        "README.md", "Tracks.xcdatamodeld", "Tracks.xcmappingmodel", "library-v1-wal.sqlite",
        "library-v1-wal.sqlite-wal", "library-v1.sqlite",
      ])
    for name in names where name.hasPrefix("library") {
      try Files.copy("\(Self.samples)/\(name)", to: folder.file(name))
    }
    #expect(try Database.integrity(folder.file("library-v1.sqlite")) == ["ok"])
    #expect(try Database.integrity(folder.file("library-v1-wal.sqlite")) == ["ok"])
    try Files.copy("\(Self.samples)/library-v1-wal.sqlite", to: folder.file("alone.sqlite"))
    let count = "SELECT count(*) FROM ZTRACK"
    #expect(try Database.rows(count, in: folder.file("library-v1-wal.sqlite")) == ["120"])
    #expect(try Database.rows(count, in: folder.file("alone.sqlite")) == ["90"])
  }

  @Test func `The model bundle has both versions`() throws {
    let bundle = try ModelBundle(path: Self.bundle)
    #expect(bundle.versions.map(\.name) == ["Tracks", "Tracks 2"])
    #expect(try bundle.currentVersion().name == "Tracks 2")
    let models = try bundle.versions.map { try $0.model() }
    #expect(
      models.map(\.entityVersionHashesByName) == [TrackModelVersion.v1, .v2].map(\.model.entityVersionHashesByName))
    #expect(hashes(models[0]) == ["Track": "2355e6fc2c92562ec62bf51650fbc9f767e55d3546f5112d6e821cd5ae759aff"])
    #expect(
      hashes(models[1]) == [
        "Artist": "fa319d27a17a936441c2b2797fba9c6ddd78a2a7b67187244834925dc53b6b56",
        "Track": "75d00c27b3a38c842bdf257df3093c512e802bb124a176d8496b7ca835980428",
      ])
  }

  private func hashes(_ model: ManagedObjectModel) -> [String: String] {
    model.entityVersionHashesByName.mapValues(\.description)
  }

  @Test(arguments: ["Tracks", "Tracks 2"])
  func `The models are formatted as Xcode formats them`(version: String) throws {
    let path = "\(Self.bundle)/\(version).xcdatamodel/contents"
    #expect(try ManagedObjectModel(contentsOfFile: path).xml() == Files.text(path))
  }
}
