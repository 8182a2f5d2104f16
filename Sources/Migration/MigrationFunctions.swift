internal import Diagnostics
internal import Expressions

/// The migration manager as expressions see it: `$manager`, with the functions that mapping models call.
final class MigrationFunctions: KeyValueObject {
  static let destinationInstances = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  static let destinationInstancesForSourceRelationship =
    "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  static let sourceInstances = "sourceInstancesForEntityMappingNamed:destinationInstances:"

  private let manager: MigrationManager

  init(_ manager: MigrationManager) {
    self.manager = manager
  }

  func value(forKey key: String) throws -> ExpressionValue {
    throw MigrationError(.invalidMappingModel, detail: "'$manager' has no key '\(key)'")
  }

  /// Calls a function.
  func call(_ selector: String, _ arguments: [ExpressionValue]) throws -> ExpressionValue {
    guard arguments.count == 2, case .string(let mapping) = arguments[0] else { throw unknown(selector) }
    guard manager.mappingModel.entityMapping(named: mapping) != nil else {
      throw MigrationError(.invalidMappingModel, detail: "there is no entity mapping '\(mapping)'")
    }
    let instances = try arguments[1].instances
    let found =
      switch selector {
      case Self.destinationInstances:
        manager.destinationInstances(forEntityMappingName: mapping, sourceInstances: instances)
      case Self.sourceInstances:
        manager.sourceInstances(forEntityMappingName: mapping, destinationInstances: instances)
      default: throw unknown(selector)
      }
    return .collection(.array, found.map { .object($0.expressionObject) })
  }

  private func unknown(_ selector: String) -> MigrationError {
    MigrationError(
      .invalidMappingModel,
      detail: "'$manager' has no function '\(selector)' of these arguments; it has '\(Self.destinationInstances)' and "
        + "'\(Self.sourceInstances)', of a mapping's name and instances")
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
