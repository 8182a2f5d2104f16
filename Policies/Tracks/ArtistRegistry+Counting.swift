internal import Migration

// What mentions of one artist say differently.
extension ArtistRegistry {
  /// Remembers what a first mention lacks.
  func noteDetails(of mention: TrackBatch.Mention, at place: Int) {
    if mention.id.count <= 0 { details[place].flags.insert(.lacksID) }
    if mention.imageURL.count <= 0 { details[place].flags.insert(.lacksImage) }
  }

  /// Counts an artist, once, when a later mention has what the first lacks.
  func countLateDetails(
    _ mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    let flags = details[place].flags
    guard
      mention.id.count > 0 && flags.contains(.lacksID) || mention.imageURL.count > 0 && flags.contains(.lacksImage)
    else { return }
    details[place].flags.subtract([.lacksID, .lacksImage])
    manager.statistics.count(TrackCounter.lateDetails)
    manager.statistics.addExample(
      "\(batch.string(mention.name)): \(batch.string(mention.id)) \(batch.string(mention.imageURL))",
      to: TrackCounter.lateDetails)
  }

  /// Keeps what later mentions are compared with.
  func keep(_ rival: TrackBatch.Text, in batch: TrackBatch, at place: Int) {
    (details[place].rivalStart, details[place].rivalCount) = (rivals.count, rival.count)
    rivals.append(contentsOf: batch.text(rival))
  }

  /// Counts an artist, once, when a later mention has another id (or, with identity `id`, another name) than the first.
  func compare(
    _ rival: TrackBatch.Text, _ mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int,
    _ manager: MigrationManager
  ) {
    let known = details[place]
    // A first mention without an id contradicts nobody; later ones may contradict each other.
    guard known.rivalCount >= 0 else { return keep(rival, in: batch, at: place) }
    let range = known.rivalStart..<(known.rivalStart + known.rivalCount)
    let isSame = rivals.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[range]).isEqual(to: batch.text(rival)) }
    guard !isSame else { return }
    details[place].flags.insert(.isInConflict)
    let counter = identity == .name ? TrackCounter.nameConflicts : TrackCounter.idConflicts
    manager.statistics.count(counter)
    let subject = batch.string(identity == .name ? mention.name : mention.id)
    manager.statistics.addExample(
      "\(subject): \(String(decoding: rivals[range], as: UTF8.self)), \(batch.string(rival))", to: counter)
  }

  /// Counts a name, once, that a second artist has.
  func countSharedName(
    _ mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    let (first, isFirst) = names.value(forKey: batch.text(mention.name)) { Int64(place) }
    guard !isFirst, !details[Int(first)].flags.contains(.sharesName) else { return }
    details[Int(first)].flags.insert(.sharesName)
    manager.statistics.count(TrackCounter.nameConflicts)
    manager.statistics.addExample(batch.string(mention.name), to: TrackCounter.nameConflicts)
  }
}
