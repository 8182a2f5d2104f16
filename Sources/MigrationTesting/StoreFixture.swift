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
  ///   - rowCount: The number of instances of each entity that is not abstract; more, if a relationship needs them.
  ///   - seed: Where the random numbers begin.
  public init(model: ManagedObjectModel, rowCount: Int = 100, seed: UInt64 = 1) {
    (self.model, self.rowCount, self.seed) = (model, max(0, rowCount), seed)
  }

  /// The file or folder of the model: a store keeps a copy, so its permissions are not wider.
  package var modelPath: String?

  /// Writes the store to a new file.
  ///
  /// - Throws: `MigrationError`: `outputExists` if there is a file, and `validationFailed` if no instances are found that
  ///   satisfy the rules of the model. Then there is no file.
  public func write(to path: String) throws(MigrationError) {
    let store = try NewStore(model: model)
    var maker = InstanceMaker(model: model, store.context, seed: seed)
    try maker.make(rowCount)
    store.metadata.uuid = uuid
    store.contentPaths = modelPath.map { [$0] } ?? []
    try store.write(to: path)
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
  /// Unique values are those of no other instance, also of no other entity: a constraint may be a parent's.
  private var instanceCount = 0

  init(model: ManagedObjectModel, _ context: ManagedObjectContext, seed: UInt64) {
    (self.model, self.context) = (model, context)
    random = FixtureRandom(seed: seed)
    lineages = model.lineages
  }

  mutating func make(_ rowCount: Int) throws(MigrationError) {
    for entity in model.entities where !entity.isAbstract {
      // Constraints hold for subentities, too.
      let unique = Set(
        (lineages[entity.name] ?? []).flatMap { model.entity(named: $0)?.uniquenessConstraints ?? [] }.joined())
      for index in 0..<(rowCount * multiple(of: entity)) {
        if EndRequest.isMade { throw MigrationError(.interrupted) }
        let object = try context.insertNewObject(forEntityName: entity.name)
        for attribute in entity.attributes where !attribute.isTransient && !attribute.isDerived {
          let isUnique = unique.contains(attribute.name)
          let number = isUnique ? instanceCount : index
          object.setValue(random.value(of: attribute, at: number, isUnique: isUnique), forKey: attribute.name)
        }
        instanceCount += 1
        instances[entity.name, default: []].append(object)
      }
    }
    for entity in model.entities {
      for relationship in entity.ownRelationships where !relationship.isTransient {
        if EndRequest.isMade { throw MigrationError(.interrupted) }
        connect(entity, relationship)
      }
    }
    try context.requireNoFailure()
  }

  /// How many instances there must be for each of the entities whose relationships need several of them.
  private func multiple(of entity: EntityDescription) -> Int {
    let family = Set(lineages[entity.name] ?? [])
    let needs = model.entities.flatMap(\.ownRelationships).filter { relationship in
      family.contains(relationship.destinationEntityName) && relationship.isToMany
        && inverse(of: relationship)?.isToMany == false
    }.map { Int($0.minCount) }
    return min(20, max(1, needs.max() ?? 1))
  }

  private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    relationship.inverseName.flatMap { name in
      model.entity(named: relationship.destinationEntityName)?.relationship(named: name)
    }
  }

  /// The instances of an entity and its subentities.
  private func family(_ name: String) -> [ManagedObject] {
    model.entities.filter { lineages[$0.name]?.contains(name) == true }.flatMap { instances[$0.name] ?? [] }
  }

  private mutating func connect(_ entity: EntityDescription, _ relationship: RelationshipDescription) {
    let (owners, others) = (family(entity.name), family(relationship.destinationEntityName))
    guard !owners.isEmpty, !others.isEmpty else { return }
    let inverse = inverse(of: relationship)
    if let inverse {
      // Each pair is connected once: from the side with one destination, or else from the first by name.
      let isItself = inverse.name == relationship.name && relationship.destinationEntityName == entity.name
      let key = [entity.name, relationship.name], otherKey = [relationship.destinationEntityName, inverse.name]
      let isFirst =
        relationship.isToMany == inverse.isToMany
        ? key.lexicographicallyPrecedes(otherKey) || isItself : !relationship.isToMany
      guard isFirst else { return }
      if isItself { return pair(owners, relationship) }
    }
    let isRequired = !relationship.isOptional || relationship.minCount > 0 || inverse?.isOptional == false
    if !relationship.isToMany {
      let isOneToOne = inverse?.isToMany == false
      for (index, owner) in owners.enumerated() where !EndRequest.isMade {
        if isOneToOne, index >= others.count { break }
        // Some have none, where that is allowed.
        if !isRequired, index % 5 == 4 { continue }
        let destination = others[isOneToOne || isRequired ? index % others.count : random.below(others.count)]
        owner.setInstances([destination], forKey: relationship.name)
      }
    } else {
      let most = relationship.maxCount > 0 ? Int(relationship.maxCount) : 5
      let least = max(isRequired ? 1 : 0, Int(relationship.minCount))
      let mostOwners = inverse.map { $0.maxCount > 0 ? Int($0.maxCount) : Int.max } ?? .max
      var ownerCounts: [ObjectIdentifier: Int] = [:]
      for (index, owner) in owners.enumerated() where !EndRequest.isMade {
        let count = min(max(least, index % (most + 1)), most, others.count)
        var chosen: [ManagedObject] = []
        for step in 0..<count {
          let other = others[(index + step * 7) % others.count]
          guard !chosen.contains(where: { $0 === other }), ownerCounts[ObjectIdentifier(other), default: 0] < mostOwners
          else { continue }
          ownerCounts[ObjectIdentifier(other), default: 0] += 1
          chosen.append(other)
        }
        // An order that is not that of the keys.
        if relationship.isOrdered { chosen.shuffle(using: &random) }
        owner.setInstances(chosen, forKey: relationship.name)
      }
    }
  }

  /// Connects instances with each other by a relationship that is its own inverse.
  private func pair(_ owners: [ManagedObject], _ relationship: RelationshipDescription) {
    for index in stride(from: 0, to: owners.count - 1, by: 2) {
      owners[index].setInstances([owners[index + 1]], forKey: relationship.name)
    }
  }
}

/// Random values for attributes: the odd ones first, so that few rows have them all.
private struct FixtureRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

  /// The value of an attribute of an instance.
  mutating func value(of attribute: AttributeDescription, at index: Int, isUnique: Bool) -> AttributeValue? {
    if attribute.isOptional, !isUnique, index % 4 == 3 { return nil }
    // No text is made for a pattern.
    if attribute.validation.regularExpression != nil, !attribute.isOptional || attribute.defaultValue != nil {
      return attribute.defaultValue
    }
    if attribute.validation.regularExpression != nil { return nil }
    switch attribute.type {
    case .integer16: return .integer(integer(attribute, index, isUnique, Int64(Int16.min)...Int64(Int16.max)))
    case .integer32: return .integer(integer(attribute, index, isUnique, Int64(Int32.min)...Int64(Int32.max)))
    case .integer64: return .integer(integer(attribute, index, isUnique, .min ... .max))
    case .boolean: return .boolean(index.isMultiple(of: 2))
    case .double:
      return .double(
        real(attribute, index, isUnique, [0, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1]))
    case .float:
      return .double(real(attribute, index, isUnique, [0, Double(Float.greatestFiniteMagnitude), 0.5, -1.5]))
    case .decimal: return .integer(integer(attribute, index, isUnique, -1_000_000_000...1_000_000_000))
    case .date:
      return .date(real(attribute, index, isUnique, [0, -978_307_200, 4_102_444_800, 0.125]).rounded(toEighths: true))
    case .string: return .string(text(attribute, index, isUnique))
    case .binaryData, .transformable: return .data(bytes(attribute, index))
    case .uuid: return .uuid((0..<16).map { _ in UInt8.random(in: 0...255, using: &self) })
    case .uri: return .uri("https://example.com/\(index)?q=\(below(9))")
    case .undefined, .objectID, .composite: return nil
    }
  }

  private mutating func integer(
    _ attribute: AttributeDescription, _ index: Int, _ isUnique: Bool, _ range: ClosedRange<Int64>
  ) -> Int64 {
    let limits = attribute.validation
    let least = limits.minimum?.number.map {
      max(range.lowerBound, Int64(exactly: $0.rounded(.up)) ?? range.lowerBound)
    }
    let most = limits.maximum?.number.map {
      min(range.upperBound, Int64(exactly: $0.rounded(.down)) ?? range.upperBound)
    }
    let (low, high) = (least ?? range.lowerBound, most ?? range.upperBound)
    guard low <= high else { return low }
    if isUnique { return low == .min || low < 0 && high > 0 ? Int64(index) : low &+ Int64(index) }
    switch index {
    case 0: return low
    case 1: return high
    case 2: return low <= 0 && high >= 0 ? 0 : low
    default: return Int64.random(in: max(low, -1000)...max(min(high, 1000), max(low, -1000)), using: &self)
    }
  }

  private mutating func real(
    _ attribute: AttributeDescription, _ index: Int, _ isUnique: Bool, _ odd: [Double]
  ) -> Double {
    let limits = attribute.validation
    let (low, high) = (limits.minimum?.number ?? -.infinity, limits.maximum?.number ?? .infinity)
    let value =
      isUnique ? Double(index) : index < odd.count ? odd[index] : Double(Int.random(in: -9999...9999, using: &self)) / 8
    return min(max(value, low), high)
  }

  private static let texts = [
    "", "plain", "Ünïcödé e\u{301}", "日本語のテキスト", "مرحبا بالعالم", "👩‍👩‍👧‍👦🏳️‍🌈", "line\nbreak\ttab", "'quotes\" and \\",
    " spaces ",
    "\u{0}zero", "\u{FEFF}mark", "NULL", "%s%n", "<a>&amp;</a>", "\u{1F600}\u{10FFFD}",
  ]

  private mutating func text(_ attribute: AttributeDescription, _ index: Int, _ isUnique: Bool) -> String {
    let limits = attribute.validation
    let least = Int(limits.minimum?.number ?? 0), most = limits.maximum?.number.map { Int($0) } ?? .max
    var text =
      isUnique
      ? "unique \(index)"
      : index < Self.texts.count
        ? Self.texts[index]
        : index == Self.texts.count ? String(repeating: "long ", count: 4000) : "text \(below(1_000_000))"
    if text.count < least { text += String(repeating: "x", count: least - text.count) }
    if text.count > most { text = isUnique ? String(String(index).suffix(most)) : String(text.prefix(most)) }
    return text
  }

  private mutating func bytes(_ attribute: AttributeDescription, _ index: Int) -> [UInt8] {
    let count = index == 0 ? 0 : index == 1 ? 1 : index == 2 ? 200_000 : below(200)
    return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) }
  }
}

extension AttributeValue {
  fileprivate var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .double(let double), .date(let double): double
    case .string(let text): Double(text)
    default: nil
    }
  }
}

extension Double {
  /// A date that reads the same as text and as a number.
  fileprivate func rounded(toEighths: Bool) -> Double { toEighths ? (self * 8).rounded() / 8 : self }
}
