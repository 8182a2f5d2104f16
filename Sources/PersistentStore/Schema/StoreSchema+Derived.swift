internal import DataModel

extension StoreSchema {
  /// The statements that create the triggers which Core Data keeps counts with.
  public var triggerStatements: [String] {
    derivedCounts.filter(\.hasKnownTriggers).flatMap { $0.destinationTriggers + [$0.sourceTrigger] }
  }

  /// The statements that compute those counts, to be run when all rows are there.
  var countStatements: [String] { derivedCounts.map(\.countStatement) }

  /// What Core Data would have in a fresh store of this model, and stores written here have not.
  ///
  /// Spatial indexes and indexes with expressions or predicates only make fetches quicker. A derived attribute without
  /// triggers keeps the value that the migration gave it, until the app saves its instance with Core Data.
  public var omissions: [Omission] {
    let names = model.entitiesByName
    return tables.flatMap(\.entityNames).compactMap { names[$0] }.flatMap { entity in
      entity.ownAttributes.filter { $0.isDerived && !$0.isTransient }
        .filter { DerivedCount($0, of: entity, in: self)?.hasKnownTriggers != true }
        .map { Omission(kind: .derivedAttributeTriggers, entityName: entity.name, name: $0.name) }
        + entity.fetchIndexes.compactMap { index in
          Self.omission(index).map { Omission(kind: $0, entityName: entity.name, name: index.name) }
        }
    }
  }

  private var derivedCounts: [DerivedCount] {
    let names = model.entitiesByName
    return tables.flatMap(\.entityNames).compactMap { names[$0] }.flatMap { entity in
      entity.ownAttributes.compactMap { $0.isTransient ? nil : DerivedCount($0, of: entity, in: self) }
    }
  }

  private static func omission(_ index: FetchIndexDescription) -> Omission.Kind? {
    if index.elements.contains(where: { $0.collationType == .rTree }) { return .spatialIndex }
    if index.partialIndexPredicate != nil { return .partialIndex }
    let hasExpression = index.elements.contains { element in
      if case .expression = element.subject { true } else { false }
    }
    return hasExpression ? .expressionIndex : nil
  }

  /// Something that Core Data would have written.
  public struct Omission: Sendable, Hashable {
    /// What is missing.
    public enum Kind: Sendable, Hashable {
      /// The triggers that keep a derived attribute up to date.
      case derivedAttributeTriggers
      /// An index of areas or ranges, a virtual table of SQLite.
      case spatialIndex
      /// An index of some instances only.
      case partialIndex
      /// An index that sorts by something computed.
      case expressionIndex
    }

    /// What is missing.
    public let kind: Kind
    /// The entity that declares it.
    public let entityName: String
    /// The name of the attribute or index.
    public let name: String
  }
}
