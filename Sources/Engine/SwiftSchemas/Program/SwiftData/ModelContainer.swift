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
    guard ProgramKind.current != .schema else { unavailable("ModelContainer") }
    let configurations = configurations.isEmpty ? [ModelConfiguration()] : configurations
    (self.schema, self.migrationPlan, self.configurations) = (schema, migrationPlan, Set(configurations))
    entities = StoredEntity.all(of: schema.types)
    guard let file = configurations.first(where: { !$0.isInMemory }) else {
      store = MemoryStore(entities)
      return
    }
    guard configurations.count == 1 else {
      throw StoreFailure(description: "a container has one store here; open one for each configuration")
    }
    #if TRACKS_MIGRATE_ENGINE
      store = try StoreFile(file, schema, migrationPlan).open(entities)
    #else
      throw StoreFailure(
        description: "the store '\(file.url.path)' cannot be opened here: a stage has the context that it is given, "
          + "and containers in memory")
    #endif
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

/// The order that a fetch gives its objects, where that of Foundation on this system is another one.
struct FetchOrder<T> {
  private let descriptor: SortDescriptor<T>
  private let text: KeyPath<T, String>?
  private let optionalText: KeyPath<T, String?>?

  init(_ descriptor: SortDescriptor<T>) {
    self.descriptor = descriptor
    // Foundation has the key path of its own use only. With `.lexical`, it is kept under another name.
    let keyPath = Mirror(reflecting: descriptor).descendant("comparison", "comparable", ".1")
    (text, optionalText) = (keyPath as? KeyPath<T, String>, keyPath as? KeyPath<T, String?>)
  }

  func compare(_ left: T, _ right: T) -> ComparisonResult {
    if let text { return directed(Self.compare(left[keyPath: text], right[keyPath: text])) }
    guard let optionalText else { return descriptor.compare(left, right) }
    return switch (left[keyPath: optionalText], right[keyPath: optionalText]) {
    case (nil, nil): .orderedSame
    case (nil, _): directed(.orderedAscending)
    case (_, nil): directed(.orderedDescending)
    case (let left?, let right?): directed(Self.compare(left, right))
    }
  }

  private func directed(_ result: ComparisonResult) -> ComparisonResult {
    guard descriptor.order == .reverse else { return result }
    return switch result {
    case .orderedAscending: .orderedDescending
    case .orderedDescending: .orderedAscending
    case .orderedSame: .orderedSame
    }
  }

  /// Compares as `localizedStandardCompare` does, but in the same way in each environment.
  private static func compare(_ left: String, _ right: String) -> ComparisonResult {
    left == right
      ? .orderedSame
      : left.compare(
        right, options: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering],
        range: left.startIndex..<left.endIndex, locale: Locale(identifier: "en"))
  }
}

extension PredicateExpressions {
  /// `localizedStandardContains` in a predicate, which Foundation has on Apple's systems only.
  public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    public typealias Output = Bool

    public let root: Root
    public let other: Other

    public init(root: Root, other: Other) { (self.root, self.other) = (root, other) }

    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
    }
  }

  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> { StringLocalizedStandardContains(root: root, other: other) }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
