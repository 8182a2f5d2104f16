package import CoreDataExpressions
package import DataModel
internal import TerminalOutput

/// Finds keys in expressions and filters that the instances of a source entity do not have.
package struct SourceKeys {
  /// A key that no instance has.
  package struct Unknown: Hashable {
    package let entity: String
    package let key: String
    package let nearest: String?
  }

  private let tree: EntityTree
  private var nearestNames = NearestNames()
  /// The properties of an entity and of all its descendants: which of them an instance is, only a store knows.
  private var families: [String: [String: RelationshipDescription?]] = [:]

  package init(_ model: ManagedObjectModel) {
    tree = EntityTree(model)
  }

  /// The first key that the value of a property asks for in vain.
  package mutating func unknown(in expression: Expression, of entity: String) -> Unknown? {
    firstUnknown(expression.keyPaths(from: .variable("source")), of: entity)
  }

  /// The first key that a filter asks for in vain.
  package mutating func unknown(in filter: Predicate, of entity: String) -> Unknown? {
    firstUnknown(filter.keyPaths(from: .evaluatedObject), of: entity)
  }

  private mutating func firstUnknown(_ paths: [[KeyPathComponent]], of entity: String) -> Unknown? {
    for path in paths {
      if let found = firstUnknown(path, of: entity) { return found }
    }
    return nil
  }

  private mutating func firstUnknown(_ path: [KeyPathComponent], of entity: String) -> Unknown? {
    var entity = entity
    for (index, component) in path.enumerated() {
      guard case .key(let key) = component else { return nil }
      let properties = family(entity)
      guard let property = properties[key] else {
        guard let unknown = unknownName(path[index...], properties) else { return nil }
        return Unknown(entity: entity, key: unknown, nearest: nearestNames.nearest(to: unknown, in: properties.keys))
      }
      // What comes after an attribute is asked of its value.
      guard let relationship = property else { return nil }
      entity = relationship.destinationEntityName
    }
    return nil
  }

  /// The part of a path that is not there; `nil` for a path to a composite attribute or to an element of one, whose name is
  /// a key path.
  private func unknownName(
    _ path: ArraySlice<KeyPathComponent>, _ properties: [String: RelationshipDescription?]
  ) -> String? {
    var name = ""
    for component in path {
      guard case .key(let key) = component else { return nil }
      name += name.isEmpty ? key : "." + key
      // What comes after an element is asked of its value.
      if properties[name] != nil { return nil }
      guard properties.keys.contains(where: { $0.hasPrefix(name + ".") }) else { return name }
    }
    return nil
  }

  private mutating func family(_ name: String) -> [String: RelationshipDescription?] {
    if let known = families[name] { return known }
    var properties: [String: RelationshipDescription?] = [:]
    for entity in [tree.entity(name)].compactMap(\.self) + Array(tree.concreteFamily(of: name)) {
      for attribute in entity.attributes { properties[attribute.name] = .some(nil) }
      for relationship in entity.relationships { properties[relationship.name] = relationship }
    }
    // What they fetch is not followed.
    for entity in tree.lineage(of: name) {
      for fetched in entity.ownFetchedProperties { properties[fetched.name] = .some(nil) }
    }
    properties["objectID"] = .some(nil)
    families[name] = properties
    return properties
  }
}

extension EntityTree {
  /// The entity and its ancestors.
  fileprivate func lineage(of name: String) -> some Sequence<EntityDescription> {
    sequence(first: entity(name)) { $0.flatMap(\.superentityName).map { entity($0) } }.lazy.compactMap(\.self)
  }
}

extension Expression {
  /// The key paths that begin at an operand, in order.
  ///
  /// Conditions of subqueries are left out: their SELF is another one.
  fileprivate func keyPaths(from root: Expression) -> [[KeyPathComponent]] {
    switch self {
    case .constant, .evaluatedObject, .variable, .fetch: []
    case .keyPath(let operand, let path): operand == root ? [path] : operand.keyPaths(from: root)
    case .element(let collection, _): collection.keyPaths(from: root)
    case .function(let target, _, let arguments):
      ((target.map { [$0] } ?? []) + arguments).flatMap { $0.keyPaths(from: root) }
    case .aggregate(let elements): elements.flatMap { $0.keyPaths(from: root) }
    case .arithmetic(_, let left, let right): left.keyPaths(from: root) + right.keyPaths(from: root)
    case .negative(let operand), .cast(let operand, _), .subquery(let operand, _, _): operand.keyPaths(from: root)
    case .ternary(let condition, let yes, let no):
      condition.keyPaths(from: root) + yes.keyPaths(from: root) + no.keyPaths(from: root)
    }
  }
}

extension Predicate {
  fileprivate func keyPaths(from root: Expression) -> [[KeyPathComponent]] {
    switch self {
    case .constant: []
    case .comparison(let comparison): comparison.left.keyPaths(from: root) + comparison.right.keyPaths(from: root)
    case .and(let parts), .or(let parts): parts.flatMap { $0.keyPaths(from: root) }
    case .not(let part): part.keyPaths(from: root)
    }
  }
}
