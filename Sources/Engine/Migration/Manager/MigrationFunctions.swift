internal import CoreDataExpressions
internal import MigrationDiagnostics

/// The migration manager as expressions see it: `$manager`, with the functions that mapping models call.
final class MigrationFunctions: KeyValueObject {
  private static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"

  private let manager: MigrationManager

  init(_ manager: MigrationManager) {
    self.manager = manager
  }

  var identity: ObjectIdentifier { ObjectIdentifier(manager) }

  func value(forKey key: String) throws -> ExpressionValue {
    switch key {
    // What FETCH takes besides the request, which says itself whose instances it wants.
    case "sourceContext", "destinationContext": return .object(self)
    case "userInfo":
      return .dictionary(manager.userInfo.compactMapValues { ($0 as? String).map { .string($0) } })
    default: throw MigrationError(.invalidMappingModel, detail: "'$manager' has no key '\(key)'")
    }
  }

  /// Calls a function.
  func call(_ selector: String, _ arguments: [ExpressionValue]) throws -> ExpressionValue {
    guard arguments.count == 2, case .string(let name) = arguments[0] else { throw unknown(selector) }
    switch selector {
    case ManagerFunctions.destinationInstances:
      try requireMapping(name)
      return try values(
        manager.destinationInstances(forEntityMappingName: name, sourceInstances: arguments[1].instances))
    case ManagerFunctions.sourceInstances:
      try requireMapping(name)
      return try values(
        manager.sourceInstances(forEntityMappingName: name, destinationInstances: arguments[1].instances))
    case ManagerFunctions.destinationInstancesForSourceRelationship:
      return try values(
        manager.destinationInstances(forSourceRelationshipNamed: name, sourceInstances: arguments[1].instances))
    case Self.fetchRequest:
      guard case .string(let format) = arguments[1] else { throw unknown(selector) }
      return .object(
        FetchRequestValues(FetchRequest(entityName: name, predicate: try CoreDataExpressions.Predicate(format: format)))
      )
    default: throw unknown(selector)
    }
  }

  private func values(_ instances: [ManagedObject]) -> ExpressionValue {
    .collection(.array, instances.map { .object(ManagedObjectValues($0)) })
  }

  private func requireMapping(_ name: String) throws {
    guard manager.hasEntityMapping(named: name) else {
      throw MigrationError(.invalidMappingModel, detail: "there is no entity mapping '\(name)'")
    }
  }

  private func unknown(_ selector: String) -> MigrationError {
    let functions = [
      ManagerFunctions.destinationInstances, ManagerFunctions.sourceInstances,
      ManagerFunctions.destinationInstancesForSourceRelationship,
      Self.fetchRequest,
    ]
    return MigrationError(
      .invalidMappingModel,
      detail: "'$manager' has no function '\(selector)' of these arguments; it has "
        + functions.map { "'\($0)'" }.joined(separator: ", ") + ", of a name and instances (or a predicate)")
  }
}

/// A fetch request as expressions see it: something that only FETCH can use.
final class FetchRequestValues: KeyValueObject {
  let request: FetchRequest

  init(_ request: FetchRequest) {
    self.request = request
  }

  func value(forKey key: String) throws -> ExpressionValue {
    throw MigrationError(.invalidMappingModel, detail: "a fetch request has no key '\(key)'")
  }
}

/// The policy at work as expressions see it: `$entityPolicy`, with functions of its own.
final class PolicyFunctions: KeyValueObject {
  private let manager: MigrationManager

  init(_ manager: MigrationManager) {
    self.manager = manager
  }

  func value(forKey key: String) throws -> ExpressionValue {
    throw MigrationError(.invalidMappingModel, detail: "'$entityPolicy' has no key '\(key)'")
  }

  func call(_ selector: String, _ arguments: [ExpressionValue]) throws -> ExpressionValue {
    guard let result = try manager.currentPolicy?.perform(selector, with: arguments, manager: manager) else {
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(name: manager.currentEntityMapping?.name),
        detail: "the policy has no function '\(selector)'; a policy offers functions by overriding 'perform'")
    }
    return result
  }
}

extension ExpressionValue {
  /// The instances that this value is or holds; none for nil.
  var instances: [ManagedObject] {
    get throws {
      switch self {
      case .null: return []
      case .object(let object as ManagedObjectValues): return [object.instance]
      case .collection(_, let elements): return try elements.flatMap { try $0.instances }
      default:
        throw MigrationError(.invalidMappingModel, detail: "instances are wanted, but there is \(kindName)")
      }
    }
  }
}
