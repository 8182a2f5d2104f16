extension MigrationManager {
  /// The lookup table of this name in `userInfo`, which is made on first use and kept for the whole migration.
  public func lookup(withKey key: String) -> LookupTable {
    if let table = userInfo[key] as? LookupTable { return table }
    let table = LookupTable()
    userInfo[key] = table
    return table
  }

  /// Records which destination instance a source instance has become under a mapping.
  public func associate(
    sourceInstance: ManagedObject, withDestinationInstance destinationInstance: ManagedObject,
    for mapping: EntityMapping
  ) {
    associations.add(sourceInstance, destinationInstance, mapping.name)
  }

  /// The instances that source instances have become under a mapping; all of the mapping's when no sources are named.
  public func destinationInstances(
    forEntityMappingName name: String, sourceInstances: [ManagedObject]? = nil
  ) -> [ManagedObject] {
    associations.destinations(of: sourceInstances, mapping: name)
  }

  /// The instances that destination instances were made from under a mapping; all of the mapping's when none are named.
  public func sourceInstances(
    forEntityMappingName name: String, destinationInstances: [ManagedObject]? = nil
  ) -> [ManagedObject] {
    associations.sources(of: destinationInstances, mapping: name)
  }
}

/// Which destination instances were made from which source instances, for each entity mapping.
struct AssociationTable {
  private struct Pairs {
    var destinations: [ManagedObjectID: [ManagedObject]] = [:]
    var sources: [ManagedObjectID: [ManagedObject]] = [:]
    var inOrder: [(source: ManagedObject, destination: ManagedObject)] = []
  }

  private var pairs: [String: Pairs] = [:]
  private var associated: Set<ManagedObjectID> = []

  mutating func add(_ source: ManagedObject, _ destination: ManagedObject, _ mapping: String) {
    pairs[mapping, default: Pairs()].destinations[source.objectID, default: []].append(destination)
    pairs[mapping, default: Pairs()].sources[destination.objectID, default: []].append(source)
    pairs[mapping, default: Pairs()].inOrder.append((source, destination))
    associated.insert(destination.objectID)
  }

  func destinations(of sources: [ManagedObject]?, mapping: String) -> [ManagedObject] {
    guard let pairs = pairs[mapping] else { return [] }
    guard let sources else { return Self.unique(pairs.inOrder.map(\.destination)) }
    return sources.flatMap { pairs.destinations[$0.objectID] ?? [] }
  }

  func sources(of destinations: [ManagedObject]?, mapping: String) -> [ManagedObject] {
    guard let pairs = pairs[mapping] else { return [] }
    guard let destinations else { return Self.unique(pairs.inOrder.map(\.source)) }
    return destinations.flatMap { pairs.sources[$0.objectID] ?? [] }
  }

  /// Each instance once, where it is met first: it may be associated with several.
  private static func unique(_ instances: [ManagedObject]) -> [ManagedObject] {
    var seen: Set<ManagedObjectID> = []
    return instances.filter { seen.insert($0.objectID).inserted }
  }

  func contains(_ destination: ManagedObject) -> Bool { associated.contains(destination.objectID) }
}
