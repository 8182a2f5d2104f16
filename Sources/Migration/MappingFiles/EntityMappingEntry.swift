public import DataModel
public import Expressions

/// One entity mapping as a file holds it.
public struct EntityMappingEntry: Sendable, Hashable {
  /// The name, which is made of the names of the entities unless somebody chose one.
  public var name: String
  /// The place in the order of the work, where the file gives one.
  public var number: Int?
  /// What is done with the instances, where the file says so; otherwise it follows from the entities.
  public var mappingType: EntityMapping.MappingType?
  /// The source entity; nothing where the destination is new.
  public var sourceEntityName: String?
  /// The version of the source entity, which only compiled files hold.
  public var sourceEntityVersionHash: VersionHash?
  /// The destination entity; nothing where the source is dropped.
  public var destinationEntityName: String?
  /// The version of the destination entity, which only compiled files hold.
  public var destinationEntityVersionHash: VersionHash?
  /// The class of the policy, or `nil` for the default one.
  public var entityMigrationPolicyClassName: String?
  /// Which instances of the source entity are migrated; without one, all.
  public var filterPredicate: Predicate?
  /// Free notes for the policy.
  public var userInfo: [String: String] = [:]
  /// Where the values of attributes come from, sorted by name.
  public var attributeMappings: [PropertyMappingEntry] = []
  /// Where the destinations of relationships come from, sorted by name.
  public var relationshipMappings: [PropertyMappingEntry] = []

  init(name: String?, source: String?, destination: String?) {
    self.name = name ?? Self.defaultName(source: source, destination: destination)
    sourceEntityName = source
    destinationEntityName = destination
  }

  /// The name that Xcode gives: `NoteToAttachment`, or that of the only entity.
  static func defaultName(source: String?, destination: String?) -> String {
    [source, destination].compactMap(\.self).joined(separator: "To")
  }

  /// What Xcode's compiler makes of a mapping whose type is undefined.
  var impliedMappingType: EntityMapping.MappingType {
    Self.impliedMappingType(
      policy: entityMigrationPolicyClassName, source: sourceEntityName, destination: destinationEntityName)
  }

  static func impliedMappingType(policy: String?, source: String?, destination: String?) -> EntityMapping.MappingType {
    if policy != nil { return .custom }
    guard let source else { return .add }
    guard let destination else { return .remove }
    return source == destination ? .copy : .transform
  }
}
