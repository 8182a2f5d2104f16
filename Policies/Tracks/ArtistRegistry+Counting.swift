internal import Migration

// What mentions of one artist say differently.
extension ArtistRegistry {
  /// Remembers what the first mention in JSON has, and what it lacks.
  func noteDetails(of mention: TrackBatch.Mention, at place: Int) {
    if mention.id.count <= 0 { details[place].flags.insert(.lacksID) }
    if mention.imageURL.count <= 0 {
      details[place].flags.insert(.lacksImage)
    } else {
      details[place].flags.insert(.hasImage)
      details[place].imageHash = mention.imageHash
    }
  }

  /// Counts an artist, once, that a later mention gives what the first lacks.
  func countLateDetails(
    _ mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    guard !details[place].flags.contains(.isCompletedLate) else { return }
    details[place].flags.insert(.isCompletedLate)
    manager.statistics.count(TrackCounter.lateDetails)
    manager.statistics.addExample(
      "\(batch.string(mention.name)): \(batch.string(mention.id)) \(batch.string(mention.imageURL))",
      to: TrackCounter.lateDetails)
  }

  /// Counts an artist, once, when a mention has another image than an earlier one.
  func compareImage(
    of mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    guard mention.imageURL.count > 0 else { return }
    let known = details[place]
    guard known.flags.contains(.hasImage) else {
      details[place].flags.insert(.hasImage)
      details[place].imageHash = mention.imageHash
      return
    }
    guard known.imageHash != mention.imageHash, !known.flags.contains(.isInImageConflict) else { return }
    details[place].flags.insert(.isInImageConflict)
    manager.statistics.count(TrackCounter.imageConflicts)
    manager.statistics.addExample(
      "\(batch.string(mention.name)): \(batch.string(mention.imageURL))", to: TrackCounter.imageConflicts)
  }

  /// Counts an artist, once, when a mention has another id (or, with identity `id`, another name) than an earlier one.
  func compareRival(
    of mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int, _ manager: MigrationManager
  ) {
    let rival = identity == .name ? mention.id : mention.name
    guard rival.count > 0 else { return }
    let text = batch.text(rival)
    let known = Int(details[place].rival)
    if known >= 0, rivals.withKey(at: known, { $0.isEqual(to: text) }) { return }
    let found = noteRival(text, of: mention, in: batch, at: place, manager)
    // A first mention without an id contradicts nobody; later ones may contradict each other.
    guard known >= 0 else { return details[place].rival = Int32(truncatingIfNeeded: found) }
    guard !details[place].flags.contains(.isInConflict) else { return }
    details[place].flags.insert(.isInConflict)
    let counter = identity == .name ? TrackCounter.nameConflicts : TrackCounter.idConflicts
    manager.statistics.count(counter)
    let subject = batch.string(identity == .name ? mention.name : mention.id)
    manager.statistics.addExample(
      "\(subject): \(rivals.string(at: known)), \(batch.string(rival))", to: counter)
  }

  /// Remembers who had an id (or, with identity `id`, a name) first, and counts it, once, when others have it too.
  ///
  /// - Returns: Its place among all of them.
  private func noteRival(
    _ text: UnsafeRawBufferPointer, of mention: TrackBatch.Mention, in batch: TrackBatch, at place: Int,
    _ manager: MigrationManager
  ) -> Int {
    let hash = LookupTable.hash(text)
    guard let known = rivals.place(forKey: text, hash: hash) else {
      return rivals.insert(Int64(place), forKey: text, hash: hash)
    }
    let owner = Int(rivals.value(at: known))
    guard owner != place, sharedRivals.insert(known).inserted else { return known }
    if identity == .name {
      manager.statistics.count(TrackCounter.idConflicts)
      manager.statistics.addExample(
        "\(batch.string(mention.id)): \(artists.string(at: owner)), \(batch.string(mention.name))",
        to: TrackCounter.idConflicts)
    } else {
      manager.statistics.count(TrackCounter.nameConflicts)
      manager.statistics.addExample(batch.string(mention.name), to: TrackCounter.nameConflicts)
    }
    return known
  }
}

extension LookupTable {
  /// A key as text, for the few that a person reads.
  fileprivate func string(at place: Int) -> String { withKey(at: place) { $0.excerpt } }
}
