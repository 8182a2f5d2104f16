package import DataModel
internal import Migration
package import MigrationDiagnostics
package import PersistentStore
internal import SystemC

/// The source of a model: a bundle of versions, one version, or a store that keeps its own.
///
/// As one word it is the path, `Model.xcdatamodeld`, and for a version other than the current one the path, a colon and
/// the version, `Model.xcdatamodeld:Model 2`. A path that exists always is meant as a path.
package struct ModelSource: Sendable, Hashable {
  /// The kinds of sources.
  package enum Kind: Sendable, Hashable {
    /// An `.xcdatamodeld`, `.xcdatamodel`, `.momd`, `.mom`, the file `contents` of a model, or Swift source.
    case model
    /// Any other file: a store.
    case store
  }

  /// The path.
  package let path: String
  /// The version that is asked for; `nil` for the current one.
  package let versionName: String?
  /// The kind of the source.
  package let kind: Kind

  /// Finds out what a word means.
  ///
  /// - Throws: `MigrationError` where there is nothing at that path, or it cannot have versions.
  package init(_ word: String) throws(MigrationError) {
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

  /// Finds out what lies at a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - versionName: The version of a bundle, with or without `.xcdatamodel` or `.mom`; `nil` for the current one.
  /// - Throws: `MigrationError` where there is nothing at that path, or it cannot have versions.
  package init(path: String, versionNamed versionName: String? = nil) throws(MigrationError) {
    guard let kind = Self.kind(path) else {
      var error = MigrationError(.missingModel, path: path)
      error.advice =
        "Check the path; a model is an .xcdatamodeld, .xcdatamodel, .momd, .mom, Swift source with @Model, or a store that "
        + "keeps its own."
      throw error
    }
    if versionName != nil, kind == .store {
      throw MigrationError(.unknownModelVersion, path: path, detail: "it is a store, which has only one model")
    }
    self.path = path
    self.versionName = versionName
    self.kind = kind
  }

  private static func kind(_ path: String) -> Kind? {
    guard let status = FileStatus(path) else { return nil }
    let name = FileSystem.split(path).name
    return status.kind == .directory || [".mom", ".swift"].contains { name.hasSuffix($0) } || name == "contents"
      ? .model : .store
  }
}

extension ModelSource {
  /// The bundle of versions, of which the version that is asked for counts as the current one.
  ///
  /// - Throws: `MigrationError` where there is none that can be used; a store is none.
  package func bundle() throws(MigrationError) -> ModelBundle {
    try Self.reporting { () throws(ModelFileError) in
      let bundle = try ModelBundle(path: path)
      return if let versionName { try bundle.withCurrentVersion(named: versionName) } else { bundle }
    }
  }

  /// The bundle of several versions that the model is one of, if it was named by its own path.
  package var surroundingBundle: (path: String, versionName: String)? {
    let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let (folder, name) = FileSystem.split(trimmed)
    guard [".xcdatamodeld", ".momd"].contains(where: { folder.hasSuffix($0) }),
      let bundle = try? ModelBundle(path: folder),
      let version = bundle.versions.first(where: { FileSystem.split($0.path).name == name }), bundle.versions.count > 1
    else { return nil }
    return (folder, version.name)
  }

  /// Reads the model.
  ///
  /// - Throws: `MigrationError`, `noModelCache` for a store that keeps none.
  package func load() throws(MigrationError) -> NamedModel {
    if kind == .store { return try loadFromStore() }
    if versionName == nil, FileSystem.split(path).name == "contents" {
      return NamedModel(
        model: try Self.reporting { () throws(ModelFileError) in
          try ManagedObjectModel(contentsOfFile: path)
        }, name: path, precision: .source)
    }
    let bundle = try bundle()
    let version = try Self.reporting { () throws(ModelFileError) in
      if let versionName { return try bundle.version(named: versionName) }
      return try bundle.currentVersion()
    }
    return try Self.load(version, of: bundle)
  }

  /// Reads one version of a bundle.
  package static func load(_ version: ModelVersion, of bundle: ModelBundle) throws(MigrationError) -> NamedModel {
    NamedModel(
      model: try reporting { () throws(ModelFileError) in try version.model() },
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

  private static func reporting<Value>(_ body: () throws(ModelFileError) -> Value) throws(MigrationError) -> Value {
    do { return try body() } catch { throw MigrationError(error) }
  }
}

extension ModelBundle {
  /// Reads all versions, in the order of the bundle; of those that cannot be read, the errors are returned.
  func loadVersions() -> [(name: String, model: Result<NamedModel, MigrationError>)] {
    versions.map { version in
      (version.name, Result { () throws(MigrationError) in try ModelSource.load(version, of: self) })
    }
  }
}

extension Result {
  /// The error, if there is one.
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// A model with the name under which people know it.
package struct NamedModel: Sendable {
  /// The model.
  package let model: ManagedObjectModel
  /// The path, with the version where the path alone does not tell it.
  package let name: String
  /// The name of the version in its bundle.
  package let versionName: String?
  /// The precision with which the model can be compared with others.
  package let precision: ModelDifference.Precision
  /// The metadata of the store, when the model comes from a store.
  package let metadata: StoreMetadata?

  /// Creates a model with a name.
  package init(
    model: ManagedObjectModel, name: String, versionName: String? = nil, precision: ModelDifference.Precision,
    metadata: StoreMetadata? = nil
  ) {
    self.model = model
    self.name = name
    self.versionName = versionName
    self.precision = precision
    self.metadata = metadata
  }

  /// Returns the differences of the model from another one.
  package func difference(from old: NamedModel) -> ModelDifference {
    ModelDifference(
      from: old.model, to: model,
      precision: precision == .compiled || old.precision == .compiled ? .compiled : .source)
  }
}

extension NamedModel {
  /// The model as Xcode's XML, the file `contents` of an `.xcdatamodel`.
  ///
  /// - Throws: `MigrationError` where a text of the model cannot be written in XML.
  package func xml() throws(MigrationError) -> String {
    do {
      return try model.xml()
    } catch {
      var failure = MigrationError(.unusableModel, path: name, detail: error.clause)
      failure.advice = "\(error.advice)"
      throw failure
    }
  }

  /// Writes the model to a new `.xcdatamodel`, which Xcode can read.
  ///
  /// - Parameter source: The model or store that it is from, which limits the permissions of what is written.
  /// - Throws: `MigrationError`, `outputExists` where there is something at that path; nothing is overwritten.
  package func write(toNewFolder path: String, from source: String) throws(MigrationError) {
    try FileSystem.write(try xml(), named: "contents", inNewFolder: path, from: [source])
  }
}

extension FileSystem {
  /// Writes the only file of a new folder, as Xcode's models and mapping models are.
  ///
  /// The folder appears when it is complete.
  ///
  /// - Parameter sources: What it is made from, which limits the permissions.
  /// - Throws: `MigrationError`, `outputExists` where there is something at that path; nothing is overwritten.
  static func write(
    _ text: String, named name: String, inNewFolder path: String, from sources: [String]
  ) throws(MigrationError) {
    var target = path
    while target.utf8.count > 1, target.hasSuffix("/") { target.removeLast() }
    try StagingFile.publish(as: target, from: sources) { () throws(MigrationError) in
      if exists(path) { throw MigrationError(.outputExists, path: path) }
    } _: { staging throws(MigrationError) in
      let folder = staging.companion("folder")
      guard mkdir(folder, 0o777) == 0 else { throw failure(.cannotCreate, path) }
      try write(Array(text.utf8), to: "\(folder)/\(name)")
      return folder
    }
  }
}
