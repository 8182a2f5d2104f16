public import DataModel

/// A version of an app's data model.
///
/// Models are compared by their entities and version hashes. As in Core Data, a model can be put together in code, and
/// changed until it is used.
open class NSManagedObjectModel: NSObject {
  /// The model in the engine's form; nil without entities, and where they contradict each other.
  var model: ManagedObjectModel? {
    resolve()
    return content
  }
  private var content: ManagedObjectModel?
  @exclusivity(unchecked) private var isChanged = false
  /// The object through which entities refer to the model.
  private(set) final lazy var backlink = Backlink(self)
  /// The contradiction because of which the entities are not a model.
  private(set) var contradiction: String?
  /// The name of the version in its bundle, if it was read from one.
  let versionName: String?
  /// The bundle of versions that it was read from.
  let bundlePath: String?
  /// The entities by name.
  open var entitiesByName: [String: NSEntityDescription] {
    resolve()
    return entityDescriptions
  }
  private lazy var entityDescriptions = Dictionary(
    (content?.entities ?? []).map { ($0.name, NSEntityDescription($0, in: self)) },
    uniquingKeysWith: { first, _ in first })
  {
    didSet { entityTable = nil }
  }
  @exclusivity(unchecked) private var entityTable: DescriptionTable<NSEntityDescription>?

  /// The entity with a name.
  final func entity(named name: String) -> NSEntityDescription? {
    resolve()
    if let entityTable { return entityTable[name] }
    let table = DescriptionTable(entityDescriptions)
    entityTable = table
    return table[name]
  }

  /// Creates a model without entities.
  public override init() {
    (versionName, bundlePath) = (nil, nil)
  }

  /// Reads a model.
  ///
  /// - Parameter url: A `.mom` or `.xcdatamodel`, or a `.momd` or `.xcdatamodeld`, whose current version is read.
  /// - Returns: `nil` if there is no readable model.
  public init?(contentsOf url: URL) {
    guard let bundle = try? ModelBundle(path: url.exactPath), let version = try? bundle.currentVersion(),
      let model = try? version.model()
    else { return nil }
    content = model
    versionName = version.name
    // A version that was named by its own file belongs to the bundle around it.
    let folder = url.deletingLastPathComponent()
    let isInBundle = ["momd", "xcdatamodeld"].contains(folder.pathExtension)
    bundlePath = isInBundle ? folder.exactPath : url.exactPath
  }

  /// Merges models into one with the entities of all.
  ///
  /// - Returns: `nil` if two models have different entities of one name, or if there are none.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    let models = models?.compactMap(\.model) ?? []
    var entities: [String: EntityDescription] = [:]
    for entity in models.flatMap(\.entities) {
      if let other = entities[entity.name], other.versionHash != entity.versionHash { return nil }
      entities[entity.name] = entity
    }
    let configurations = models.reduce(into: [String: [String]]()) { all, model in
      all.merge(model.configurations) { Array(Set($0 + $1)).sorted() }
    }
    guard !entities.isEmpty,
      let merged = try? ManagedObjectModel(
        entities: Array(entities.values), versionIdentifiers: Array(Set(models.flatMap(\.versionIdentifiers))).sorted(),
        configurations: configurations)
    else { return nil }
    self.init(merged)
  }

  deinit { backlink.cut() }

  /// The current versions of the models of bundles, merged into one.
  ///
  /// - Returns: `nil` if there is no model, or if two have different entities of one name.
  open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    let models = (bundles ?? [.main]).flatMap { urls(in: $0) }.compactMap { NSManagedObjectModel(contentsOf: $0) }
    let distinct = models.reduce(into: [NSManagedObjectModel]()) { if !$0.contains($1) { $0.append($1) } }
    // A model by itself still knows its versions, from which stores are migrated.
    return distinct.count == 1 ? distinct[0] : NSManagedObjectModel(byMerging: distinct)
  }

  /// The version of the bundles' models that a store with this metadata has.
  open class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    (bundles ?? [.main]).lazy.flatMap { versions(in: $0) }
      .first { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
  }

  private static func urls(in bundle: Bundle) -> [URL] {
    let folder = bundle.resourceURL ?? bundle.bundleURL
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.exactPath)) ?? []
    return names.filter { $0.hasSuffix(".momd") || $0.hasSuffix(".mom") || $0.hasSuffix(".xcdatamodeld") }.sorted()
      .map { folder.appending(path: $0) }
  }

  /// All versions of all models of a bundle.
  static func versions(in bundle: Bundle) -> [NSManagedObjectModel] { urls(in: bundle).flatMap { versions(at: $0) } }

  private static func versions(at url: URL) -> [NSManagedObjectModel] {
    guard let bundle = try? ModelBundle(path: url.exactPath) else { return [] }
    return bundle.versions.compactMap { NSManagedObjectModel(contentsOf: URL(filePath: $0.path)) }
  }

  /// A checksum of the model, as `models hash` and Xcode's build log show it.
  open var versionChecksum: String { model?.versionChecksum.base64 ?? "" }

  /// Wraps a model of the engine.
  public init(_ model: ManagedObjectModel) {
    content = model
    (versionName, bundlePath) = (nil, nil)
  }

  /// The entities, sorted by name.
  open var entities: [NSEntityDescription] {
    get { entityDescriptions.values.sorted { $0.content.name.precedesByBytes($1.content.name) } }
    set {
      entityDescriptions = Dictionary(newValue.map { ($0.content.name, $0) }, uniquingKeysWith: { first, _ in first })
      for entity in newValue { entity.join(self) }
      isChanged = true
    }
  }
  /// The version identifiers that the model's author chose; here, texts.
  open var versionIdentifiers: Set<AnyHashable> {
    get {
      chosenIdentifiers.map { Set($0.map { AnyHashable($0) }) }
        ?? Set((content?.versionIdentifiers ?? []).map { AnyHashable($0) })
    }
    set {
      chosenIdentifiers = newValue.compactMap { $0 as? String }.sorted()
      isChanged = true
    }
  }
  private var chosenIdentifiers: [String]?
  private var chosenConfigurations: [String: [String]] = [:]

  /// The entities of a configuration.
  open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
    guard let configuration else { return entities }
    return model?.configurations[configuration]?.compactMap { entityDescriptions[$0] }
  }

  /// Sets the entities of a configuration.
  open func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
    chosenConfigurations[configuration] = entities.map(\.content.name)
    isChanged = true
  }

  /// The fetch requests of the model by name.
  open var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
    Dictionary(
      (content?.fetchRequestTemplates ?? []).map { ($0.name, NSFetchRequest($0)) },
      uniquingKeysWith: { first, _ in first }
    )
    .merging(chosenTemplates) { $1 }
  }
  private var chosenTemplates: [String: NSFetchRequest<any NSFetchRequestResult>] = [:]

  /// A fetch request of the model.
  open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
    fetchRequestTemplatesByName[name]
  }

  /// Sets a fetch request, which is not written into stores.
  open func setFetchRequestTemplate(_ template: NSFetchRequest<any NSFetchRequestResult>?, forName name: String) {
    chosenTemplates[name] = template
  }

  /// A fetch request of the model, with values in the place of its variables.
  open func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    guard let template = fetchRequestTemplate(forName: name) else { return nil }
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: template.entityName ?? "")
    request.predicate = template.predicate?.substituting(variables)
    return request
  }

  /// The names of the configurations.
  open var configurations: [String] { (model?.configurations.keys).map { $0.sorted() } ?? [] }
  /// The version hash of each entity.
  open var entityVersionHashesByName: [String: Data] {
    (model?.entityVersionHashesByName ?? [:]).mapValues { Data($0.bytes) }
  }

  /// Whether a store with this metadata can be opened with the model without migration.
  ///
  /// With the name of a configuration, only its entities are compared.
  open func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    guard let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return false }
    guard let configuration, let names = model?.configurations[configuration] else {
      return configuration == nil && hashes == entityVersionHashesByName
    }
    return hashes == entityVersionHashesByName.filter { names.contains($0.key) }
  }

  /// Whether both have the same entities in the same versions.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectModel else { return false }
    return self === other || entityVersionHashesByName == other.entityVersionHashesByName
  }

  /// A number that equal models share.
  open override var hash: Int { entityVersionHashesByName.hashValue }
}

extension NSManagedObjectModel {
  /// Notes that an entity is another one now.
  func wasChanged() { isChanged = true }

  /// Builds the model anew if an entity is another one now.
  func resolve() {
    guard isChanged else { return }
    isChanged = false
    let descriptions = Array(entityDescriptions.values)
    entityDescriptions = Dictionary(
      descriptions.map { ($0.content.name, $0) }, uniquingKeysWith: { first, _ in first })
    do throws(ModelError) {
      var built = try ManagedObjectModel(
        entities: descriptions.map(\.declared),
        versionIdentifiers: chosenIdentifiers ?? content?.versionIdentifiers ?? [""],
        configurations: (content?.configurations ?? [:]).merging(chosenConfigurations) { $1 })
      built.fetchRequestTemplates = content?.fetchRequestTemplates ?? []
      (content, contradiction) = (built, nil)
      for entity in built.entities { entityDescriptions[entity.name]?.adopt(entity, in: self) }
      // Values that adoption sets are not changes.
      isChanged = false
    } catch {
      (content, contradiction) = (nil, ModelFileProblem.model(error).problem)
    }
  }
}
