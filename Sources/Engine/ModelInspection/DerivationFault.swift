internal import CoreDataExpressions
internal import DataModel
internal import MappingModels

/// The reason why the expression of a derived attribute cannot be computed.
///
/// Core Data computes a value of the instance or of one that to-one relationships lead to, possibly with a function for
/// text; the number of a relationship's destinations; the sum, average, minimum or maximum of a value of theirs; and the
/// present time.
package struct DerivationFault: Sendable, Hashable {
  /// The problems that an expression can have.
  package enum Reason: Sendable, Hashable {
    /// It is not an expression; the text says why.
    case unreadable(String)
    /// It names a property that the entity does not have.
    case unknownProperty(String, entity: String, nearest: String?)
    /// It follows an attribute as if that were a relationship.
    case followsAttribute(String)
    /// It ends with a relationship where a value is needed.
    case endsWithRelationship(String)
    /// It has no function for the many values of a to-many relationship.
    case manyValues(String)
    /// It has a function for the values of a to-many relationship, but only one value.
    case oneValue
    /// It is of a form that Core Data does not derive.
    case unsupported
  }

  /// The expression.
  package let expression: String
  /// The problem.
  package let reason: Reason

  /// Checks a derived attribute; `nil` for one that can be computed, and for other attributes.
  init?(_ attribute: AttributeDescription, of entity: EntityDescription, in entities: [String: EntityDescription]) {
    guard let text = attribute.derivationExpression else { return nil }
    expression = text
    do throws(FormatError) {
      let path = DerivationPath(try Expression(format: text))
      guard let reason = path.map({ $0.fault(entity, entities) }) ?? .unsupported else { return nil }
      self.reason = reason
    } catch {
      reason = .unreadable("\(error)")
    }
  }
}

extension DerivationFault {
  /// The problem, as part of a sentence.
  var problem: String { "the expression '\(expression)' cannot be derived: \(reasonText)" }

  private var reasonText: String {
    switch reason {
    case .unreadable(let text): text.asPhrase
    case .unknownProperty(let name, let entity, let nearest):
      "'\(entity)' has no property '\(name)'\(nearest.map { "; did you mean '\($0)'?" } ?? "")"
    case .followsAttribute(let name): "'\(name)' is an attribute, and no key can follow it"
    case .endsWithRelationship(let name): "'\(name)' is a relationship, and an attribute is needed"
    case .manyValues(let path): "'\(path)' has many values"
    case .oneValue: "the function needs a to-many relationship"
    case .unsupported: "Core Data does not derive values in this way"
    }
  }

  /// The advice, as part of a sentence.
  var advice: String {
    switch reason {
    case .unknownProperty, .followsAttribute, .endsWithRelationship, .unreadable: "correct it in Xcode's model editor"
    case .manyValues: "use count:, sum:, average:, min: or max:"
    case .oneValue: "use @count, sum: and the like for a to-many relationship only"
    case .unsupported:
      "use a key path, a count, a sum or another function of one key path, or now(); or compute the value in the app"
    }
  }
}

/// The path of a derivation, and what is done with what it leads to.
private struct DerivationPath {
  enum Function {
    case value
    case text
    case count
    case reduction
  }

  var keys: [String] = []
  let function: Function

  /// Takes an expression apart; `nil` for one of another form.
  init?(_ expression: Expression) {
    switch expression {
    case .function(nil, "now", []): function = .value
    case .keyPath(.evaluatedObject, let path):
      var symbols: [CollectionOperator] = []
      for component in path {
        switch component {
        case .key(let key): keys.append(key)
        case .collectionOperator(let symbol): symbols.append(symbol)
        }
      }
      switch symbols {
      case []: function = .value
      case [.count] where path.last == .collectionOperator(.count): function = .count
      case [.sum], [.average], [.minimum], [.maximum]: function = .reduction
      default: return nil
      }
    case .function(nil, let selector, let arguments):
      guard arguments.count == 1, let inner = DerivationPath(arguments[0]), inner.function == .value,
        !inner.keys.isEmpty
      else { return nil }
      keys = inner.keys
      switch selector {
      case "count:": function = .count
      case "sum:", "average:", "min:", "max:": function = .reduction
      case "canonical:", "uppercase:", "lowercase:": function = .text
      default: return nil
      }
    default: return nil
    }
  }

  /// Returns the problem of the path, begun at an entity.
  func fault(_ start: EntityDescription, _ entities: [String: EntityDescription]) -> DerivationFault.Reason? {
    var entity: EntityDescription? = start
    var isToMany = false
    var hasValue = keys.isEmpty
    for (index, key) in keys.enumerated() {
      guard let current = entity else { return .followsAttribute(keys[index - 1]) }
      if let relationship = current.relationship(named: key) {
        isToMany = isToMany || relationship.isToMany
        entity = entities[relationship.destinationEntityName]
        continue
      }
      // The rest may be the key path of an element of a composite attribute.
      let name = current.attribute(named: key) == nil ? keys[index...].joined(separator: ".") : key
      guard current.attribute(named: name) != nil else {
        var nearest = NearestNames()
        let names = current.attributes.map(\.name) + current.relationships.map(\.name)
        return .unknownProperty(key, entity: current.name, nearest: nearest.nearest(to: key, in: names))
      }
      hasValue = true
      if name != key { break }
      entity = nil
    }
    switch function {
    case .value, .text:
      if !hasValue { return .endsWithRelationship(keys.last ?? "") }
      return isToMany ? .manyValues(keys.joined(separator: ".")) : nil
    case .count: return isToMany && !hasValue ? nil : .oneValue
    case .reduction:
      if !isToMany { return .oneValue }
      return hasValue ? nil : .endsWithRelationship(keys.last ?? "")
    }
  }
}
