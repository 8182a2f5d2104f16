internal import Expressions
internal import Migration

/// What a fetch gives.
public struct NSFetchRequestResultType: OptionSet, Sendable {
  /// The number of the kind.
  public let rawValue: UInt

  /// Creates a kind from its number.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Instances.
  public static let managedObjectResultType: NSFetchRequestResultType = []
  /// Identities.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// Dictionaries of values.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// The number of instances.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// Asks a context for instances.
open class NSFetchRequest<ResultType>: NSObject {
  /// The name of the entity.
  open internal(set) var entityName: String?
  /// The entity.
  open var entity: NSEntityDescription? {
    didSet { entityName = entity?.name }
  }
  /// What the instances must satisfy.
  open var predicate: NSPredicate?
  /// How the instances are sorted; by default in the order of their keys.
  open var sortDescriptors: [NSSortDescriptor]?
  /// The most instances that are wanted; 0 means no limit.
  open var fetchLimit = 0
  /// The instances that are passed over first.
  open var fetchOffset = 0
  /// The instances that are read at a time; here, the engine decides.
  open var fetchBatchSize = 0
  /// Whether instances of subentities are wanted too.
  open var includesSubentities = true
  /// Whether instances that are not written yet are wanted too; here, they always are.
  open var includesPendingChanges = true
  /// Whether values are read later; here, the engine decides.
  open var returnsObjectsAsFaults = true
  /// Whether values are read with the instances; here, the engine decides.
  open var includesPropertyValues = true
  /// What the fetch gives.
  open var resultType: NSFetchRequestResultType = .managedObjectResultType
  /// The names of the values that dictionaries hold; by default all attributes.
  open var propertiesToFetch: [Any]?
  /// The relationships whose destinations are read with the instances; here, the engine decides.
  open var relationshipKeyPathsForPrefetching: [String]?

  /// Creates a request without an entity.
  public override init() {}

  /// Creates a request for instances of an entity.
  public convenience init(entityName: String) {
    self.init()
    self.entityName = entityName
  }

  /// The request as the engine takes it.
  ///
  /// - Returns: The request, and whether predicate, order, offset and limit are still to be applied to what it gives.
  func engineRequest(_ name: String) throws -> (request: FetchRequest, needsFiltering: Bool, needsSorting: Bool) {
    var request = FetchRequest(entityName: name)
    request.includesSubentities = includesSubentities
    var needsFiltering = false
    if let predicate {
      switch PredicateContent(predicate) {
      case .parsed(let parsed, let variables): (request.predicate, request.variables) = (parsed, variables)
      case .invalid(let reason): throw PredicateFailure(.invalid(reason))
      case .code: needsFiltering = true
      }
    }
    let descriptors = sortDescriptors ?? []
    let paths = descriptors.compactMap { descriptor in
      descriptor.key.flatMap { try? Expressions.Expression(format: "%K", .string($0)) }
    }
    let needsSorting = paths.count < descriptors.count
    if !needsSorting {
      request.sortDescriptors = zip(paths, descriptors).map {
        FetchRequest.SortDescriptor($0, isAscending: $1.ascending)
      }
    }
    if !needsFiltering, !needsSorting { (request.fetchOffset, request.fetchLimit) = (fetchOffset, fetchLimit) }
    return (request, needsFiltering, needsSorting)
  }
}
