public import DataModel

/// A version of an app's data model.
///
/// Models are compared by their entities and version hashes.
open class NSManagedObjectModel: NSObject {
  let model: ManagedObjectModel?
  /// The name of the version in its bundle, if it was read from one.
  let versionName: String?
  /// The bundle of versions that it was read from.
  let bundlePath: String?
  /// The entities by name.
  open var entitiesByName: [String: NSEntityDescription] { entityDescriptions }
  private lazy var entityDescriptions = Dictionary(
    (model?.entities ?? []).map { ($0.name, NSEntityDescription($0, in: self)) },
    uniquingKeysWith: { first, _ in first })

  /// Creates a model without entities.
  public override init() {
    model = nil
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
    self.model = model
    versionName = version.name
    // A version that was named by its own file belongs to the bundle around it.
    let folder = url.deletingLastPathComponent()
    let isInBundle = ["momd", "xcdatamodeld"].contains(folder.pathExtension)
    bundlePath = isInBundle ? folder.exactPath : url.exactPath
  }

  /// The models of bundles.
  ///
  /// Entities of several models cannot be merged here.
  ///
  /// - Returns: The first model, or nil if there is none.
  open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    (bundles ?? [.main]).lazy.flatMap { urls(in: $0) }.compactMap { NSManagedObjectModel(contentsOf: $0) }.first
  }

  /// The version of the bundles' models that a store with this metadata has.
  open class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    (bundles ?? [.main]).lazy.flatMap { urls(in: $0) }.flatMap { versions(at: $0) }
      .first { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
  }

  private static func urls(in bundle: Bundle) -> [URL] {
    let folder = bundle.resourceURL ?? bundle.bundleURL
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.exactPath)) ?? []
    return names.filter { $0.hasSuffix(".momd") || $0.hasSuffix(".mom") || $0.hasSuffix(".xcdatamodeld") }.sorted()
      .map { folder.appending(path: $0) }
  }

  private static func versions(at url: URL) -> [NSManagedObjectModel] {
    guard let bundle = try? ModelBundle(path: url.exactPath) else { return [] }
    return bundle.versions.compactMap { NSManagedObjectModel(contentsOf: URL(filePath: $0.path)) }
  }

  /// A checksum of the model, as `models hash` and Xcode's build log show it.
  open var versionChecksum: String { model?.versionChecksum.base64 ?? "" }

  /// Wraps a model of the engine.
  public init(_ model: ManagedObjectModel) {
    self.model = model
    (versionName, bundlePath) = (nil, nil)
  }

  /// The entities, sorted by name.
  open var entities: [NSEntityDescription] { (model?.entities ?? []).compactMap { entityDescriptions[$0.name] } }
  /// The version identifiers that the model's author chose.
  open var versionIdentifiers: Set<AnyHashable> { Set((model?.versionIdentifiers ?? []).map { AnyHashable($0) }) }
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
