internal import DataModel
public import MigrationDiagnostics
internal import PersistentStore

/// Finds the mapping models that lead between versions of a model.
public struct MappingSearch {
  /// The versions.
  public let versions: [LoadedModelVersion]
  /// The mapping models that were found, in the order in which those for the same two versions are carried out.
  public private(set) var mappings: [LoadedMappingModel] = []

  /// Begins a search.
  public init(versions: [LoadedModelVersion]) {
    self.versions = versions
  }

  /// Adds a mapping model that the user names, or all in a folder.
  ///
  /// - Throws: `MigrationError` when there is none, or it does not fit the versions.
  public mutating func add(path: String) throws(MigrationError) {
    do throws(MigrationError) {
      try addAll(at: path)
    } catch let error where error.code == .missing {
      var error = error
      error.advice = "Check the path; a mapping model is an .xcmappingmodel or .cdm, or a folder with some."
      throw error
    }
  }

  private mutating func addAll(at path: String) throws(MigrationError) {
    guard !Self.isMappingModel(path), FileStatus(path)?.kind == .directory else {
      let found = try Self.load(path, versions)
      guard !found.isEmpty else { throw Self.unfitting(path, versions) }
      mappings += found
      return
    }
    let files = try Self.files(in: path)
    guard !files.isEmpty else {
      throw MigrationError(.noMappingModels, path: path)
    }
    try addAll(files, requiringFit: true)
  }

  /// Adds the mapping models that lie beside a model and lead between its versions.
  ///
  /// Others are passed over: a folder may hold those of other models too.
  public mutating func addMappings(besideModelAt path: String) throws(MigrationError) {
    try addAll(try Self.files(in: FileSystem.split(Self.trimmed(path)).folder), requiringFit: false)
  }

  /// Those without policies come first: a policy may look for what others have made, which expressions do not.
  private mutating func addAll(_ files: [String], requiringFit: Bool) throws(MigrationError) {
    var found: [LoadedMappingModel] = []
    for file in files {
      let mappings = try Self.load(file, versions)
      if mappings.isEmpty, requiringFit { throw Self.unfitting(file, versions) }
      found += mappings
    }
    func hasPolicy(_ mapping: LoadedMappingModel) -> Bool {
      mapping.mappingModel.entityMappings.contains { $0.entityMigrationPolicyClassName != nil }
    }
    mappings += found.filter { !hasPolicy($0) } + found.filter(hasPolicy)
  }

  private static func load(_ path: String, _ versions: [LoadedModelVersion]) throws(MigrationError)
    -> [LoadedMappingModel]
  {
    do throws(MappingModelFileError) {
      let file = try MappingModelFile(path: path)
      let pairs = file.versionPairs(among: versions.map { ($0.name, $0.model) })
      var found: [LoadedMappingModel] = []
      for pair in pairs {
        guard let source = versions.first(where: { $0.name == pair.source }),
          let destination = versions.first(where: { $0.name == pair.destination })
        else { continue }
        let resolved = try file.resolve(source: source.model, destination: destination.model)
        found.append(
          LoadedMappingModel(
            name: name(path), path: path, sourceVersionName: source.name,
            destinationVersionName: destination.name, mappingModel: resolved.mappingModel,
            findings: Self.remarks(file.findings + resolved.findings, resolved.mappingModel, destination.model)))
      }
      return found
    } catch {
      throw error.migrationError
    }
  }

  /// The name of the mapping model: that of the folder where there is one.
  private static func name(_ path: String) -> String {
    let (folder, name) = FileSystem.split(trimmed(path))
    return name == "xcmapping.xml" ? FileSystem.split(folder).name : name
  }

  private static func trimmed(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// The findings as sentences; what Xcode's editor left behind, which nobody has to act on, as one.
  private static func remarks(
    _ findings: [MappingModelFinding], _ mappingModel: MappingModel, _ model: ManagedObjectModel
  ) -> [String] {
    let leftovers = findings.filter(\.isLeftover).count
    return findings.filter { !$0.isLeftover && !isExpected($0, mappingModel, model) }.map { "\($0)" }
      + (leftovers == 0 ? [] : ["\(leftovers) leftovers of Xcode's editor in the mapping model were passed over"])
  }

  /// Whether a property without a mapping is what its author meant: a policy gives it, the entity has no source, or it is
  /// a relationship, which its inverse fills.
  private static func isExpected(
    _ finding: MappingModelFinding, _ mappingModel: MappingModel, _ model: ManagedObjectModel
  ) -> Bool {
    guard case .unmentionedProperty = finding.kind, let name = finding.entityMappingName,
      let mapping = mappingModel.entityMapping(named: name)
    else { return false }
    return mapping.entityMigrationPolicyClassName != nil || mapping.sourceEntityName == nil
      || mapping.destinationEntityName.flatMap { model.entity(named: $0) }?
        .relationship(named: finding.propertyName ?? "") != nil
  }

  private static func unfitting(_ path: String, _ versions: [LoadedModelVersion]) -> MigrationError {
    let file = try? MappingModelFile(path: path)
    let from = file?.sourceModelVersionName.map { "from '\($0)'" } ?? "from a version"
    let to = file?.destinationModelVersionName.map { "to '\($0)'" } ?? "to a version"
    return MigrationError(
      .invalidMappingModel, path: path,
      detail: "it leads \(from) \(to) with entities that are not among the versions "
        + versions.map { "'\($0.name)'" }.joined(separator: ", "))
  }

  /// Whether a path has the name of a mapping model.
  package static func isMappingModel(_ path: String) -> Bool {
    let name = FileSystem.split(trimmed(path)).name
    return name.hasSuffix(".xcmappingmodel") || name.hasSuffix(".cdm") || name == "xcmapping.xml"
  }

  private static func files(in folder: String) throws(MigrationError) -> [String] {
    guard let names = FileSystem.names(in: folder) else {
      // Inference in the place of a mapping model that was not seen would leave out what that carries over.
      var error = FileSystem.failure(.unreadable, folder)
      error.advice = "Nothing was changed. Allow the folder to be listed, or name the mapping models with \(.mapping)."
      throw error
    }
    return names.filter(isMappingModel).sorted().map { folder == "." ? $0 : "\(folder)/\($0)" }
  }
}
