internal import DataModel
internal import Foundation
internal import PersistentStore
internal import TrackLibrary

/// A folder with new stores to write, one for each round.
private final class Stores {
  let folder = NSTemporaryDirectory() + "/tracks-migrate-microbench-\(getpid())"
  private var count = 0

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func makeWriter() throws -> StoreWriter {
    count += 1
    let path = folder + "/\(count).sqlite"
    return try StoreWriter(path: path, schema: StoreSchema(TrackModelVersion.v2.model), layout: .coreData)
  }
}

/// What the engine writes in bulk: links.
func writerCases() throws -> [Case] {
  let stores = try Stores()
  return [
    Case("writer: links collected, sorted and inserted", .rate(of: linkCount, "links")) {
      var random = SystemRandomNumberGenerator()
      let pairs = (0..<linkCount).map { track in
        Link(first: Int64.random(in: 1...50_000, using: &random), second: Int64(track / 2))
      }
      return try Timing(stores.makeWriter) { writer in
        var links = LinkList()
        for link in pairs { links.append(link) }
        if let table = writer.schema.joinTable(forRelationship: "artists", ofEntityNamed: "Track") {
          _ = try writer.insertLinks(links, into: table)
        }
      }
    }
  ]
}

private let linkCount = 500_000
