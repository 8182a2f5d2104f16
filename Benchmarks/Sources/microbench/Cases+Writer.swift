internal import DataModel
internal import Foundation
internal import PersistentStore
internal import TrackLibrary

/// A folder with a library, and a new store to write for each round.
private final class Stores {
  static let trackCount = 50_000

  let folder = NSTemporaryDirectory() + "/tracks-migrate-microbench-\(getpid())"
  let source: StoreReader
  private var count = 0

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/v1.sqlite"
    _ = try SampleLibrary(trackCount: Self.trackCount).write(to: path)
    source = try StoreReader(path: path)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func makeWriter() throws -> StoreWriter {
    count += 1
    let path = folder + "/\(count).sqlite"
    return try StoreWriter(path: path, schema: StoreSchema(TrackModelVersion.v2.model), layout: source.layout)
  }
}

/// What the engine writes in bulk: rows that are copied, and links.
func writerCases() throws -> [Case] {
  let stores = try Stores()
  let sourceSchema = StoreSchema(TrackModelVersion.v1.model)
  let attributes = ["imageURL", "lastPlayedAt", "title"].map {
    StoreWriter.CopiedAttribute(source: $0, destination: $0)
  }
  return [
    Case("writer: rows copied by one statement", .rate(of: Stores.trackCount, "rows")) {
      // A source can be attached once only, and reading it is part of the work.
      try Timing({
        let (writer, source) = (try stores.makeWriter(), try StoreReader(path: stores.source.file.path))
        try writer.attach(source)
        return (writer, source)
      }) { writer, source in
        _ = try writer.copyInstances(ofEntity: "Track", in: sourceSchema, toEntity: "Track", attributes: attributes)
      }
    },
    Case("writer: links sorted and inserted", .rate(of: linkCount, "links")) {
      var random = SystemRandomNumberGenerator()
      var links = LinkList()
      for track in 0..<linkCount {
        links.append(Link(first: Int64.random(in: 1...50_000, using: &random), second: Int64(track / 2)))
      }
      return try Timing(stores.makeWriter) { [links] writer in
        if let table = writer.schema.joinTable(forRelationship: "artists", ofEntityNamed: "Track") {
          _ = try writer.insertLinks(links, into: table)
        }
      }
    },
  ]
}

private let linkCount = 500_000
