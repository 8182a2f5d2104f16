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
  /// The number of instances that the constraints of each entity hold for.
  private var numbers: [String: Int] = [:]
  /// The destinations that constraints want, by relationship and owner, as numbers among all destinations.
  private var places: [String: [ObjectIdentifier: Int]] = [:]

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
    let rules = uniquenessRules
    let makers = Dictionary(
      entities.map { entity in
        let lineage = lineages[entity.name] ?? []
        return (
          entity.name,
          EntityMaker(
            entity, lineage.compactMap { model.entity(named: $0) }, rules.filter { lineage.contains($0.holder) }, ends,
            rowCount)
        )
      },
      uniquingKeysWith: { first, _ in first })
    if EndRequest.isMade { throw MigrationError(.interrupted) }
    let counts = settledCounts(makers, rowCount)
    for entity in entities {
      guard let maker = makers[entity.name] else { continue }
      if rowCount > 0, let unmatched = maker.unmatched { throw unmatched }
      let bases = maker.constraints.map { $0.bases(counts) }
      for index in 0..<(counts[entity.name] ?? 0) {
        if EndRequest.isMade { throw MigrationError(.interrupted) }
        let object = try context.insertNewObject(forEntityName: entity.name)
        for (name, place) in maker.fill(object, index, numbers, bases, &random) {
          places[name, default: [:]][ObjectIdentifier(object)] = place
        }
        for holder in maker.holders { numbers[holder, default: 0] += 1 }
        instances[entity.name, default: []].append(object)
      }
    }
    for end in ends {
      if EndRequest.isMade { throw MigrationError(.interrupted) }
      FixtureLinks(end, family(end.owners), family(end.others), places[end.relationship.name] ?? [:])
        .connect(&random)
    }
    try context.requireNoFailure()
  }

  /// The model's constraints, those of the fewest properties first: what is unique by itself is unique with others.
  private var uniquenessRules: [UniquenessRule] {
    let rules = model.entities.flatMap { entity in
      entity.uniquenessConstraints.compactMap { constraint -> UniquenessRule? in
        let names = Set(constraint.flatMap { entity.indexedProperties(named: $0) })
        // The index is of the whole table: it holds for all instances that have these properties.
        let holder = lineages[entity.name]?.first { ancestor in
          model.entity(named: ancestor)?.declares(anyOf: names) == true
        }
        return holder.map { UniquenessRule(holder: $0, names: names) }
      }
    }
    return rules.sorted { $0.names.count < $1.names.count }
  }

  /// Returns the number of instances of each entity.
  ///
  /// A constraint may allow more, the more destinations there are, and these are counted, too.
  private func settledCounts(_ makers: [String: EntityMaker], _ rowCount: Int) -> [String: Int] {
    var counts = makers.mapValues { _ in rowCount }
    var capacities: [String: Int] = [:]
    for _ in 0..<8 {
      capacities.merge(self.capacities(makers, counts)) { min($0, $1) }
      let next = FixtureCounts(model, rowCount: rowCount, capacities: capacities, ends).counts
      guard next != counts else { break }
      counts = next
    }
    return counts
  }

  /// Returns the number of instances of each entity for which there are enough unique values.
  private func capacities(_ makers: [String: EntityMaker], _ counts: [String: Int]) -> [String: Int] {
    var capacities: [String: Int] = [:]
    for (name, maker) in makers {
      capacities[name] = maker.constraints.map { constraint in
        let sharing = makers.filter { $0.value.holders.contains(constraint.holder) }.keys.sorted()
        let (share, rest) = constraint.capacity(counts).quotientAndRemainder(dividingBy: sharing.count)
        return share + ((sharing.firstIndex(of: name) ?? rest) < rest ? 1 : 0)
      }.min()
    }
    return capacities
  }

  private func family(_ names: [String]) -> [ManagedObject] { names.flatMap { instances[$0] ?? [] } }
}

/// A constraint of a model.
private struct UniquenessRule {
  /// The entity whose instances, with those of its subentities, have all of the properties.
  let holder: String
  /// The properties whose values must differ, together.
  let names: Set<String>
}

extension EntityDescription {
  fileprivate func declares(anyOf names: Set<String>) -> Bool {
    ownAttributes.contains { names.contains($0.name) } || ownRelationships.contains { names.contains($0.name) }
  }
}

/// Makes the values of the instances of one entity.
private struct EntityMaker {
  /// Attributes and to-one relationships that must differ, together, from those of all other instances.
  struct Constraint {
    /// The entity whose instances, with those of its subentities, it holds for.
    let holder: String
    let ends: [FixtureEnd]
    let attributes: [(name: String, values: FixtureValues)]

    /// The number of different values of each relationship and each attribute.
    func bases(_ counts: [String: Int]) -> [Int] {
      func sum(_ entities: [String]) -> Int { entities.reduce(0) { $0 + (counts[$1] ?? 0) } }
      return ends.map { max(1, $0.filledCount(owners: sum($0.owners), others: sum($0.others))) }
        + attributes.map { max(1, $0.values.capacity) }
    }

    /// The number of instances that it allows: a missing value equals no other.
    func capacity(_ counts: [String: Int]) -> Int {
      attributes.contains { $0.values.attribute.isOptional } ? .max : MixedDigits.count(bases(counts))
    }
  }

  let constraints: [Constraint]
  /// The entities whose constraints hold for these instances, each once.
  let holders: Set<String>
  private let plain: [(name: String, values: FixtureValues)]
  /// The error for an attribute that must have a value, and for whose pattern no text was found.
  let unmatched: MigrationError?

  /// The number of different texts of a pattern that are looked for so that an entity may have more rows than wanted.
  private static let textCount = 1 << 12

  init(
    _ entity: EntityDescription, _ lineage: [EntityDescription], _ rules: [UniquenessRule], _ ends: [FixtureEnd],
    _ rowCount: Int
  ) {
    let stored = entity.attributes.filter { !$0.isTransient && !$0.isDerived }
    let unique = Set(rules.flatMap(\.names))
    let textCount = max(rowCount, min(Self.textCount, rowCount.multipliedReportingOverflow(by: 64).partialValue))
    let ordinals = Self.ordinals(lineage)
    let values = Dictionary(
      stored.map { attribute in
        let count = unique.contains(attribute.name) ? textCount : min(rowCount, 100)
        let composite = attribute.compositeName.flatMap { name in entity.composites.first { $0.name == name } }
        let ordinal = ordinals[attribute.name] ?? 0
        return (attribute.name, FixtureValues(attribute, of: composite, ordinal: ordinal, textCount: count))
      },
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
    var kept: [Set<String>] = []
    var taken: Set<String> = []
    for rule in rules where !kept.contains(where: { $0.isSubset(of: rule.names) }) {
      kept.append(rule.names)
      let toOne = ends.filter { !$0.relationship.isToMany }
      // A destination with one owner makes its owner unique.
      let isOneToOne = toOne.contains { end in
        let names = end.owners.contains(entity.name) ? [end.relationship.name] : []
        let others = end.others.contains(entity.name) ? [end.inverse?.name].compactMap(\.self) : []
        return end.mostOwners == 1 && !rule.names.isDisjoint(with: names + others)
      }
      let leading = toOne.filter { rule.names.contains($0.relationship.name) && $0.owners.contains(entity.name) }
      // An attribute of several constraints is counted in the first one, so the others of its partners differ.
      let attributes = rule.names.subtracting(taken).sorted().compactMap { name in
        values[name].map { (name: name, values: $0) }
      }
      guard !isOneToOne, !(leading.isEmpty && attributes.isEmpty) else { continue }
      taken.formUnion(attributes.map(\.name))
      constraints.append(
        Constraint(
          holder: rule.holder, ends: leading.sorted { $0.relationship.name < $1.relationship.name },
          attributes: attributes.sorted { $0.values.capacity < $1.values.capacity }))
    }
    self.constraints = constraints
    holders = Set(constraints.map(\.holder))
    plain = stored.compactMap { attribute in
      guard !taken.contains(attribute.name), let values = values[attribute.name] else { return nil }
      return (attribute.name, values)
    }
  }

  /// The place of each attribute among those whose values are alike, ancestors first: it is the same in all
  /// subentities, whose unique values must differ.
  private static func ordinals(_ lineage: [EntityDescription]) -> [String: Int] {
    var ordinals: [String: Int] = [:]
    var counts: [AttributeType: Int] = [:]
    for attribute in lineage.reversed().flatMap(\.ownAttributes) where ordinals[attribute.name] == nil {
      let isWhole = [.integer16, .integer32, .decimal].contains(attribute.type)
      let kind: AttributeType = isWhole ? .integer64 : attribute.type == .float ? .double : attribute.type
      ordinals[attribute.name] = counts[kind, default: 0]
      counts[kind, default: 0] += 1
    }
    return ordinals
  }

  /// Gives an instance its values.
  ///
  /// - Parameters:
  ///   - numbers: How many instances there are already that each entity's constraints hold for.
  ///   - bases: The bases of each constraint.
  /// - Returns: The destinations that the constraints want, by relationship.
  func fill(
    _ object: ManagedObject, _ index: Int, _ numbers: [String: Int], _ bases: [[Int]], _ random: inout FixtureRandom
  ) -> [String: Int] {
    var places: [String: Int] = [:]
    var seen: Set<AttributeValue> = []
    for (constraint, bases) in zip(constraints, bases) {
      // The properties count together, as the digits of a number.
      let number = numbers[constraint.holder] ?? 0
      let digits = MixedDigits.digits(of: number, bases)
      for (end, digit) in zip(constraint.ends, digits) where places[end.relationship.name] == nil {
        places[end.relationship.name] = digit
      }
      // When all combinations are used, a missing value makes more.
      let missing =
        number < MixedDigits.count(bases)
        ? nil : constraint.attributes.first { $0.values.attribute.isOptional }?.name
      for (attribute, digit) in zip(constraint.attributes, digits.dropFirst(constraint.ends.count)) {
        let value = attribute.name == missing ? nil : attribute.values.uniqueValue(digit)
        object.setValue(value, forKey: attribute.name)
        if let value { seen.insert(value) }
      }
    }
    for (name, values) in plain {
      var value = values.value(at: index, &random)
      if values.attribute.type != .boolean, let known = value, !seen.insert(known).inserted {
        // Another attribute has it: a swap of both would not be noticed.
        let other = (0..<8).lazy.compactMap { values.uniqueValue(index + $0) }.first { !seen.contains($0) }
        value = other ?? value
        if let other { seen.insert(other) }
      }
      object.setValue(value, forKey: name)
    }
    return places
  }
}

/// Numbers whose digits have bases of their own.
private enum MixedDigits {
  /// The number of combinations of digits, or the greatest number there is.
  static func count(_ bases: some Sequence<Int>) -> Int {
    bases.reduce(1) { count, base in
      let (product, isOver) = count.multipliedReportingOverflow(by: base)
      return isOver ? .max : product
    }
  }

  /// Returns digits that no two numbers below the number of combinations have in common, and each of which takes all its
  /// values in turn.
  static func digits(of number: Int, _ bases: [Int]) -> [Int] {
    var (rest, digits) = (number, bases)
    for place in bases.indices.reversed() {
      let (base, inner) = (bases[place], count(bases[..<place]))
      // After so many numbers, this digit and those before it would be the same again: it goes one further.
      let round = count([inner / divisor(inner, base), base])
      digits[place] = (rest % base + rest / round) % base
      rest %= inner
    }
    return digits
  }

  /// The greatest common divisor.
  private static func divisor(_ first: Int, _ second: Int) -> Int {
    var (divisor, rest) = (first, second)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    return divisor
  }
}
