public import DataModel
package import MigrationDiagnostics

/// A version of a model that a migration may start from, pass through or end at.
public struct LoadedModelVersion: Sendable, Hashable {
  /// The name, such as `Model 2`.
  public var name: String
  /// The model.
  public var model: ManagedObjectModel

  /// Creates a version.
  public init(name: String, model: ManagedObjectModel) {
    self.name = name
    self.model = model
  }

  /// Reads all versions of a bundle, in its order.
  ///
  /// - Throws: `ModelFileError` where one cannot be read.
  public static func all(in bundle: ModelBundle) throws(ModelFileError) -> [LoadedModelVersion] {
    try bundle.versions.map { version throws(ModelFileError) in
      LoadedModelVersion(name: version.name, model: try version.model())
    }
  }
}

extension LoadedModelVersion {
  /// Makes sure that derived attributes have expressions that Core Data can keep, as its compiler does.
  ///
  /// - Throws: `MigrationError` with `unusableModel`, which names the attribute.
  package func requireDerivations(at path: String) throws(MigrationError) {
    for entity in model.entities {
      for attribute in entity.ownAttributes {
        guard let part = attribute.unusableDerivation else { continue }
        var error = MigrationError(
          .unusableModel, MigrationError.Subject(path: path, entity: entity.name, property: attribute.name),
          detail:
            "attribute '\(entity.name).\(attribute.name)' of '\(name)' has \(part), which Core Data does not derive")
        error.advice =
          "Use a key path, a count, a sum or another function of one key path, or now(); or compute the value in the app."
        throw error
      }
    }
  }
}

extension [LoadedModelVersion] {
  /// The version that a store with these hashes has, if it is one of these.
  package func version(withHashes hashes: [String: VersionHash]) -> LoadedModelVersion? {
    first { $0.model.isCompatible(withVersionHashes: hashes) }
  }
}

/// A mapping model that a plan may use, with the versions that it leads from and to.
public struct LoadedMappingModel: Sendable, Hashable {
  /// The name, such as that of its file.
  public var name: String
  /// The file, or nothing for a mapping model that was made in code.
  public var path: String
  /// The name of the version that it leads from.
  package var sourceVersionName: String
  /// The name of the version that it leads to.
  package var destinationVersionName: String
  /// The mapping model.
  public var mappingModel: MappingModel
  /// The oddities of the mapping model, as text for people.
  package var findings: [String]

  /// Creates a mapping.
  package init(
    name: String, path: String = "", sourceVersionName: String, destinationVersionName: String,
    mappingModel: MappingModel, findings: [String] = []
  ) {
    self.name = name
    self.path = path
    self.findings = findings
    self.sourceVersionName = sourceVersionName
    self.destinationVersionName = destinationVersionName
    self.mappingModel = mappingModel
  }
}

extension MigrationError {
  /// Converts the problem of a model's file into an error of a migration.
  package init(_ error: ModelFileError) {
    let code: Code =
      switch error.problem {
      case .notFound: .missingModel
      case .unknownVersion, .currentVersionUnset: .unknownModelVersion
      case .unreadable, .tooLarge, .notUTF8, .malformedXML, .declaresEntities, .mergeConflict, .gitLFSPointer,
        .tooComplex, .notAModel, .outdatedFormat, .noContents, .missingAttribute, .badValue, .unknownType, .model,
        .unpackable, .unpacksBeyond,
        .notAnArchive, .notAnArchivedModel, .badArchivedValue, .unsupportedExpression, .archiveTooComplex, .notABundle,
        .noVersions, .currentVersionUnreadable, .versionInfoUnreadable, .swiftSource, .unwritableText, .unarchivable:
        .unusableModel
      }
    self.init(code, path: error.file)
    guard code != .missingModel else { return }
    let clause = error.problem.clause
    detail = error.line.map { "line \($0): \(clause)" } ?? clause
    advice = code == .unknownModelVersion ? nil : "\(error.problem.advice)"
    guard case .swiftSource(let failure) = error.problem else { return }
    report = failure.report
    switch failure {
    case .missingNames: advice = "\(failure.advice) Name that with \(.stub)."
    case .unsuitableTypes: advice = "\(failure.advice) They are listed in \(.types)."
    case .noModels, .unreadable, .noToolchain, .unfitToolchain, .unusableToolchain, .compilerErrors, .programFailed,
      .notRun, .unusableCache, .notCompiledYet:
      break
    }
  }
}
