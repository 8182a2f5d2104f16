extension ModelBundle {
  /// Looks for what will lead to trouble: in the versions as such, and in what the current version says.
  ///
  /// What earlier versions say is not looked at: stores were written with them, so they must stay as they are.
  ///
  /// - Parameters:
  ///   - versionName: The version to look into instead of the current one.
  ///   - suggests: Whether to find also what would only be better otherwise.
  /// - Returns: The findings, those of the bundle first.
  /// - Throws: `ModelFileError` where the bundle has no version of this name.
  public func lint(versionNamed versionName: String? = nil, suggests: Bool = false) throws(ModelFileError)
    -> [ModelFinding]
  {
    let (models, unreadable) = readVersions()
    var findings = unreadable.map { ModelFinding(.unreadableVersion($0.error), versionName: $0.version.name) }
    let current: ModelVersion?
    if let versionName {
      current = try version(named: versionName)
    } else {
      do {
        current = try currentVersion()
        findings += currentVersionFindings(current)
      } catch {
        findings.append(ModelFinding(.currentVersionUnknown(error)))
        current = nil
      }
    }
    findings += sameVersionFindings(models)
    if let index = models.firstIndex(where: { $0.version == current }) {
      if index > 0 { findings += requiredFindings(models[index], after: models[index - 1]) }
      findings += ModelLint(models[index].model, versionName: models[index].version.name).findings
      findings.append(ModelFinding(.spareRoom, versionName: models[index].version.name))
    }
    return findings.filter { suggests || $0.severity != .suggestion }
  }

  private func currentVersionFindings(_ current: ModelVersion?) -> [ModelFinding] {
    guard let current, let newest = versions.last, newest != current else { return [] }
    return [ModelFinding(.currentVersionIsNotNewest(newest: newest.name), versionName: current.name)]
  }

  /// Each version is compared with the last one before it that has the same version hashes.
  private func sameVersionFindings(
    _ models: [(version: ModelVersion, model: ManagedObjectModel)]
  ) -> [ModelFinding] {
    var known: [[String: VersionHash]: Int] = [:]
    return models.indices.compactMap { index -> ModelFinding? in
      let (version, model) = models[index]
      guard let before = known.updateValue(index, forKey: model.entityVersionHashesByName) else { return nil }
      let difference = ModelDifference(
        from: models[before].model, to: model, precision: isCompiled ? .compiled : .source)
      let name = models[before].version.name
      return ModelFinding(
        difference.isEmpty ? .sameAsVersion(name) : .sameHashesAsVersion(name, changes: difference.changes),
        versionName: version.name)
    }
  }

  /// Attributes that old instances have no value for, and that must have one.
  private func requiredFindings(
    _ current: (version: ModelVersion, model: ManagedObjectModel),
    after previous: (version: ModelVersion, model: ManagedObjectModel)
  ) -> [ModelFinding] {
    RenamingMatch(old: previous.model.entities, new: current.model.entities).pairs.flatMap { pair in
      let match = RenamingMatch(old: pair.old.ownAttributes, new: pair.new.ownAttributes)
      // What moved here from another place in the hierarchy had values before.
      let added = match.added.filter { pair.old.attribute(named: $0.name) == nil }
      let required = match.pairs.filter { $0.old.isOptional && !$0.new.isOptional }.map(\.new)
      return (added + required).filter(\.isRequiredWithoutDefault).map { attribute in
        ModelFinding(
          .newlyRequiredWithoutDefault(since: previous.version.name), versionName: current.version.name,
          entityName: pair.new.name, propertyName: attribute.name)
      }
    }
  }
}
