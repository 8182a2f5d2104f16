package import DataModel
package import MappingModels

/// Something that an inferred hop takes no further, or not whole, although the instances that have it go on.
package struct DroppedProperty: Sendable, Hashable {
  /// The contents that stores have of it.
  package enum Content: Sendable, Hashable {
    case rows, values, links
  }

  /// The reason for the loss.
  package enum Reason: Sendable, Hashable {
    /// It is gone.
    case removed
    /// The app stored its values, and the store is to derive them.
    case becomesDerived
    /// It is no longer stored.
    case becomesTransient
    /// The renaming identifier of another one claims what it holds.
    case claimed(by: String)
    /// Its destinations have room for one link only, in this relationship.
    case inverseIsToOne(String)
    /// Its destinations have room for one link only, since they keep it in the place of an inverse.
    case hasNoInverse
    /// Hops through the versions in between would take it elsewhere.
    case diverted(Diversion)
  }

  /// The entity or property, as the version before names it.
  package let name: PropertyName
  /// The contents that stores have of it.
  package let content: Content
  /// The reason for the loss.
  package let reason: Reason
  /// The version before.
  package let sourceVersion: String
  /// The version after.
  package let destinationVersion: String
  /// The same of each entity with instances of its own that lose it, as the version before names it.
  let holders: [PropertyName]
}

extension DroppedProperty {
  /// Returns the properties that an inferred hop drops.
  static func all(in step: MigrationStep) -> [DroppedProperty] {
    guard case .inferred(let inferred) = step.method,
      inferred.findings.contains(where: { Reason($0.kind) != nil })
    else { return step.diverted }
    let hop = InferredHop(step)
    return inferred.findings.compactMap { finding in
      guard let reason = Reason(finding.kind) else { return nil }
      let holders = hop.holders(of: finding, reason)
      guard let first = holders.first else { return nil }
      return DroppedProperty(
        name: hop.shownName(finding, reason, first), content: hop.content(of: first), reason: reason,
        sourceVersion: step.source.name, destinationVersion: step.destination.name, holders: holders)
    } + step.diverted
  }

  /// Makes one of something that a hop takes elsewhere; `nil` if it is lost, which inference has found.
  init?(_ diversion: Diversion, in hop: MigrationStep) {
    guard diversion.place != nil, let first = diversion.holders.first else { return nil }
    self.init(
      name: diversion.old, content: InferredHop(hop).content(of: first), reason: .diverted(diversion),
      sourceVersion: hop.source.name, destinationVersion: hop.destination.name, holders: diversion.holders)
  }

  /// Returns the properties that the hops from a version drop of its stores, with their names in that version as far as
  /// they are known: for the results of a mapping model they are not.
  static func all(along steps: [MigrationStep]) -> [(dropped: DroppedProperty, origins: [PropertyName])] {
    guard let first = steps.first else { return [] }
    var lineage = PropertyLineage(first.source.model)
    return steps.flatMap { step in
      let found = all(in: step).filter { $0.holders.contains(where: lineage.holds) }
        .map { ($0, $0.holders.compactMap(lineage.origin)) }
      lineage = lineage.following(step)
      return found
    }
  }

  /// Returns the properties that the hops of a plan drop.
  package static func all(along plan: MigrationPlan) -> [DroppedProperty] { all(along: plan.steps).map(\.dropped) }

  /// Returns the properties that a hop without a mapping model drops; none if there is no such hop.
  package static func all(from source: LoadedModelVersion, to destination: LoadedModelVersion) -> [DroppedProperty] {
    guard let inferred = try? InferredMappingModel(from: source.model, to: destination.model) else { return [] }
    return all(in: MigrationStep(source: source, destination: destination, method: .inferred(inferred)))
  }
}

extension DroppedProperty {
  /// The problem, without the name and without numbers.
  package var problem: String {
    switch reason {
    case .inverseIsToOne, .hasNoInverse, .diverted: circumstance
    case .removed, .becomesDerived, .becomesTransient, .claimed:
      "\(circumstance), and the \(content == .links ? "links" : "values") that stores have of it are lost"
    }
  }

  /// The change between the two versions that drops it.
  var circumstance: String {
    let hop = "from '\(sourceVersion)' to '\(destinationVersion)'"
    switch reason {
    case .removed: return "is removed \(hop)"
    case .becomesDerived: return "becomes derived \(hop)"
    case .becomesTransient: return "becomes transient \(hop)"
    case .claimed(let claimant):
      return "begins empty \(hop): its \(content) go to '\(claimant)', whose renaming identifier claims them"
    case .inverseIsToOne(let inverse):
      return
        "loses links \(hop), since its inverse '\(inverse)' is to-one: of several instances that refer to the same one, "
        + "only the last keeps its link"
    case .diverted(let diversion):
      return
        "becomes '\(diversion.new)' by way of the versions in between, but "
        + (diversion.place.map { "'\($0)'" } ?? "nothing") + " in the one hop \(hop)"
    case .hasNoInverse:
      return
        "loses links \(hop), since it is to-many and has no inverse: of several instances that refer to the same one, "
        + "only the last keeps its link"
    }
  }

  /// The advice for a loss that was not intended in a plan of SwiftData, which has no mapping models.
  package static let planAdvice =
    "if it has a new name, set the old one as 'originalName'; otherwise keep it until a later version, and let a closure "
    + "of the plan move it"

  /// The advice for a loss that was not intended.
  package var advice: String {
    switch reason {
    case .removed: "if it has a new name, set its old one as the renaming identifier, or write a mapping model"
    case .becomesDerived, .becomesTransient:
      "keep them in another \(content == .links ? "relationship" : "attribute") with '\(name.property ?? "")' as its renaming "
        + "identifier, or write a mapping model"
    case .claimed: "write a mapping model if both are to have them"
    case .inverseIsToOne, .hasNoInverse: "keep it as it is, or write a mapping model that chooses"
    case .diverted(let diversion):
      (diversion.renaming.map { "\($0), or " } ?? "") + "write a mapping model for this hop"
    }
  }
}

extension DroppedProperty.Reason {
  /// The reason of a finding; `nil` for one that drops no values or links, or whole entities.
  init?(_ kind: InferenceFinding.Kind) {
    switch kind {
    case .attributeRemoved, .relationshipRemoved: self = .removed
    case .becomesDerived: self = .becomesDerived
    case .becomesTransient: self = .becomesTransient
    case .claimedByRenaming(let claimant): self = .claimed(by: claimant)
    case .inverseBecomesToOne(let inverse), .linksMayConflict(let inverse): self = .inverseIsToOne(inverse)
    case .linksMayBeDropped: self = .hasNoInverse
    case .entityRemoved, .becomesAbstract, .orderRemoved, .unknownIdentifier, .unmatchedIdentifier, .precisionMayBeLost,
      .unreadableDefault, .valueMayBeMissing, .uniquenessConstraintAdded, .destinationRemoved:
      return nil
    }
  }
}

extension InferredMappingModel {
  /// Returns the findings without those about what goes on elsewhere, such as links that the other end keeps.
  ///
  /// - Parameters:
  ///   - source: The model from which it was inferred.
  ///   - destination: The model to which it leads.
  package func findings(
    of source: ManagedObjectModel, becoming destination: ManagedObjectModel
  ) -> [InferenceFinding] {
    let step = MigrationStep(
      source: LoadedModelVersion(name: "", model: source),
      destination: LoadedModelVersion(name: "", model: destination),
      method: .inferred(self))
    return InferredHop.lost(findings, in: step)
  }
}

/// An inferred hop, and what of its source is there afterwards.
struct InferredHop {
  private let source: EntityTree
  private let destination: EntityTree
  private let after: PropertyLineage
  private let survivors: [PropertyName: PropertyName]

  init(_ step: MigrationStep) {
    (source, destination) = (EntityTree(step.source.model), EntityTree(step.destination.model))
    after = PropertyLineage(step.source.model).following(step)
    survivors = after.survivors ?? [:]
  }

  /// Returns the findings without those about what goes on elsewhere, such as links that the other end keeps.
  static func lost(_ findings: [InferenceFinding], in step: MigrationStep) -> [InferenceFinding] {
    guard findings.contains(where: { $0.isLoss && DroppedProperty.Reason($0.kind) != nil }) else { return findings }
    let hop = InferredHop(step)
    return findings.filter { finding in
      guard finding.isLoss, let reason = DroppedProperty.Reason(finding.kind) else { return true }
      return !hop.holders(of: finding, reason).isEmpty
    }
  }

  /// The entities of the source with what a finding is about.
  func holders(of finding: InferenceFinding, _ reason: DroppedProperty.Reason) -> [PropertyName] {
    switch reason {
    case .removed, .becomesDerived, .becomesTransient:
      return source.concreteFamily(of: finding.entity)
        .map { PropertyName(entity: $0.name, property: finding.property) }
        .filter { isKept(PropertyName(entity: $0.entity, property: nil)) && !isKept($0) && !areLinksToldElsewhere($0) }
    case .claimed:
      guard let property = finding.property else {
        let old = source.entity(finding.entity)
        return old.map { $0.isAbstract ? [] : [PropertyName(entity: $0.name, property: nil)] } ?? []
      }
      return destination.concreteFamily(of: finding.entity)
        .compactMap { after.origin(of: PropertyName(entity: $0.name, property: nil)) }
        .map { PropertyName(entity: $0.entity, property: property) }
        .filter { isStored($0) }
    case .inverseIsToOne, .hasNoInverse:
      return origins(of: finding)
    case .diverted(let diversion): return diversion.holders
    }
  }

  /// Returns the entities or properties of the source that an element of the destination, and its like in descendants,
  /// comes from.
  func origins(of finding: InferenceFinding) -> [PropertyName] {
    destination.concreteFamily(of: finding.entity)
      .compactMap { after.origin(of: PropertyName(entity: $0.name, property: finding.property)) }
  }

  /// Returns the kind of contents that stores have of a property.
  func content(of name: PropertyName) -> DroppedProperty.Content {
    guard name.property != nil else { return .rows }
    return relationship(name) == nil ? .values : .links
  }

  /// The name of what is dropped, as the source has it.
  func shownName(
    _ finding: InferenceFinding, _ reason: DroppedProperty.Reason, _ first: PropertyName
  ) -> PropertyName {
    switch reason {
    case .removed, .becomesDerived, .becomesTransient:
      PropertyName(entity: finding.entity, property: finding.property)
    case .claimed, .inverseIsToOne, .hasNoInverse:
      PropertyName(
        entity: after.origin(of: PropertyName(entity: finding.entity, property: nil))?.entity ?? finding.entity,
        property: first.property)
    case .diverted(let diversion): diversion.old
    }
  }

  private func isKept(_ name: PropertyName) -> Bool { survivors[name] != nil }

  /// Whether the other end of the links goes on, which then has all of them, or is gone with its rows, which are counted.
  private func areLinksToldElsewhere(_ name: PropertyName) -> Bool {
    guard let relationship = relationship(name) else { return false }
    let destinations = source.concreteFamily(of: relationship.destinationEntityName)
    if destinations.allSatisfy({ !isKept(PropertyName(entity: $0.name, property: nil)) }) { return true }
    guard let inverse = relationship.inverseName else { return false }
    return source.concreteFamily(of: relationship.inverseEntityName ?? relationship.destinationEntityName)
      .contains { isKept(PropertyName(entity: $0.name, property: inverse)) }
  }

  private func isStored(_ name: PropertyName) -> Bool {
    guard let property = name.property else { return false }
    let attribute = source.entity(name.entity)?.attribute(named: property)
    return attribute.map { !$0.isTransient } ?? relationship(name).map { !$0.isTransient } ?? false
  }

  private func relationship(_ name: PropertyName) -> RelationshipDescription? {
    name.property.flatMap { source.entity(name.entity)?.relationship(named: $0) }
  }
}
