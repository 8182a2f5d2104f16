// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The names are Apple's, and so is their documentation.

// Apps' files name these types. Only the schema is read here, so there is no store behind them.

/// Ends the program with a sentence: a schema is read without objects.
func unavailable(_ function: String = #function) -> Never {
  let text = "error: '\(function)' was called while the schema was read, which has no store. "
  FileHandle.standardError.write(Data((text + "Make models, versions and plans without it.\n").utf8))
  exit(70)
}

public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The superclass of apps' transformers, which Foundation does not have here.
open class ValueTransformer: NSObject {
  open class func transformedValueClass() -> AnyClass { NSObject.self }
  open class func allowsReverseTransformation() -> Bool { true }
  open func transformedValue(_ value: Any?) -> Any? { unavailable() }
  open func reverseTransformedValue(_ value: Any?) -> Any? { unavailable() }
  public class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {}
}

open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  open class var allowedTopLevelClasses: [AnyClass] { [] }
}

public struct SwiftDataError: Error, Hashable, Sendable {
  public static let loadIssueModelContainer = SwiftDataError()
}

public struct ModelConfiguration: Identifiable, Hashable, Sendable {
  public struct GroupContainer: Hashable, Sendable {
    public static let automatic = GroupContainer()
    public static let none = GroupContainer()
    public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer() }
  }

  public struct CloudKitDatabase: Hashable, Sendable {
    public static let automatic = CloudKitDatabase()
    public static let none = CloudKitDatabase()
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase() }
  }

  public let name: String
  public let schema: Schema?
  public let url: URL
  public let isStoredInMemoryOnly: Bool
  public let allowsSave: Bool

  public var id: String { name }

  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name, schema: schema, url: URL(fileURLWithPath: "/dev/null"), allowsSave: allowsSave,
      isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave, isStoredInMemoryOnly: false)
  }

  public init(isStoredInMemoryOnly: Bool) { self.init(nil, isStoredInMemoryOnly: isStoredInMemoryOnly) }

  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  private init(_ name: String?, schema: Schema?, url: URL, allowsSave: Bool, isStoredInMemoryOnly: Bool) {
    self.name = name ?? "default"
    self.schema = schema
    self.url = url
    self.allowsSave = allowsSave
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
  }
}

public final class ModelContainer: @unchecked Sendable {
  public let schema: Schema
  public let migrationPlan: (any SchemaMigrationPlan.Type)?
  public var configurations: Set<ModelConfiguration> { unavailable() }
  @MainActor public var mainContext: ModelContext { unavailable() }

  public init(
    for givenTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws { unavailable("ModelContainer") }

  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
  ) throws { unavailable("ModelContainer") }

  public init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws { unavailable("ModelContainer") }

  public func deleteAllData() { unavailable() }
  public func erase() throws { unavailable() }
}

public final class ModelContext {
  public static let willSave = Notification.Name("SwiftData.ModelContext.willSave")
  public static let didSave = Notification.Name("SwiftData.ModelContext.didSave")

  public var autosaveEnabled = false
  public var author: String?
  public var hasChanges: Bool { unavailable() }
  public var container: ModelContainer { unavailable() }
  public var insertedModelsArray: [any PersistentModel] { unavailable() }
  public var changedModelsArray: [any PersistentModel] { unavailable() }
  public var deletedModelsArray: [any PersistentModel] { unavailable() }

  public init(_ container: ModelContainer) { unavailable("ModelContext") }

  public func insert<T: PersistentModel>(_ model: T) { unavailable() }
  public func delete<T: PersistentModel>(_ model: T) { unavailable() }
  public func delete<T: PersistentModel>(
    model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
  ) throws { unavailable() }
  public func save() throws { unavailable() }
  public func rollback() { unavailable() }
  public func processPendingChanges() { unavailable() }
  public func transaction(block: () throws -> Void) throws { unavailable() }
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] { unavailable() }
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws -> [T] {
    unavailable()
  }
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int { unavailable() }
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] { unavailable() }
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (T) throws -> Void
  ) throws { unavailable() }
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel { unavailable() }
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    unavailable()
  }
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

public protocol ModelExecutor: Executor {
  var modelContext: ModelContext { get }
}

public final class DefaultSerialModelExecutor: ModelExecutor, SerialExecutor, @unchecked Sendable {
  public let modelContext: ModelContext

  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  public func enqueue(_ job: consuming ExecutorJob) { unavailable() }
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

public protocol ModelActor: Actor {
  nonisolated var modelContainer: ModelContainer { get }
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  public var modelContext: ModelContext { modelExecutor.modelContext }

  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? { unavailable() }
}
