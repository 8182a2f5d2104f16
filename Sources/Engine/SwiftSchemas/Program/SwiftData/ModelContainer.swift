// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names are Apple's, and so is their documentation.

/// A store with the schema of its objects.
public final class ModelContainer: @unchecked Sendable {
  public let schema: Schema
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  public let configurations: Set<ModelConfiguration>
  let store: any ObjectStore
  let entities: [String: StoredEntity]
  @MainActor public private(set) lazy var mainContext = ModelContext(self)

  /// Opens the store that the command migrates.
  init(_ schema: Schema, _ store: any ObjectStore) {
    (self.schema, self.store, configurations, migrationPlan) = (schema, store, [], nil)
    entities = StoredEntity.all(of: schema.types)
  }

  public convenience init(
    for givenTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws { try self.init(for: Schema(givenTypes), migrationPlan: migrationPlan, configurations: configurations) }

  public convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws { try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations) }

  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    guard StageProgram.isRunning else { unavailable("ModelContainer") }
    guard !configurations.isEmpty, configurations.allSatisfy(\.isStoredInMemoryOnly) else {
      throw StoreFailure(
        description: "a container for a file cannot be opened here: a stage has the context that it is given, and "
          + "containers in memory")
    }
    (self.schema, self.migrationPlan, self.configurations) = (schema, migrationPlan, Set(configurations))
    entities = StoredEntity.all(of: schema.types)
    store = MemoryStore(entities)
  }

  public func deleteAllData() { unavailable() }
  public func erase() throws { unavailable() }
}

public struct FetchDescriptor<T: PersistentModel> {
  public var predicate: Predicate<T>?
  public var sortBy: [SortDescriptor<T>]
  public var fetchLimit: Int?
  public var fetchOffset: Int?
  public var includePendingChanges = true
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    (self.predicate, self.sortBy) = (predicate, sortBy)
  }
}
