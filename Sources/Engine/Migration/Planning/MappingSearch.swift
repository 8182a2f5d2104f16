internal import DataModel
internal import MappingModels
public import MigrationDiagnostics
internal import PersistentStore

/// Finds the mapping models that lead between versions of a model.
public struct MappingSearch {
  /// The versions.
  public let versions: [LoadedModelVersion]
  /// The mapping models that were found, in the order in which those for the same two versions are carried out.
  public private(set) var mappings: [LoadedMappingModel] = []
  /// The mapping models that fit, and in whose place others are used.
  package private(set) var displaced: [LoadedMappingModel] = []
  /// The remarks for people on mapping models that cannot be used.
  package private(set) var remarks: [String] = []
  /// The bounds at which the search ended.
  package private(set) var bounds = SearchBounds()

  /// Begins a search.
  public init(versions: [LoadedModelVersion]) {
    self.versions = versions
  }

  /// Adds a mapping model that the user names, or all in and below a folder.
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
    guard FileSystem.names(in: path) != nil else { throw Self.unlistable(path) }
    let (files, bounds) = ProjectFolder(path).files(where: Self.isMappingModel)
    self.bounds.add(bounds)
    guard !files.isEmpty else {
      throw MigrationError(.noMappingModels, path: path)
    }
    var found: [LoadedMappingModel] = []
    for file in files.map(\.path) {
      let mappings = try Self.load(file, versions)
      guard !mappings.isEmpty else { throw Self.unfitting(file, versions) }
      found += mappings
    }
    add(withoutCopies(found))
  }

  /// Adds the mapping models in the project of a model that lead between its versions.
  ///
  /// Core Data takes each that fits from the app, whatever folder of the project its source is in. Others are passed
  /// over: a project may have those of other models too. Of several for the same two versions, the nearest to the model
  /// are used; the others may be old copies.
  public mutating func addMappings(besideModelAt path: String) throws(MigrationError) {
    let path = Self.trimmed(path)
    for place in [path, FileSystem.resolved(path)].compactMap(\.self) {
      let folder = FileSystem.split(place).folder
      guard FileSystem.names(in: folder) != nil else { throw Self.unlistable(folder) }
    }
    let project = ProjectFolder(ofModelAt: path)
    let (files, bounds) = project.files(where: Self.isMappingModel)
    self.bounds.add(bounds)
    typealias Found = (mapping: LoadedMappingModel, distance: Int, namesVersions: Bool)
    var found: [Found] = []
    for file in files {
      let isBeside = file.distance == 0
      let mappings: [LoadedMappingModel]
      do throws(MigrationError) {
        mappings = try Self.load(file.path, versions, ofModelNamed: isBeside ? nil : project.modelNames)
      } catch {
        // One elsewhere may be of another model.
        guard !isBeside else { throw error }
        remarks.append("The mapping model '\(file.path)' is not used: \(error.detail ?? error.code.rawValue).")
        continue
      }
      if mappings.isEmpty, let version = Self.unknownVersion(in: file.path, versions, ofModelNamed: project.modelNames)
      {
        remarks.append(
          "The mapping model '\(file.path)' is not used: it names the version '\(version)', which '\(path)' does not have."
        )
      }
      for var mapping in mappings {
        if !isBeside { mapping.name = file.path }
        found.append((mapping, file.distance, isBeside || !file.path.hasSuffix(".cdm")))
      }
    }
    for (versions, all) in Dictionary(
      grouping: found, by: { [$0.mapping.sourceVersionName, $0.mapping.destinationVersionName] }
    )
    .sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let nearest = all.first?.distance
      var used = all.filter { $0.distance == nearest }
      if !used.contains(where: \.namesVersions), !areWhole(used.map(\.mapping), to: versions[1]) { used = [] }
      displaced += all.map(\.mapping).filter { mapping in !used.contains { $0.mapping == mapping } }
    }
    let unused = displaced
    let used = withoutCopies(found.map(\.mapping).filter { !unused.contains($0) })
    add(used)
    let unmarked = Set(files.filter { $0.distance > 0 && !$0.isMarked }.map(\.path))
    remarks += Set(used.map(\.path)).intersection(unmarked).sorted().map {
      "The mapping model '\($0)' is used, though nothing marks it and '\(path)' as one project."
    }
    if !bounds.isComplete {
      remarks.append("Not all folders around '\(path)' were searched for mapping models.")
    }
  }

  /// Leaves out mapping models that are the same as others: a project may keep a compiled one beside its source, which goes
  /// before it.
  private mutating func withoutCopies(_ found: [LoadedMappingModel]) -> [LoadedMappingModel] {
    let isCompiled = { (mapping: LoadedMappingModel) in mapping.path.hasSuffix(".cdm") }
    var kept: [LoadedMappingModel] = []
    for mapping in found.filter({ !isCompiled($0) }) + found.filter(isCompiled) {
      guard let same = kept.first(where: mapping.isCopy) else {
        kept.append(mapping)
        continue
      }
      let remark = "The mapping model '\(mapping.path)' is not used: '\(same.path)' is the same, and is used."
      if !remarks.contains(remark) { remarks.append(remark) }
    }
    return found.filter(kept.contains)
  }

  /// Those without policies come first: a policy may look for what others have made, which expressions do not.
  private mutating func add(_ found: [LoadedMappingModel]) {
    func hasPolicy(_ mapping: LoadedMappingModel) -> Bool {
      mapping.mappingModel.entityMappings.contains { $0.entityMigrationPolicyClassName != nil }
    }
    mappings += found.filter { !hasPolicy($0) } + found.filter(hasPolicy)
  }

  /// Reads a mapping model, for each pair of versions that it fits.
  ///
  /// - Parameter modelNames: The names of the model, if a file that only names its versions has to name that too.
  private static func load(
    _ path: String, _ versions: [LoadedModelVersion], ofModelNamed modelNames: [String]? = nil
  ) throws(MigrationError) -> [LoadedMappingModel] {
    do throws(MappingModelFileError) {
      let file = try MappingModelFile(path: path)
      if let modelNames, !file.hasVersionHashes, !names(file, modelNames) { return [] }
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

  /// Whether mapping models make all entities of their destination, as Core Data requires of one that it takes by itself.
  ///
  /// Compiled ones of one hop may fit others by chance, where the few entities that they speak of have not changed.
  private func areWhole(_ mappings: [LoadedMappingModel], to version: String) -> Bool {
    let made = Set(mappings.flatMap(\.mappingModel.entityMappings).compactMap(\.destinationEntityName))
    let model = versions.first { $0.name == version }?.model
    return model?.entities.allSatisfy { $0.isAbstract || made.contains($0.name) } ?? false
  }

  /// The version of a model that a file names and the model does not have.
  private static func unknownVersion(
    in path: String, _ versions: [LoadedModelVersion], ofModelNamed modelNames: [String]
  ) -> String? {
    guard let file = try? MappingModelFile(path: path), !file.hasVersionHashes, names(file, modelNames),
      // Without the name of a model, its entities have to tell.
      file.sourceModelBundleName != nil || hasEntities(of: file, versions)
    else { return nil }
    return unknownVersions(in: file, versions).first
  }

  private static func unknownVersions(in file: MappingModelFile, _ versions: [LoadedModelVersion]) -> [String] {
    [file.sourceModelVersionName, file.destinationModelVersionName].compactMap(\.self).filter { name in
      !versions.contains { $0.name == name }
    }
  }

  /// Whether some versions have all entities that a file speaks of.
  private static func hasEntities(of file: MappingModelFile, _ versions: [LoadedModelVersion]) -> Bool {
    [file.entityMappings.compactMap(\.sourceEntityName), file.entityMappings.compactMap(\.destinationEntityName)]
      .allSatisfy { names in
        versions.contains { version in names.allSatisfy { version.model.entity(named: $0) != nil } }
      }
  }

  /// Whether a file names a model, which another model of the same project may have the versions of.
  private static func names(_ file: MappingModelFile, _ modelNames: [String]) -> Bool {
    let stem = { (name: String) in name.split(separator: ".").dropLast().joined(separator: ".") }
    let named = Set([file.sourceModelBundleName, file.destinationModelBundleName].compactMap { $0.map(stem) })
    guard file.sourceModelVersionName != nil, file.destinationModelVersionName != nil else { return false }
    return named.isEmpty || modelNames.contains { named == [stem($0)] }
  }

  /// The name of the mapping model: that of the folder where there is one.
  private static func name(_ path: String) -> String {
    let (folder, name) = FileSystem.split(trimmed(path))
    return name == "xcmapping.xml" ? FileSystem.split(folder).name : name
  }

  private static func trimmed(_ path: String) -> String {
    path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// The findings as sentences; the remains of Xcode's editor, which need no action, as one.
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
    let names = versions.map { "'\($0.name)'" }.joined(separator: ", ")
    if let file, hasEntities(of: file, versions), !unknownVersions(in: file, versions).isEmpty {
      let unknown = unknownVersions(in: file, versions).map { "'\($0)'" }.joined(separator: " and ")
      return MigrationError(
        .invalidMappingModel, path: path,
        detail: "it leads \(from) \(to), but the versions are \(names), without \(unknown)")
    }
    return MigrationError(
      .invalidMappingModel, path: path,
      detail: "it leads \(from) \(to) with entities that are not among the versions \(names)")
  }

  /// Whether a path has the name of a mapping model.
  package static func isMappingModel(_ path: String) -> Bool {
    let name = FileSystem.split(trimmed(path)).name
    return name.hasSuffix(".xcmappingmodel") || name.hasSuffix(".cdm") || name == "xcmapping.xml"
  }

  private static func unlistable(_ folder: String) -> MigrationError {
    // Inference in the place of a mapping model that was not seen would leave out what that carries over.
    var error = FileSystem.failure(.unreadable, folder)
    error.advice = "Nothing was changed. Allow the folder to be listed, or name the mapping models with \(.mapping)."
    return error
  }
}

extension LoadedMappingModel {
  /// Whether it does exactly what another one does, between the same versions.
  func isCopy(of other: LoadedMappingModel) -> Bool {
    sourceVersionName == other.sourceVersionName && destinationVersionName == other.destinationVersionName
      && mappingModel.withoutOrderOfProperties == other.mappingModel.withoutOrderOfProperties
  }
}

extension MappingModel {
  /// The same mapping model with sorted property mappings, without those that give no value.
  fileprivate var withoutOrderOfProperties: MappingModel {
    func sorted(_ mappings: [PropertyMapping]) -> [PropertyMapping] {
      mappings.filter { $0.valueExpression != nil }.sorted { $0.name < $1.name }
    }
    var model = self
    for index in model.entityMappings.indices {
      model.entityMappings[index].attributeMappings = sorted(entityMappings[index].attributeMappings)
      model.entityMappings[index].relationshipMappings = sorted(entityMappings[index].relationshipMappings)
    }
    return model
  }
}
