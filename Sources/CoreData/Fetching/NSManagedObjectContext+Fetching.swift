internal import Diagnostics
internal import Migration

extension NSManagedObjectContext {
  /// The results of a request.
  ///
  /// Instances come in the order of their keys unless the request says otherwise, and instances of a request for a class
  /// are of that class.
  public func fetch<ResultType>(_ request: NSFetchRequest<ResultType>) throws -> [ResultType] {
    let handles = try handles(request)
    switch request.resultType {
    case .managedObjectIDResultType: return handles.compactMap { $0.objectID as? ResultType }
    case .countResultType: return [NSNumber(value: handles.count) as? ResultType].compactMap { $0 }
    case .dictionaryResultType: return handles.compactMap { dictionary($0, request.propertiesToFetch) as? ResultType }
    default: return handles.compactMap { $0 as? ResultType }
    }
  }

  /// The number of instances that a request asks for.
  public func count<ResultType>(for request: NSFetchRequest<ResultType>) throws -> Int { try handles(request).count }

  private func handles<ResultType>(_ request: NSFetchRequest<ResultType>) throws -> [NSManagedObject] {
    guard let engine else { throw MigrationError(.policyFailed, detail: "a fetch in a context that has no store") }
    guard let name = request.entityName else {
      throw MigrationError(.policyFailed, detail: "a fetch request without an entity")
    }
    let wanted = ResultType.self as? NSManagedObject.Type ?? NSManagedObject.self
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

  private func dictionary(_ handle: NSManagedObject, _ properties: [Any]?) -> NSDictionary {
    let names = properties?.compactMap { $0 as? String ?? ($0 as? NSPropertyDescription)?.name }
    var values: [String: Any] = [:]
    for name in names ?? Array(handle.entity.attributes.keys) { values[name] = handle.value(forKeyPath: name) }
    return NSDictionary(dictionary: values)
  }
}
