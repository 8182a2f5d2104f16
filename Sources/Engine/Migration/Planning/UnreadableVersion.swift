package import DataModel
package import MigrationDiagnostics

/// A version of a bundle that cannot be read, which stops only the migrations that need it.
package struct UnreadableVersion: Sendable, Hashable {
  /// The name, such as `Model 2`.
  package let name: String
  /// The error of reading it.
  package let error: ModelFileError
  /// The names of the versions before it, in the order of the bundle.
  private let predecessors: Set<String>
  /// The mapping models that lead from it or to it, as far as that can be told.
  private var mappingModelPaths: [String] = []

  /// Reads the versions of a bundle.
  ///
  /// - Returns: The bundle, those that can be read, in its order, and the others.
  /// - Throws: `MigrationError` where none can be read.
  package static func readVersions(
    ofModelAt path: String
  ) throws(MigrationError) -> (bundle: ModelBundle, versions: [LoadedModelVersion], unreadable: [UnreadableVersion]) {
    let bundle: ModelBundle
    do { bundle = try ModelBundle(path: path) } catch { throw MigrationError(error) }
    let (models, unreadable) = bundle.readVersions()
    if let first = unreadable.first, models.isEmpty { throw MigrationError(first.error) }
    let names = bundle.versions.map(\.name)
    return (
      bundle,
      models.map { LoadedModelVersion(name: $0.version.name, model: $0.model) },
      unreadable.map { version, error in
        UnreadableVersion(name: version.name, error: error, predecessors: Set(names.prefix { $0 != version.name }))
      }
    )
  }

  /// Finds the mapping models around a model that lead from this version or to it.
  ///
  /// Compiled ones do not say which versions they are for; they are meant where they fit no two others.
  fileprivate mutating func findMappingModels(_ files: [MappingModelFile], known versions: [LoadedModelVersion]) {
    mappingModelPaths = files.filter { file in
      if [file.sourceModelVersionName, file.destinationModelVersionName].contains(name) { return true }
      return file.isCompiled && file.versionPairs(among: versions.map { ($0.name, $0.model) }).isEmpty
    }.map(\.path)
  }

  /// Returns the reason for refusing a plan that would pass over this version: an inferred hop does not move the
  /// contents that its mapping models would.
  ///
  /// - Returns: The error, or `nil` where the plan does without this version.
  func refusal(of plan: MigrationPlan, among versions: [LoadedModelVersion]) -> MigrationError? {
    guard let path = mappingModelPaths.first else { return nil }
    let isPassed = plan.steps.contains { step in
      guard case .inferred = step.method else { return false }
      // What only the store knows may be this very version.
      guard versions.contains(where: { $0.name == step.source.name }) else { return true }
      return predecessors.contains(step.source.name) != predecessors.contains(step.destination.name)
    }
    guard isPassed else { return nil }
    return MigrationError(
      .noMigrationPath, MigrationError.Subject(name: plan.destination.name),
      detail: "\(fact), and the mapping model '\(path)' may lead from it or to it")
  }

  /// The error of reading it, as a clause.
  package var fact: String {
    let error = MigrationError(error)
    return "the version '\(name)' cannot be read (\(error.detail ?? error.code.rawValue))"
  }
}

extension [UnreadableVersion] {
  /// The same versions, each with the mapping models around the model that lead from it or to it.
  package func withMappingModels(aroundModelAt path: String, known versions: [LoadedModelVersion])
    -> [UnreadableVersion]
  {
    guard !isEmpty else { return self }
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let files = ProjectFolder(ofModelAt: path).files(where: MappingSearch.isMappingModel).files.compactMap {
      try? MappingModelFile(path: $0.path)
    }
    return map { version in
      var version = version
      version.findMappingModels(files, known: versions)
      return version
    }
  }

  /// An error that may have come about because versions are missing, with why they are.
  package func inUserTerms(_ error: MigrationError) -> MigrationError {
    var error = error
    let facts = map(\.fact).filter { error.detail?.contains($0) != true }
    error.detail = ([error.detail].compactMap(\.self) + facts).joined(separator: "; ")
    return error
  }
}
