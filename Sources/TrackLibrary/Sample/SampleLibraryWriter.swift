internal import Diagnostics
internal import PersistentStore

/// Writes the rows of a sample, from the first on.
struct SampleLibraryWriter {
  /// After how many rows progress is told.
  private static let progressStep = 4096

  let library: SampleLibrary
  let possibleArtistCount: Int
  private let oddities: [SampleOddity]
  /// What is told of the progress besides the rows of this store: those before, and all.
  var completedCount = 0
  var totalCount = 0

  init(_ library: SampleLibrary) {
    self.library = library
    // One artist for eight tracks, as far as there are enough tracks.
    possibleArtistCount = max(10, library.trackCount / 8)
    oddities = library.includesOddities ? SampleOddity.all(areGiant: library.includesGiants) : []
  }

  var oddityCount: Int { min(oddities.count, library.trackCount) }

  /// Writes a store that holds the first rows.
  mutating func write(rows: Int, to path: String) throws(MigrationError) {
    let model = TrackModelVersion.v1.model
    let writer = try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData)
    try insert(rows, into: writer)
    var random = SplitMix64(seed: library.seed, purpose: .store)
    try writer.finish(metadata: .new(for: model, uuid: random.nextUUID()))
  }

  /// A function of its own, so that its statement is released before the store is closed.
  private mutating func insert(_ rows: Int, into writer: StoreWriter) throws(MigrationError) {
    let inserter = try writer.inserter(forEntityNamed: "Track", properties: SampleRow.properties)
    var tracks = SampleTracks(seed: library.seed, possibleArtistCount: possibleArtistCount)
    var row = SampleRow()
    for index in 0..<rows {
      if index.isMultiple(of: Self.progressStep) { try report(index) }
      row.clear()
      if index < oddities.count {
        oddities[index].compose(into: &row)
      } else {
        tracks.compose(index + 1, into: &row)
      }
      try row.insert(into: inserter, primaryKey: Int64(index + 1))
    }
    completedCount += rows
    try report(0)
  }

  private func report(_ rows: Int) throws(MigrationError) {
    if library.cancellation.isCancelled { throw MigrationError(.interrupted) }
    library.onProgress?(completedCount + rows, totalCount)
  }
}
