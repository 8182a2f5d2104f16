internal import CoreDataExpressions
internal import Migration
internal import MigrationDiagnostics

/// The kind of results that a fetch returns.
public struct NSFetchRequestResultType: OptionSet, Sendable {
  /// The raw value of the kind.
  public let rawValue: UInt

  /// Creates a kind from its raw value.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Instances.
  public static let managedObjectResultType: NSFetchRequestResultType = []
  /// The IDs of instances.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// Dictionaries of values.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// The number of instances.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// A request to fetch instances from a context.
open class NSFetchRequest<ResultType>: NSObject {
  // Each fetch reads all of these. Where a value is a mere number, nothing can go wrong if two accesses overlap, so Swift
  // need not check that.

  /// The name of the entity.
  open internal(set) var entityName: String?
  /// The entity.
  open var entity: NSEntityDescription? {
    didSet { entityName = entity?.name }
  }
  /// The condition that instances must satisfy.
  open var predicate: NSPredicate?
  /// The order of the instances; by default, by primary key.
  open var sortDescriptors: [NSSortDescriptor]?
  /// The maximum number of instances; 0 means no limit.
  @exclusivity(unchecked) open var fetchLimit = 0
  /// The number of instances to skip first.
  @exclusivity(unchecked) open var fetchOffset = 0
  /// The number of instances read at a time; ignored, because the engine decides.
  open var fetchBatchSize = 0
  /// Whether to include instances of subentities.
  @exclusivity(unchecked) open var includesSubentities = true
  /// Whether to include instances that have not been written yet; ignored, because they are always included.
  open var includesPendingChanges = true
  /// Whether values are read later; ignored, because the engine decides.
  open var returnsObjectsAsFaults = true
  /// Whether values are read with the instances; ignored, because the engine decides.
  open var includesPropertyValues = true
  /// The kind of results to return.
  @exclusivity(unchecked) open var resultType: NSFetchRequestResultType = .managedObjectResultType
  /// The names of the values in dictionary results; by default, all attributes.
  open var propertiesToFetch: [Any]?
  /// The relationships whose destinations are read with the instances; ignored, because the engine decides.
  open var relationshipKeyPathsForPrefetching: [String]?

  /// Creates a request without an entity.
  public override init() {}

  /// Creates a request for instances of an entity.
  public convenience init(entityName: String) {
    self.init()
    self.entityName = entityName
  }

  /// The request in the engine's form.
  ///
  /// - Returns: The request, and whether the predicate, order, offset and limit must still be applied to its results.
  func engineRequest(_ name: String) throws -> (request: FetchRequest, needsFiltering: Bool, needsSorting: Bool) {
    var request = FetchRequest(entityName: name)
    request.includesSubentities = includesSubentities
    var needsFiltering = false
    if let predicate {
      switch PredicateContent(predicate).parsed {
      case .parsed(let parsed, let variables): (request.predicate, request.variables) = (parsed, variables)
      case .invalid(let reason): throw PolicyFailure(description: reason)
      case .code, .equality: needsFiltering = true
      }
    }
    let descriptors = sortDescriptors ?? []
    let paths = descriptors.compactMap { descriptor in
      descriptor.key.flatMap { try? CoreDataExpressions.Expression(format: "%K", .string($0)) }
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

extension NSFetchRequest {
  /// The property and value to compare, if the request has no other condition.
  fileprivate var equality: (key: String, text: String)? {
    guard let predicate, fetchOffset == 0, sortDescriptors?.isEmpty ?? true,
      case .equality(let template, let text)? = FormatPredicate.of(predicate)?.content, let key = template.key
    else { return nil }
    return (key, text)
  }
}

extension NSSortDescriptor {
  /// Creates a sort descriptor for the value at a key path.
  public convenience init(key: String?, ascending: Bool) {
    self.init(keyPath: \NSManagedObject.[sortedBy: key ?? "self"], ascending: ascending) { left, right in
      SortedValue.compare(left, right)
    }
  }

  /// The key path, if it was given as text.
  public var key: String? {
    guard let path = keyPath as? KeyPath<NSManagedObject, SortedValue> else { return nil }
    // The path has one step, whose argument can be read through any object.
    return NSManagedObject(entity: NSEntityDescription(), insertInto: nil)[keyPath: path].key
  }
}

/// A value to sort instances by, and its key.
public struct SortedValue {
  let key: String
  let object: NSManagedObject

  fileprivate static func compare(_ left: Any, _ right: Any) -> ComparisonResult {
    guard let left = left as? SortedValue, let right = right as? SortedValue else { return .orderedSame }
    return SortedObjects.compare(left.object, right.object, by: left.key)
  }
}

extension NSManagedObject {
  /// The value at a key path, as sort descriptors see it.
  public subscript(sortedBy key: String) -> SortedValue { SortedValue(key: key, object: self) }
}

extension NSManagedObjectContext {
  /// The results of a request.
  ///
  /// Instances are ordered by primary key unless the request says otherwise, and instances of a request for a class are
  /// of that class.
  ///
  /// The function is inlinable because the caller knows the type of the results. Finding it out at run time takes as
  /// long as the fetch.
  @inlinable
  public func fetch<ResultType>(_ request: NSFetchRequest<ResultType>) throws -> [ResultType] {
    let handles = try handles(request, ResultType.self as? NSManagedObject.Type)
    guard request.resultType == .managedObjectResultType else {
      return others(handles, request).compactMap { $0 as? ResultType }
    }
    guard !handles.isEmpty else { return [] }
    var results: [ResultType] = []
    results.reserveCapacity(handles.count)
    for handle in handles {
      if let result = handle as? ResultType { results.append(result) }
    }
    return results
  }

  /// The number of instances that match a request.
  public func count<ResultType>(for request: NSFetchRequest<ResultType>) throws -> Int {
    try handles(request, ResultType.self as? NSManagedObject.Type).count
  }

  /// The handles on a request's results, of a specific class if there is one.
  @usableFromInline
  func handles<ResultType>(
    _ request: NSFetchRequest<ResultType>, _ wantedClass: NSManagedObject.Type?
  ) throws -> [NSManagedObject] {
    guard let engine else {
      if let openingError { throw openingError.cocoaError }
      throw MigrationError(.policyFailed, detail: "a fetch in a context that has no store")
    }
    guard let name = request.entityName else {
      throw MigrationError(.policyFailed, detail: "a fetch request without an entity")
    }
    let wanted = wantedClass ?? NSManagedObject.self
    if wanted != NSManagedObject.self { entity(named: name).instanceClass = wanted }
    if let (key, text) = request.equality {
      let limit = request.fetchLimit
      var handles: [NSManagedObject] = []
      let isFound = try engine.forEach(name, where: key, equals: text, request.includesSubentities) {
        if limit <= 0 || handles.count < limit { handles.append($0.handle(as: wanted)) }
      }
      if isFound { return handles }
    }
    let (engineRequest, needsFiltering, needsSorting): (FetchRequest, Bool, Bool)
    do {
      (engineRequest, needsFiltering, needsSorting) = try request.engineRequest(name)
    } catch {
      throw MigrationError(
        .policyFailed, MigrationError.Subject(entity: name), detail: "the predicate of a fetch: \(error)")
    }
    var handles = try engine.fetch(engineRequest).map { $0.handle(as: wanted) }
    guard needsFiltering || needsSorting else { return handles }
    if needsFiltering, let predicate = request.predicate { handles = handles.filter { predicate.evaluate(with: $0) } }
    if needsSorting { handles = SortedObjects.sorted(handles, by: request.sortDescriptors ?? []) }
    handles.removeFirst(min(max(request.fetchOffset, 0), handles.count))
    return request.fetchLimit > 0 ? Array(handles.prefix(request.fetchLimit)) : handles
  }

  /// Returns the results of a request that does not return instances.
  @usableFromInline
  func others<ResultType>(_ handles: [NSManagedObject], _ request: NSFetchRequest<ResultType>) -> [Any] {
    switch request.resultType {
    case .managedObjectIDResultType: handles.map(\.objectID)
    case .countResultType: [NSNumber(value: handles.count)]
    case .dictionaryResultType: handles.map { dictionary($0, request.propertiesToFetch) }
    default: handles
    }
  }

  private func dictionary(_ handle: NSManagedObject, _ properties: [Any]?) -> NSDictionary {
    let names = properties?.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name }
    var values: [String: Any] = [:]
    for name in names ?? Array(handle.entity.attributesByName.keys) { values[name] = handle.value(forKeyPath: name) }
    return NSDictionary(dictionary: values)
  }
}

/// Sorts handles by sort descriptors.
private enum SortedObjects {
  static func sorted(_ handles: [NSManagedObject], by descriptors: [NSSortDescriptor]) -> [NSManagedObject] {
    handles.enumerated().sorted { left, right in
      for descriptor in descriptors {
        switch descriptor.compare(left.element, to: right.element) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return left.offset < right.offset
    }.map(\.element)
  }

  /// Compares two instances by the value at a key path; values without an order are treated as equal.
  static func compare(_ left: NSManagedObject, _ right: NSManagedObject, by key: String) -> ComparisonResult {
    guard let left = ExpressionValue(any: left.value(forKeyPath: key)),
      let right = ExpressionValue(any: right.value(forKeyPath: key))
    else { return .orderedSame }
    if left.isBefore(right) { return .orderedAscending }
    return right.isBefore(left) ? .orderedDescending : .orderedSame
  }
}

extension ExpressionValue {
  fileprivate func isBefore(_ other: ExpressionValue) -> Bool { (try? precedesInSorting(other)) ?? false }
}
