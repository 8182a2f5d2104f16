/// What a migration has counted.
///
/// The engine counts instances and links. Policies add counters of their own, and examples of what a person may want to
/// look at.
public struct MigrationStatistics: Sendable, Hashable {
  /// The instances that were read, by source entity.
  public internal(set) var sourceInstanceCounts: [String: Int] = [:]
  /// The instances that were written, by destination entity.
  public internal(set) var destinationInstanceCounts: [String: Int] = [:]
  /// The instances of entities that no mapping takes over, by entity: they are not in the destination.
  public internal(set) var removedInstanceCounts: [String: Int] = [:]
  /// The instances that the filter of a mapping left out, by the name of the mapping, where no other mapping takes over all
  /// of the entity.
  public internal(set) var filteredInstanceCounts: [String: Int] = [:]
  /// The instances with which a policy associated no destination instance, by the name of the mapping, likewise.
  public internal(set) var sourcesWithoutDestinationCounts: [String: Int] = [:]
  /// The rows that were written, by join table.
  public internal(set) var linkCounts: [String: Int] = [:]
  /// The counters of policies, by their names.
  public private(set) var counters: [String: Int] = [:]
  /// The first few examples for each counter.
  public private(set) var examples: [String: [String]] = [:]

  /// How many examples are kept for each counter.
  public static let exampleLimit = 20

  init() {}

  /// Adds to a counter.
  public mutating func count(_ name: String, by amount: Int = 1) {
    counters[name, default: 0] += amount
  }

  /// Keeps an example for a counter, as long as there are few.
  public mutating func addExample(_ text: @autoclosure () -> String, to name: String) {
    if examples[name, default: []].count < Self.exampleLimit { examples[name, default: []].append(text()) }
  }

  /// Counts destination instances that a policy wrote itself.
  public mutating func addInstances(_ amount: Int, ofEntityNamed name: String) {
    destinationInstanceCounts[name, default: 0] += amount
  }

  /// The value of a counter; 0 when nothing was counted.
  public subscript(name: String) -> Int { counters[name] ?? 0 }
}
