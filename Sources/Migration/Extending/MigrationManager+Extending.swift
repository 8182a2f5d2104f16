internal import PersistentStore

extension MigrationManager {
  /// Counts what the destination has from the beginning, which is all there is to do.
  func count(_ rows: CarriedRows) throws {
    destinationStore.writer.onProgress { [cancellation = options.cancellation] in cancellation.isCancelled }
    for mapping in mappingModels.flatMap(\.entityMappings) {
      guard let source = mapping.sourceEntityName, let destination = mapping.destinationEntityName else { continue }
      let count = rows.instances[source] ?? 0
      passages[mapping.name, default: .init()].add(copied: count)
      statistics.sourceInstanceCounts[source, default: 0] += count
      statistics.addInstances(count, ofEntityNamed: destination)
      report(count, of: count, entity: source)
      log("\(mapping.name): \(count.counting("instance")), of which \(count) go on")
    }
    statistics.linkCounts = rows.links
    try checkCancellation()
  }
}
