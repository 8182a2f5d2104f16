public import DataModel
internal import Foundation
internal import Migration
public import MigrationDiagnostics
internal import SystemC

/// A store of any version of a model, with data in every corner: nil and empty values, extremes, text of many scripts,
/// large values, and relationships of every kind.
///
///     let fixture = StoreFixture(model: version1, rowCount: 100, seed: 7)
///     try fixture.write(to: "App-v1.sqlite")
///
/// The same model, number and seed give the same file.
public struct StoreFixture {
  private let model: ManagedObjectModel
  private let rowCount: Int
  private let seed: UInt64

  /// Prepares a fixture.
  ///
  /// - Parameters:
  ///   - rowCount: The number of instances of each entity that is not abstract: more if a relationship needs them, and
  ///     fewer if there are not as many values that differ.
  ///   - seed: Where the random numbers begin.
  public init(model: ManagedObjectModel, rowCount: Int = 100, seed: UInt64 = 1) {
    (self.model, self.rowCount, self.seed) = (model, max(0, rowCount), seed)
  }

  /// The file or folder of the model: a store keeps a copy, so its permissions are not wider.
  package var modelPath: String?

  /// Writes the store to a new file.
  ///
  /// - Returns: The number of instances by entity.
  /// - Throws: `MigrationError`: `outputExists` if there is a file, and `validationFailed` if no instances are found that
  ///   satisfy the rules of the model. Then there is no file.
  @discardableResult
  public func write(to path: String) throws(MigrationError) -> [String: Int] {
    let store = try NewStore(model: model)
    var maker = InstanceMaker(model: model, store.context, seed: seed)
    try maker.make(rowCount)
    store.metadata.uuid = uuid
    store.contentPaths = modelPath.map { [$0] } ?? []
    do throws(MigrationError) {
      try store.write(to: path)
    } catch var error where error.code == .validationFailed {
      error.advice = "Nothing was written. No values were found that keep this rule: correct it in the model."
      throw error
    }
    return maker.counts
  }

  /// A UUID that follows from all that the store follows from.
  private var uuid: String {
    let hashes = model.entities.map { "\($0.name) \($0.versionHash.bytes)" }
    return Digest.uuid(Digest.sha256(Array((hashes + ["\(rowCount)", "\(seed)"]).joined(separator: "\n").utf8)))
  }
}

/// Makes the instances of a fixture.
private struct InstanceMaker {
  private let model: ManagedObjectModel
  private let context: ManagedObjectContext
  private var random: FixtureRandom
  /// The instances of exactly each entity.
  private var instances: [String: [ManagedObject]] = [:]
  private let lineages: [String: [String]]
  private let ends: [FixtureEnd]
  /// The number of instances of each entity with a uniqueness constraint and of its subentities, which it holds for.
  private var numbers: [String: Int] = [:]

  init(model: ManagedObjectModel, _ context: ManagedObjectContext, seed: UInt64) {
    (self.model, self.context) = (model, context)
    random = FixtureRandom(seed: seed)
    lineages = model.lineages
    ends = FixtureEnd.all(in: model)
  }

  /// The number of instances by entity.
  var counts: [String: Int] {
    Dictionary(
      model.entities.filter { !$0.isAbstract }.map { ($0.name, instances[$0.name]?.count ?? 0) },
      uniquingKeysWith: { first, _ in first })
  }

  mutating func make(_ rowCount: Int) throws(MigrationError) {
    let entities = model.entities.filter { !$0.isAbstract }
    let makers = Dictionary(
      entities.map {
        ($0.name, EntityMaker($0, (lineages[$0.name] ?? []).compactMap { model.entity(named: $0) }, rowCount))
      },
      uniquingKeysWith: { first, _ in first })
    let counts = FixtureCounts(model, rowCount: rowCount, capacities: capacities(makers, rowCount), ends).counts
    for entity in entities {
      guard let maker = makers[entity.name] else { continue }
      if rowCount > 0, let unmatched = maker.unmatched { throw unmatched }
      for index in 0..<(counts[entity.name] ?? 0) {
        if EndRequest.isMade { throw MigrationError(.interrupted) }
        let object = try context.insertNewObject(forEntityName: entity.name)
        maker.fill(object, index, numbers, &random)
        for holder in maker.holders { numbers[holder, default: 0] += 1 }
        instances[entity.name, default: []].append(object)
      }
    }
    for end in ends {
      if EndRequest.isMade { throw MigrationError(.interrupted) }
      FixtureLinks(end, family(end.owners), family(end.others)).connect(&random)
    }
    try context.requireNoFailure()
  }

  /// Returns the number of instances of each entity for which there are enough unique values.
  ///
  /// A constraint holds for all subentities together.
  private func capacities(_ makers: [String: EntityMaker], _ rowCount: Int) -> [String: Int] {
    var capacities: [String: Int] = [:]
    for (name, maker) in makers {
      capacities[name] = maker.constraints.map { constraint in
        let sharing = makers.values.count { $0.holders.contains(constraint.holder) }
        return max(1, constraint.capacity / max(1, sharing))
      }.min()
    }
    return capacities
  }

  private func family(_ names: [String]) -> [ManagedObject] { names.flatMap { instances[$0] ?? [] } }
}

/// Makes the values of the instances of one entity.
private struct EntityMaker {
  /// Attributes that must differ, together, from those of all other instances.
  struct Constraint {
    /// The entity that has the constraint.
    let holder: String
    let attributes: [(name: String, values: FixtureValues)]
    /// The number of different combinations.
    let capacity: Int
  }

  let constraints: [Constraint]
  /// The entities whose constraints hold for these instances, each once.
  let holders: Set<String>
  private let plain: [(name: String, values: FixtureValues)]
  /// The error for an attribute that must have a value, and for whose pattern no text was found.
  let unmatched: MigrationError?

  /// The number of different texts of a pattern that are looked for so that an entity may have more rows than wanted.
  private static let textCount = 1 << 12

  init(_ entity: EntityDescription, _ lineage: [EntityDescription], _ rowCount: Int) {
    let stored = entity.attributes.filter { !$0.isTransient && !$0.isDerived }
    let unique = Set(lineage.flatMap(\.uniquenessConstraints).flatMap(\.self))
    let textCount = max(rowCount, min(Self.textCount, rowCount.multipliedReportingOverflow(by: 64).partialValue))
    let values = Dictionary(
      stored.map { ($0.name, FixtureValues($0, textCount: unique.contains($0.name) ? textCount : min(rowCount, 100))) },
      uniquingKeysWith: { first, _ in first })
    unmatched =
      stored.lazy.compactMap { attribute in
        if !attribute.isOptional, let limit = values[attribute.name]?.impossibleLimit {
          var error = MigrationError(
            .validationFailed, MigrationError.Subject(entity: entity.name, property: attribute.name),
            detail: limit.problem)
          error.advice = "Nothing was written. Correct these limits."
          return error
        }
        return values[attribute.name]?.unmatchedPattern.map { pattern in
          var error = MigrationError(
            .validationFailed, MigrationError.Subject(entity: entity.name, property: attribute.name),
            detail:
              "no text was found that matches the regular expression '\(pattern)' and keeps to the limits of length")
          error.advice =
            "Nothing was written. Correct the regular expression, or give the attribute a default value that matches."
          return error
        }
      }.first
    var constraints: [Constraint] = []
    var taken: Set<String> = []
    // The constraints of ancestors come first: what is unique among more instances is unique among fewer.
    for holder in lineage.reversed() {
      for names in holder.uniquenessConstraints {
        // One that shares an attribute with another is kept by that.
        guard taken.isDisjoint(with: names) else { continue }
        let attributes = names.compactMap { name in values[name].map { (name: name, values: $0) } }
        guard !attributes.isEmpty else { continue }
        taken.formUnion(attributes.map(\.name))
        let capacity = attributes.reduce(1) {
          $0.multipliedReportingOverflow(by: max(1, $1.values.capacity)).partialValue
        }
        constraints.append(
          Constraint(
            holder: holder.name, attributes: attributes.sorted { $0.values.capacity < $1.values.capacity },
            capacity: attributes.contains { $0.values.capacity > 1 << 30 } ? .max : capacity))
      }
    }
    self.constraints = constraints
    holders = Set(constraints.map(\.holder))
    plain = stored.compactMap { attribute in
      guard !taken.contains(attribute.name), let values = values[attribute.name] else { return nil }
      return (attribute.name, values)
    }
  }

  /// Gives an instance its values.
  ///
  /// - Parameter numbers: How many instances there are already that each entity's constraints hold for.
  func fill(_ object: ManagedObject, _ index: Int, _ numbers: [String: Int], _ random: inout FixtureRandom) {
    for (name, values) in plain { object.setValue(values.value(at: index, &random), forKey: name) }
    for constraint in constraints {
      // The attributes count together, as the digits of a number; the last one has the most values.
      var rest = numbers[constraint.holder] ?? 0
      for (place, attribute) in constraint.attributes.enumerated() {
        let isLast = place == constraint.attributes.count - 1
        let capacity = max(1, attribute.values.capacity)
        object.setValue(attribute.values.uniqueValue(isLast ? rest : rest % capacity), forKey: attribute.name)
        rest = isLast ? 0 : rest / capacity
      }
    }
  }
}
