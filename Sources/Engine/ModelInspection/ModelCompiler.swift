package import DataModel
internal import MappingModels
package import MigrationDiagnostics
internal import PersistentStore
internal import PropertyListFormat
internal import SystemC

/// Compiles models as Xcode's `momc` does: a bundle of versions to a `.momd`, one version to a `.mom`.
///
/// Nothing is left out silently: a part whose archived form is not known is refused, and so are validation rules, unless
/// the caller does without them.
package struct ModelCompiler {
  /// Whether validation rules are left out.
  package var leavesValidationOut = false
  /// Whether what an earlier build has made is replaced, once its successor is complete; anything else never is.
  package var replacesCompiled = false

  package init() {}

  /// The version of a model as a `.mom`.
  ///
  /// - Parameter name: What the version is called in errors.
  package func mom(of model: ManagedObjectModel, named name: String) throws(MigrationError) -> [UInt8] {
    if !leavesValidationOut {
      for entity in model.entities {
        guard let attribute = entity.ownAttributes.first(where: { !$0.validation.isEmpty }) else { continue }
        var error = MigrationError(
          .unusableModel, path: name,
          detail: "'\(entity.name).\(attribute.name)' has validation rules, whose compiled form is not known here")
        error.advice =
          "Compile it with Xcode, or without its validation rules; Core Data migrates and opens stores in the same way."
        throw error
      }
    }
    do {
      return try model.archive()
    } catch {
      var failure = MigrationError(.unusableModel, path: name, detail: error.clause)
      failure.advice = "\(error.advice)"
      throw failure
    }
  }

  /// Writes the compiled form of a model: a folder for a bundle, a file for one version.
  ///
  /// - Throws: `MigrationError`, `outputExists` if there is something else at that path. Then it is what it was.
  package func compile(_ bundle: ModelBundle, to path: String) throws(MigrationError) {
    if bundle.versions.count == 1, path.hasSuffix(".mom") {
      let version = bundle.versions[0]
      return try publish(try mom(of: try Self.model(version), named: version.path), as: path, from: bundle.path)
    }
    let files = try files(of: bundle)
    try publish(as: path, from: bundle.path) { staging throws(MigrationError) in
      let staged = staging.companion("folder")
      guard mkdir(staged, 0o777) == 0 else { throw FileSystem.failure(.cannotCreate, path) }
      for (name, bytes) in files { try FileSystem.write(bytes, to: "\(staged)/\(name)") }
      return staged
    }
  }

  private func publish(_ bytes: [UInt8], as path: String, from source: String) throws(MigrationError) {
    try publish(as: path, from: source) { staging throws(MigrationError) in
      let staged = staging.companion("complete")
      try FileSystem.write(bytes, to: staged)
      return staged
    }
  }

  private func publish(
    as path: String, from source: String, _ make: (_ staging: StagingFile) throws(MigrationError) -> String
  ) throws(MigrationError) {
    try StagingFile.publish(as: path, from: [source], replacesCompiled: replacesCompiled) { () throws(MigrationError) in
      try requireFree(path)
    } _: { staging throws(MigrationError) in
      try make(staging)
    }
  }

  private func requireFree(_ path: String) throws(MigrationError) {
    guard try FileSystem.isThere(path), !replacesCompiled || !CompiledOutput(path).isCompiled else { return }
    throw MigrationError(.outputExists, path: path)
  }

  /// Writes the compiled form of a mapping model to a new file.
  ///
  /// - Parameter modelPath: The model with both versions; without it, the one that the mapping model names, beside it.
  /// - Throws: `MigrationError`, `outputExists` if there is something at that path.
  package func compile(
    mappingModelAt source: String, modelPath: String?, to path: String
  ) throws(MigrationError) {
    do {
      let file = try MappingModelFile(path: source)
      let beside = file.sourceModelBundleName.map { FileSystem.sibling(of: source, named: $0) }
      guard let modelPath = modelPath ?? beside else {
        throw MigrationError(.missingModel, path: source, detail: "it does not name its models")
      }
      let bundle = try ModelSource(path: modelPath).bundle()
      let versions = bundle.versions.compactMap { version in (try? version.model()).map { (version.name, $0) } }
      guard let pair = file.versionPairs(among: versions).first,
        let old = versions.first(where: { $0.0 == pair.source })?.1,
        let new = versions.first(where: { $0.0 == pair.destination })?.1
      else {
        throw MigrationError(.invalidMappingModel, path: source, detail: "it fits no two versions of '\(modelPath)'")
      }
      try publish(try file.mappingModel(source: old, destination: new).archive(), as: path, from: source)
    } catch let error as MigrationError {
      throw error
    } catch let error as MappingModelFileError {
      throw MigrationError(.unusableMappingModel, path: source, detail: "\(error)")
    } catch {
      throw MigrationError(.unusableMappingModel, path: source, detail: "\(error)")
    }
  }

  /// The files of a compiled bundle.
  private func files(of bundle: ModelBundle) throws(MigrationError) -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = []
    var (hashes, checksums) = (PropertyListDictionary(), PropertyListDictionary())
    for version in bundle.versions {
      let model = try Self.model(version)
      files.append(("\(version.name).mom", try mom(of: model, named: version.path)))
      var entities = PropertyListDictionary()
      for entity in model.entities { entities[entity.name] = .data(entity.versionHash.bytes) }
      hashes[version.name] = .dictionary(entities)
      checksums[version.name] = .string(model.versionChecksum.base64)
    }
    var info = PropertyListDictionary()
    do {
      info["NSManagedObjectModel_CurrentVersionName"] = .string(try bundle.currentVersion().name)
    } catch {
      throw MigrationError(error)
    }
    info["NSManagedObjectModel_VersionChecksums"] = .dictionary(checksums)
    info["NSManagedObjectModel_VersionHashes"] = .dictionary(hashes)
    return files + [("VersionInfo.plist", PropertyList.dictionary(info).binary())]
  }

  private static func model(_ version: ModelVersion) throws(MigrationError) -> ManagedObjectModel {
    do { return try version.model() } catch { throw MigrationError(error) }
  }
}

/// The present contents of a compiler's output path.
struct CompiledOutput {
  private let path: String

  init(_ path: String) { self.path = path }

  /// Whether a compiler has made it: a keyed archive, or a folder with nothing but what a compiled bundle has.
  var isCompiled: Bool {
    switch FileStatus(unresolved: path)?.kind {
    case .regular: (try? FileSystem.contents(of: path))?.starts(with: "bplist".utf8) == true
    case .directory: names.map { $0.allSatisfy(Self.isPart) } ?? false
    default: false
    }
  }

  /// Empties the folder of a bundle: an empty one gives way to another folder.
  func removeFolder() {
    for name in names ?? [] where Self.isPart(name) { FileSystem.remove("\(path)/\(name)") }
  }

  private var names: [String]? { FileSystem.names(in: path) }

  private static func isPart(_ name: String) -> Bool {
    name.hasSuffix(".mom") || name.hasSuffix(".omo") || name == "VersionInfo.plist"
  }
}
