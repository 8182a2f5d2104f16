package import DataModel
package import MigrationDiagnostics

/// All reasons why no mapping model can be inferred between two versions of a model.
public struct InferenceError: Error, Sendable, Hashable {
  /// The reasons, sorted by entity and property; at least one.
  ///
  /// Inherited properties are reported once, for the entity that declares them, unless that is abstract.
  package let reasons: [Reason]

  init(reasons: [Reason]) {
    self.reasons = reasons
  }

  /// One reason, as facts; its sentence is in `description`.
  package struct Reason: Sendable, Hashable {
    /// The entity's name in the destination.
    package var entity: String
    /// The name of the attribute or relationship in the destination; `nil` if the reason is about the entity itself.
    package var property: String?
    /// The obstacle to the inference.
    package var kind: Kind
    /// The source property that this one may be under a new name, without a renaming identifier.
    package var likelyOldName: String?

    init(_ entity: String, _ property: String? = nil, _ kind: Kind, likelyOldName: String? = nil) {
      self.entity = entity
      self.property = property
      self.kind = kind
      self.likelyOldName = likelyOldName
    }
  }

  /// A change that cannot be inferred.
  package enum Kind: Sendable, Hashable {
    /// A new attribute is required and has no default value, which existing instances would need.
    case attributeNeedsDefault
    /// A new relationship is required, and its destinations for existing instances are unknown.
    case relationshipNeedsDestination
    /// An attribute's new type cannot hold all its values.
    case incompatibleTypes(source: AttributeType, destination: AttributeType)
    /// The default value, which instances without a value would get, cannot be written as an expression.
    case defaultNotExpressible
    /// One of several destinations would have to be chosen, and no inverse determines which.
    case toManyBecomesToOne
    /// The relationship refers to instances of an entity that does not belong to its new destination.
    case destinationOutside(entity: String, destination: String)
    /// Several hierarchies are merged into one; the list has their root entities in the source.
    case mergedHierarchies(sourceRoots: [String])
    /// Names and renaming identifiers allow several pairings of entities, or of properties of one entity.
    case ambiguousRenaming(sources: [String], destinations: [String])
  }
}

extension InferenceError: CustomStringConvertible {
  /// One line for each reason: the problem and what to do.
  public var description: String { reasons.map(\.description).joined(separator: "\n") }
}

extension InferenceError.Reason: CustomStringConvertible {
  /// The problem and what to do, in one line.
  package var description: String {
    let name = property.map { "'\(entity).\($0)'" } ?? "'\(entity)'"
    return "\(name): \(kind.problem); \(rename)\(kind.advice)"
  }

  private var rename: String {
    guard let likelyOldName, let part = RenamedPart(from: likelyOldName, to: property ?? entity) else { return "" }
    let place =
      part.name == property ?? entity ? "its renaming identifier" : "the renaming identifier of '\(part.name)'"
    return "if it is '\(likelyOldName)' under a new name, set \(place) to '\(part.identifier)'; otherwise "
  }
}

extension InferenceError.Kind {
  /// The problem.
  package var problem: String {
    switch self {
    case .attributeNeedsDefault: "the new attribute is required, but existing instances have no value for it"
    case .relationshipNeedsDestination: "the new relationship is required, but existing instances have none"
    case .incompatibleTypes(let source, let destination):
      "source and destination attribute types are incompatible (\(source.xmlName) and \(destination.xmlName))"
    case .defaultNotExpressible: "the default value, which instances without a value need, is not a valid value"
    case .toManyBecomesToOne: "the to-many relationship becomes to-one, and nothing says which destination stays"
    case .destinationOutside(let entity, let destination):
      "it leads to instances of '\(entity)', which do not belong to its new destination '\(destination)'"
    case .mergedHierarchies(let roots):
      "its hierarchy joins entities that have no common parent in the source (\(Self.list(roots)))"
    case .ambiguousRenaming(let sources, let destinations):
      "names and renaming identifiers do not say which of \(Self.list(sources)) becomes which of "
        + Self.list(destinations)
    }
  }

  /// The advice.
  package var advice: String {
    switch self {
    case .attributeNeedsDefault: "give it a default value, make it optional, or write a mapping model"
    case .relationshipNeedsDestination: "make it optional, or write a mapping model"
    case .incompatibleTypes: "keep the old type, or write a mapping model"
    case .defaultNotExpressible: "correct the default value"
    case .toManyBecomesToOne: "keep it to-many, or write a mapping model"
    case .destinationOutside: "choose a destination that includes them, or write a mapping model"
    case .mergedHierarchies: "keep the hierarchies apart, or write a mapping model"
    case .ambiguousRenaming: "give each another renaming identifier"
    }
  }

  private static func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
}

extension InferenceError {
  /// The error of a migration, with all reasons in its detail.
  ///
  /// - Parameter path: The store to migrate, as the user named it.
  package func migrationError(path: String? = nil) -> MigrationError {
    let only = reasons.count == 1 ? reasons.first : nil
    return MigrationError(
      .inferenceFailed, MigrationError.Subject(path: path, entity: only?.entity, property: only?.property),
      detail: only?.description ?? reasons.map { "\n  \($0)" }.joined())
  }
}

/// Something that the author of a model should know about an inferred mapping model.
public struct InferenceFinding: Sendable, Hashable {
  /// The entity: its name in the source for removals, and otherwise in the destination.
  package var entity: String
  /// The attribute or relationship; `nil` if the finding is about the entity itself.
  package var property: String?
  /// The kind of the finding.
  package var kind: Kind

  init(_ entity: String, _ property: String? = nil, _ kind: Kind) {
    self.entity = entity
    self.property = property
    self.kind = kind
  }

  /// The kinds of findings.
  package enum Kind: Sendable, Hashable {
    /// The entity is removed, and all its instances.
    ///
    /// The name is that of a similar new entity, which only a renaming identifier would make the same.
    case entityRemoved(likelyNewName: String?)
    /// The entity becomes abstract: a store with instances of it cannot be migrated without losing them.
    case becomesAbstract
    /// The attribute is removed, and all its values.
    case attributeRemoved(likelyNewName: String?)
    /// The attribute becomes derived, so that the values that the app stored are not kept.
    case becomesDerived
    /// The property becomes transient, and its values or links are no longer stored.
    case becomesTransient
    /// The relationship is removed, and all its links.
    case relationshipRemoved(likelyNewName: String?)
    /// The destinations of the relationship no longer have an order.
    case orderRemoved
    /// The renaming identifier matches nothing in the source; the name decided instead.
    case unknownIdentifier(String)
    /// The renaming identifier matches nothing in the source, and neither does the name, so it begins empty, unless it is
    /// a relationship whose other end brings the links.
    case unmatchedIdentifier(String, beginsEmpty: Bool = true)
    /// The source has one of this name, but the renaming identifier of another claims it, so this one begins empty.
    case claimedByRenaming(newName: String)
    /// Whole numbers beyond ±2⁵³ lose their last digits.
    case precisionMayBeLost
    /// The text of the new attribute's default is not a value of its type: instances get no value.
    case unreadableDefault(String)
    /// An optional property becomes required without a default: the migration fails if an instance has no value.
    case valueMayBeMissing
    /// The migration fails if instances have equal values for these properties.
    case uniquenessConstraintAdded([String])
    /// The destination entities of the relationship are removed, and all its links.
    case destinationRemoved(entity: String)
    /// The new inverse is to-one: the migration fails or drops links if several instances refer to the same one.
    case linksMayConflict(inverse: String)
    /// The inverse becomes to-one: of several instances that refer to the same one, only the last keeps its link.
    case inverseBecomesToOne(inverse: String)
    /// The relationship no longer has an inverse, so the store keeps one referring instance for each destination.
    case linksMayBeDropped
  }

  /// Whether the destination lacks data that the source may hold.
  public var isLoss: Bool { kind.consequence != .nothingLost }
}

extension InferenceFinding.Kind {
  /// The consequences of a finding for the data of a store.
  package enum Consequence: Sendable {
    case entityRemoved
    case instancesLost
    case propertyRemoved
    /// The property is still there, but no longer stored.
    case valuesLost
    /// Some links, the order of links, or some digits are lost.
    case partlyLost
    /// Nothing is lost, or what is lost is a finding of its own.
    case nothingLost
  }

  /// The consequence for the data of a store.
  package var consequence: Consequence {
    switch self {
    case .entityRemoved: .entityRemoved
    case .becomesAbstract: .instancesLost
    case .attributeRemoved, .relationshipRemoved: .propertyRemoved
    case .becomesDerived, .becomesTransient: .valuesLost
    case .orderRemoved, .destinationRemoved, .precisionMayBeLost, .inverseBecomesToOne, .linksMayBeDropped: .partlyLost
    // What another one claims goes there.
    case .claimedByRenaming, .unmatchedIdentifier: .nothingLost
    case .unknownIdentifier, .unreadableDefault, .valueMayBeMissing, .uniquenessConstraintAdded, .linksMayConflict:
      .nothingLost
    }
  }
}

extension InferenceFinding: CustomStringConvertible {
  /// The finding and the advice, in one line.
  public var description: String {
    "\(property.map { "'\(entity).\($0)'" } ?? "'\(entity)'"): \(kind)"
  }
}

extension InferenceFinding.Kind: CustomStringConvertible {
  /// The finding and the advice, without the entity and property.
  package var description: String {
    switch self {
    case .entityRemoved(let name): "the entity is removed with all its instances\(Self.rename(name))"
    case .becomesAbstract:
      "the entity becomes abstract, and its own instances have nowhere to go; if there may be any, keep it concrete, set "
        + "its name as the renaming identifier of a subentity that takes them, or write a mapping model"
    case .attributeRemoved(let name): "the attribute is removed with all its values\(Self.rename(name))"
    case .becomesDerived:
      "the attribute becomes derived, and the values that it has are lost; keep them in another attribute, or write a "
        + "mapping model"
    case .becomesTransient: "the property becomes transient, and what is stored of it is lost"
    case .relationshipRemoved(let name): "the relationship is removed with all its links\(Self.rename(name))"
    case .orderRemoved: "the relationship is no longer ordered, and the order of its links is lost"
    case .unknownIdentifier(let identifier):
      "the renaming identifier '\(identifier)' matches nothing in the source; the name decided instead"
    case .unmatchedIdentifier(let identifier, let beginsEmpty):
      "the renaming identifier '\(identifier)' matches nothing in the source"
        + (beginsEmpty ? ", so it begins empty" : "; only its inverse brings its links")
    case .claimedByRenaming(let name):
      "it begins empty, because what the source has under this name goes to '\(name)', whose renaming identifier claims it"
    case .precisionMayBeLost: "whole numbers beyond 9007199254740992 lose their last digits as Double"
    case .unreadableDefault(let text): "the default '\(text)' is not a value of its type; instances get no value"
    case .valueMayBeMissing: "it was optional and is required now; instances without a value cannot be migrated"
    case .uniquenessConstraintAdded(let names):
      "instances must now differ in \(names.map { "'\($0)'" }.joined(separator: ", ")); others cannot be migrated"
    case .destinationRemoved(let entity): "all its links are lost, since '\(entity)' is removed"
    case .linksMayConflict(let inverse):
      "the new inverse '\(inverse)' is to-one; if several instances lead to the same one, only one of them can keep it"
    case .inverseBecomesToOne(let inverse):
      "its inverse '\(inverse)' becomes to-one; if several instances lead to the same one, only the last of them keeps "
        + "its link"
    case .linksMayBeDropped:
      "it is to-many and has no inverse; if several instances lead to the same one, only the last of them keeps it"
    }
  }

  private static func rename(_ name: String?) -> String {
    guard let name else { return "" }
    return "; if it became '\(name)', set the renaming identifier of that, or they are lost"
  }
}
