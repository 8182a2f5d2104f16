internal import Diagnostics
internal import Migration

extension NSManagedObjectContext {
  /// The results of a request.
  ///
  /// Instances come in the order of their keys unless the request says otherwise, and instances of a request for a class
  /// are of that class.
  ///
  /// It is compiled with the code that calls it, which knows the type of the results: to find it out takes as long as
  /// the fetch.
  @inlinable
  public func fetch<ResultType>(_ request: NSFetchRequest<ResultType>) throws -> [ResultType] {
    let handles = try handles(request, ResultType.self as? NSManagedObject.Type)
    guard request.resultType == .managedObjectResultType else {
      return others(handles, request).compactMap { $0 as? ResultType }
    }
    var results: [ResultType] = []
    results.reserveCapacity(handles.count)
    for handle in handles {
      if let result = handle as? ResultType { results.append(result) }
    }
    return results
  }

  /// The number of instances that a request asks for.
  public func count<ResultType>(for request: NSFetchRequest<ResultType>) throws -> Int {
    try handles(request, ResultType.self as? NSManagedObject.Type).count
  }

  /// The handles on what a request asks for, of a class if there is one.
  @usableFromInline
  func handles<ResultType>(
    _ request: NSFetchRequest<ResultType>, _ wantedClass: NSManagedObject.Type?
  ) throws -> [NSManagedObject] {
    guard let engine else { throw MigrationError(.policyFailed, detail: "a fetch in a context that has no store") }
    guard let name = request.entityName else {
      throw MigrationError(.policyFailed, detail: "a fetch request without an entity")
    }
    let wanted = wantedClass ?? NSManagedObject.self
    if wanted != NSManagedObject.self { entity(named: name).instanceClass = wanted }
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

  /// What a request wants instead of instances.
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
    for name in names ?? Array(handle.entity.attributes.keys) { values[name] = handle.value(forKeyPath: name) }
    return NSDictionary(dictionary: values)
  }
}
