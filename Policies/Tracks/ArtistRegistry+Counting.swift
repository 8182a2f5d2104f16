internal import Diagnostics
internal import Migration

// What mentions of one artist say differently.
extension ArtistRegistry {
  /// Remembers what a first mention lacks.
  func noteDetails(of mention: TrackBatch.Mention, _ artist: Int64) {
    if mention.id.count <= 0 { artistsWithoutID.insert(artist) }
    if mention.imageURL.count <= 0 { artistsWithoutImage.insert(artist) }
  }

  /// Counts an artist, once, when a later mention has what the first lacks.
  func countLateDetails(
    _ mention: TrackBatch.Mention, in batch: TrackBatch, artist: Int64, _ statistics: inout MigrationStatistics
  ) {
    guard
      mention.id.count > 0 && artistsWithoutID.contains(artist)
        || mention.imageURL.count > 0 && artistsWithoutImage.contains(artist)
    else { return }
    artistsWithoutID.remove(artist)
    artistsWithoutImage.remove(artist)
    statistics.count(TrackCounter.lateDetails)
    statistics.addExample(
      "\(batch.string(mention.name)): \(batch.string(mention.id)) \(batch.string(mention.imageURL))",
      to: TrackCounter.lateDetails)
  }

  /// Keeps what later mentions are compared with.
  func keep(_ rival: TrackBatch.Text, in batch: TrackBatch, artist: Int64) {
    let start = rivals.count
    batch.withBytes(of: rival) { rivals.append(contentsOf: $0) }
    rivalRanges[artist] = start..<rivals.count
  }

  /// Counts an artist, once, when a later mention has another id (or, with identity `id`, another name) than the first.
  func compare(
    _ rival: TrackBatch.Text, _ mention: TrackBatch.Mention, in batch: TrackBatch, artist: Int64,
    _ statistics: inout MigrationStatistics
  ) {
    guard !conflicts.contains(artist) else { return }
    // A first mention without an id contradicts nobody; later ones may contradict each other.
    guard let range = rivalRanges[artist] else { return keep(rival, in: batch, artist: artist) }
    let first = rivals[range]
    guard !batch.withBytes(of: rival, { $0.elementsEqual(first) }) else { return }
    conflicts.insert(artist)
    let counter = identity == .name ? TrackCounter.nameConflicts : TrackCounter.idConflicts
    statistics.count(counter)
    let subject = batch.string(identity == .name ? mention.name : mention.id)
    statistics.addExample("\(subject): \(String(decoding: first, as: UTF8.self)), \(batch.string(rival))", to: counter)
  }

  /// Counts a name, once, that a second artist has.
  func countSharedName(
    _ mention: TrackBatch.Mention, in batch: TrackBatch, artist: Int64, _ statistics: inout MigrationStatistics
  ) {
    let (first, isFirst) = batch.withBytes(of: mention.name) { name in names.value(forKey: name) { artist } }
    guard !isFirst, sharedNames.insert(first).inserted else { return }
    statistics.count(TrackCounter.nameConflicts)
    statistics.addExample(batch.string(mention.name), to: TrackCounter.nameConflicts)
  }
}

extension TrackBatch {
  /// A text as a string, for the few that a person reads.
  func string(_ text: Text) -> String {
    withBytes(of: text) { String(decoding: $0, as: UTF8.self) }
  }
}
