internal import CoreDataExpressions
package import DataModel
internal import MappingModels
package import Migration
internal import TerminalOutput

/// The reason why the expression of a derived attribute cannot be computed.
///
/// Core Data computes a value of the instance or of one that to-one relationships lead to, possibly with a function for
/// text; the number of a relationship's destinations; the sum, average, minimum or maximum of a value of theirs; and the
/// present time. The attribute has to be of a type that holds the result.
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
    /// It has a function for values of another kind than those of this attribute.
    case unfitOperand(String, type: AttributeType, wanted: String)
    /// It gives a value that the attribute's type does not hold.
    case unfitResult(String, type: AttributeType)
    /// It leads back to the attribute itself, by way of these other derived ones.
    case derivedFromItself([PropertyName])
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
      guard let reason = path.map({ Self.reason($0, attribute, entity, entities) }) ?? .unsupported else { return nil }
      self.reason = reason
    } catch {
      reason = .unreadable("\(error)")
    }
  }

  private static func reason(
    _ path: DerivationPath, _ attribute: AttributeDescription, _ entity: EntityDescription,
    _ entities: [String: EntityDescription]
  ) -> Reason? {
    let walk = path.walk(from: entity, entities)
    if let fault = walk.fault { return fault }
    if let wanted = path.function.operand, let target = walk.target, let kind = ValueKind(target.attribute.type),
      !wanted.contains(kind)
    {
      let words = wanted.map(\.text).joined(separator: " or ")
      return .unfitOperand(target.attribute.name, type: target.attribute.type, wanted: words)
    }
    if let detour = loop(from: attribute, of: entity, walk.target, entities) { return .derivedFromItself(detour) }
    guard let kind = path.function.result ?? walk.target.flatMap({ ValueKind($0.attribute.type) }),
      let own = ValueKind(attribute.type),
      kind != own || path.function.isQuantity && attribute.type == .boolean
    else { return nil }
    return .unfitResult(kind.text, type: attribute.type)
  }

  /// Returns the derived attributes by way of which an attribute is derived from itself; `nil` if it is not.
  ///
  /// An expression has one path, so a way that comes back never begins with a value.
  private static func loop(
    from attribute: AttributeDescription, of entity: EntityDescription, _ target: DerivationTarget?,
    _ entities: [String: EntityDescription]
  ) -> [PropertyName]? {
    let start = DerivationTarget(attribute, of: entity, in: entities).name
    var detour: [PropertyName] = []
    var next = target
    while let current = next {
      if current.name == start { return detour }
      guard !detour.contains(current.name), let text = current.attribute.derivationExpression,
        let expression = try? Expression(format: text), let path = DerivationPath(expression)
      else { return nil }
      detour.append(current.name)
      next = path.walk(from: current.entity, entities).target
    }
    return nil
  }
}

extension DerivationFault {
  /// The problem, as part of a sentence.
  var problem: String { "the expression '\(expression)' cannot be derived: \(reasonText)" }

  private var reasonText: String {
    switch reason {
    case .unreadable(let text): text.asPhrase
    case .unknownProperty(let name, let entity, let nearest):
      "'\(entity)' has no property '\(name)'\(nearest.map { "; the nearest is '\($0)'" } ?? "")"
    case .followsAttribute(let name): "'\(name)' is an attribute, and no key can follow it"
    case .endsWithRelationship(let name): "'\(name)' is a relationship, and an attribute is needed"
    case .manyValues(let path): "'\(path)' has many values"
    case .oneValue: "the function needs a to-many relationship"
    case .unfitOperand(let name, let type, let wanted):
      "the function needs \(wanted), and '\(name)' is of type \(type.xmlName)"
    case .unfitResult(let result, let type): "it gives \(result), and the attribute is of type \(type.xmlName)"
    case .derivedFromItself(let detour):
      "the attribute is derived from itself"
        + (detour.isEmpty ? "" : ", by way of \(detour.map { "'\($0)'" }.joined(separator: " and "))")
    case .unsupported: "Core Data does not derive values in this way"
    }
  }

  /// The advice, as part of a sentence.
  var advice: String {
    switch reason {
    case .unknownProperty, .followsAttribute, .endsWithRelationship, .unreadable: "correct it in Xcode's model editor"
    case .manyValues: "use count:, sum:, average:, min: or max:"
    case .unfitOperand, .unfitResult: "correct it or the types in Xcode's model editor"
    case .derivedFromItself: "derive it from an attribute that the app sets"
    case .oneValue: "use @count, sum: and the like for a to-many relationship only"
    case .unsupported:
      "use a key path, a count, a sum or another function of one key path, or now(); or compute the value in the app"
    }
  }
}

/// The kinds of values that functions of derivations and types of attributes have in common.
private enum ValueKind: Equatable {
  case number, text, date
  case other(AttributeType)

  /// The kind of a type's values; `nil` if it is not known.
  init?(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: self = .number
    case .string: self = .text
    case .date: self = .date
    case .binaryData, .uuid, .uri, .transformable: self = .other(type)
    case .undefined, .objectID, .composite: return nil
    }
  }

  /// The kind, as part of a sentence.
  var text: String {
    switch self {
    case .number: "a number"
    case .text: "a text"
    case .date: "a date"
    case .other(let type): "a value of type \(type.xmlName)"
    }
  }
}

/// The attribute that the path of a derivation leads to.
private struct DerivationTarget {
  let attribute: AttributeDescription
  /// The entity that declares it.
  let entity: EntityDescription

  var name: PropertyName { PropertyName(entity: entity.name, property: attribute.name) }

  init(
    _ attribute: AttributeDescription, of holder: EntityDescription, in entities: [String: EntityDescription]
  ) {
    var entity = holder
    // Models have no cycles of inheritance, so this ends.
    while let parent = entity.superentityName.flatMap({ entities[$0] }), parent.attribute(named: attribute.name) != nil
    {
      entity = parent
    }
    (self.attribute, self.entity) = (attribute, entity)
  }
}

/// The path of a derivation, and what is done with what it leads to.
private struct DerivationPath {
  enum Function {
    case value, now, text, count
    /// The sum or the average of many values.
    case sum
    /// The least or the greatest of many values.
    case extreme

    /// The kinds of values that it takes; `nil` if it takes any, or none.
    var operand: [ValueKind]? {
      switch self {
      case .value, .now, .count: nil
      case .text: [.text]
      case .sum: [.number]
      case .extreme: [.number, .text, .date]
      }
    }

    /// The kind of value that it gives; `nil` if it is that of the values that it takes.
    var result: ValueKind? {
      switch self {
      case .value, .extreme: nil
      case .now: .date
      case .text: .text
      case .count, .sum: .number
      }
    }

    /// Whether the result is a number beyond 0 and 1.
    var isQuantity: Bool { self == .count || self == .sum }
  }

  var keys: [String] = []
  let function: Function

  /// Takes an expression apart; `nil` for one of another form.
  init?(_ expression: Expression) {
    switch expression {
    case .function(nil, "now", []): function = .now
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
      case [.sum], [.average]: function = .sum
      case [.minimum], [.maximum]: function = .extreme
      default: return nil
      }
    case .function(nil, let selector, let arguments):
      guard arguments.count == 1, let inner = DerivationPath(arguments[0]), inner.function == .value,
        !inner.keys.isEmpty
      else { return nil }
      keys = inner.keys
      switch selector {
      case "count:": function = .count
      case "sum:", "average:": function = .sum
      case "min:", "max:": function = .extreme
      case "canonical:", "uppercase:", "lowercase:": function = .text
      default: return nil
      }
    default: return nil
    }
  }

  /// Follows the path from an entity, to an attribute or to what is wrong with it.
  func walk(
    from start: EntityDescription, _ entities: [String: EntityDescription]
  ) -> (target: DerivationTarget?, fault: DerivationFault.Reason?) {
    var entity: EntityDescription? = start
    var isToMany = false
    var target: DerivationTarget?
    for (index, key) in keys.enumerated() {
      guard let current = entity else { return (nil, .followsAttribute(keys[index - 1])) }
      if let relationship = current.relationship(named: key) {
        isToMany = isToMany || relationship.isToMany
        entity = entities[relationship.destinationEntityName]
        continue
      }
      // The rest may be the key path of an element of a composite attribute.
      let name = current.attribute(named: key) == nil ? keys[index...].joined(separator: ".") : key
      guard let attribute = current.attribute(named: name) else {
        var nearest = NearestNames()
        let names = current.attributes.map(\.name) + current.relationships.map(\.name)
        return (nil, .unknownProperty(key, entity: current.name, nearest: nearest.nearest(to: key, in: names)))
      }
      target = DerivationTarget(attribute, of: current, in: entities)
      if name != key { break }
      entity = nil
    }
    return (target, fault(isToMany: isToMany, hasValue: target != nil))
  }

  private func fault(isToMany: Bool, hasValue: Bool) -> DerivationFault.Reason? {
    switch function {
    case .now: return nil
    case .value, .text:
      if !hasValue { return .endsWithRelationship(keys.last ?? "") }
      return isToMany ? .manyValues(keys.joined(separator: ".")) : nil
    case .count: return isToMany && !hasValue ? nil : .oneValue
    case .sum, .extreme:
      if !isToMany { return .oneValue }
      return hasValue ? nil : .endsWithRelationship(keys.last ?? "")
    }
  }
}
