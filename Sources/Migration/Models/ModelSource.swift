public import DataModel
public import Diagnostics
internal import PersistentStore

/// Where a model is taken from: a bundle of versions, one version, or a store that keeps its own.
///
/// As one word it is the path, `Model.xcdatamodeld`, and for a version other than the current one the path, a colon and
/// the version, `Model.xcdatamodeld:Model 2`. A path that exists always is meant as a path.
public struct ModelSource: Sendable, Hashable {
  /// What lies at the path.
  public enum Kind: Sendable, Hashable {
    /// An `.xcdatamodeld`, `.xcdatamodel`, `.momd`, `.mom`, or the file `contents` of a model.
    case model
    /// Any other file: a store.
    case store
  }

  /// The path.
  public let path: String
  /// The version that is asked for; `nil` for the current one.
  public let versionName: String?
  /// What lies at the path.
  public let kind: Kind

  /// Finds out what a word means.
  ///
  /// - Throws: `MigrationError` where there is nothing at that path, or it cannot have versions.
  public init(_ word: String) throws(MigrationError) {
    try self.init(path: word, orColon: true)
  }

  /// Finds out what lies at a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - versionName: The version of a bundle, with or without `.xcdatamodel` or `.mom`; `nil` for the current one.
  /// - Throws: `MigrationError` where there is nothing at that path, or it cannot have versions.
  public init(path: String, versionNamed versionName: String? = nil) throws(MigrationError) {
    guard let kind = Self.kind(path) else { throw MigrationError(.missingModel, path: path) }
    if versionName != nil, kind == .store {
      throw MigrationError(.unknownModelVersion, path: path, detail: "it is a store, which has only one model")
    }
    self.path = path
    self.versionName = versionName
    self.kind = kind
  }

  private init(path word: String, orColon: Bool) throws(MigrationError) {
    // Names may hold colons: the longest path that exists counts.
    if Self.kind(word) == nil {
      for colon in word.indices.reversed() where word[colon] == ":" {
        let path = String(word[..<colon])
        let version = String(word[word.index(after: colon)...])
        guard !version.isEmpty, Self.kind(path) != nil else { continue }
        try self.init(path: path, versionNamed: version)
        return
      }
    }
    try self.init(path: word)
  }

  private static func kind(_ path: String) -> Kind? {
    guard let status = FileStatus(path) else { return nil }
    let name = FileSystem.split(path).name
    return status.kind == .directory || name.hasSuffix(".mom") || name == "contents" ? .model : .store
  }
}

extension ModelSource {
  /// The bundle of versions.
  ///
  /// - Throws: `MigrationError` where there is none that can be used; a store is none.
  public func bundle() throws(MigrationError) -> ModelBundle {
    try Self.reporting(path: path) { () throws(ModelFileError) in try ModelBundle(path: path) }
  }

  /// Reads the model.
  ///
  /// - Throws: `MigrationError`, `noModelCache` for a store that keeps none.
  public func load() throws(MigrationError) -> NamedModel {
    switch kind {
    case .store: return try loadFromStore()
    case .model: break
    }
    if versionName == nil, FileSystem.split(path).name == "contents" {
      return NamedModel(
        model: try Self.reporting(path: path) { () throws(ModelFileError) in
          try ManagedObjectModel(contentsOfFile: path)
        }, name: path, precision: .source)
    }
    let bundle = try bundle()
    let version = try Self.reporting(path: path) { () throws(ModelFileError) in
      if let versionName { return try bundle.version(named: versionName) }
      return try bundle.currentVersion()
    }
    return try Self.load(version, of: bundle)
  }

  /// Reads one version of a bundle.
  public static func load(_ version: ModelVersion, of bundle: ModelBundle) throws(MigrationError) -> NamedModel {
    NamedModel(
      model: try reporting(path: version.path) { () throws(ModelFileError) in try version.model() },
      name: version.path == bundle.path ? bundle.path : "\(bundle.path):\(version.name)", versionName: version.name,
      precision: bundle.isCompiled ? .compiled : .source)
  }

  private func loadFromStore() throws(MigrationError) -> NamedModel {
    let store = try StoreReader(path: path)
    guard let model = try store.cachedModel() else { throw MigrationError(.noModelCache, path: path) }
    let metadata = store.metadata
    try store.close()
    return NamedModel(model: model, name: path, precision: .compiled, metadata: metadata)
  }

  private static func reporting<Value>(
    path: String, _ body: () throws(ModelFileError) -> Value
  ) throws(MigrationError) -> Value {
    do { return try body() } catch { throw MigrationError(error) }
  }
}
