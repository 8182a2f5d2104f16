internal import DataModel
internal import Foundation
internal import Migration
internal import PersistentStore
internal import PropertyListFormat
internal import Samples
internal import TestSupport
internal import TrackLibrary

extension FuzzTarget {
  /// Good inputs to begin with, and all that were trouble once.
  ///
  /// - Throws: Any error in making them.
  public func seeds() throws -> [[UInt8]] { try madeSeeds() + regressions() }

  /// Inputs that a reader did not bear before it was corrected: `Regressions/<target>-<what>`.
  public func regressions() throws -> [[UInt8]] { try Self.files("Regressions", prefix: "\(rawValue)-") }

  private static func files(_ folder: String, prefix: String) throws -> [[UInt8]] {
    let path = Checkout.root.appending(path: "Tests/FuzzTargets/\(folder)").path(percentEncoded: false)
    guard Files.exists(path) else { return [] }
    return try Files.listing(path).filter { $0.hasPrefix(prefix) }.map { try Files.bytes("\(path)/\($0)") }
  }

  private func madeSeeds() throws -> [[UInt8]] {
    let models = BooksModel.all + NotesModel.all + [TrackModels.v1, TrackModels.v2]
    switch self {
    case .json: return SeedTexts.documents.map { Array($0.utf8) }
    case .expression: return SeedTexts.formats.map { Array($0.utf8) }
    case .feed: return try FeedTarget.seeds + Self.files("Seeds", prefix: "\(rawValue)-")
    case .preset: return PresetTarget.seeds
    case .propertyList: return try Self.propertyLists(models)
    case .modelXML: return try models.map { Array(try $0.xml().utf8) }
    case .modelArchive: return try models.map { try $0.archive() }
    case .modelCache: return try models.map { try $0.modelCache() }
    case .mappingXML: return try ExampleMappingFile.all.map { Array(try $0.xml().utf8) }
    case .mappingArchive: return try Self.files("Seeds", prefix: "\(rawValue)-")
    case .store, .salvage: return try SeedStores.all()
    }
  }

  private static func propertyLists(_ models: [ManagedObjectModel]) throws -> [[UInt8]] {
    let metadata = models.map { PropertyList.dictionary(StoreMetadata.new(for: $0, uuid: "ID").properties).binary() }
    return metadata + [Array(SeedTexts.propertyList.utf8)]
  }
}

/// Small stores of each kind.
enum SeedStores {
  static func all() throws -> [[UInt8]] {
    let folder = try TemporaryFolder(isInMemory: true)
    var stores: [[UInt8]] = []
    for kind in ExampleLibrary.Kind.allCases {
      let path = folder.file(kind.rawValue)
      try ExampleLibrary(kind, count: 12).write(to: path)
      stores.append(try Files.bytes(path))
    }
    for encoding in ["UTF-8", "UTF-16le"] {
      let path = folder.file(encoding)
      var library = TrackLibraryBuilder(
        (1...40).map { TrackRow($0, json: "{\"artists\":[{\"name\":\"A \($0 % 7)\",\"id\":\"\($0 % 7)\"}]}") })
      library.encoding = encoding
      try library.write(to: path)
      stores.append(try Files.bytes(path))
      var migration = LibraryMigration(path: path)
      migration.outputPath = folder.file("v2 " + encoding)
      _ = try migration.run()
      stores.append(try Files.bytes(folder.file("v2 " + encoding)))
    }
    try OwnModelLibrary.inherited.write(to: folder.file("own"))
    stores.append(try Files.bytes(folder.file("own")))
    return stores
  }
}
