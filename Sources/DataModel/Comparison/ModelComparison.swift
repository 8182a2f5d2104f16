/// Compares what two models say as a whole.
struct ModelComparison {
  let old: ManagedObjectModel
  let new: ManagedObjectModel
  let renamings: Renamings

  var changes: [ModelChange] { identifierChanges + configurationChanges + fetchRequestChanges }

  private var identifierChanges: [ModelChange] {
    guard old.versionIdentifiers.sorted() != new.versionIdentifiers.sorted() else { return [] }
    return [
      change(
        .model,
        .changed(.versionIdentifiers, from: Self.text(old.versionIdentifiers), to: Self.text(new.versionIdentifiers)))
    ]
  }

  private var configurationChanges: [ModelChange] {
    let names = Set(old.configurations.keys).union(new.configurations.keys).sorted { $0.precedesByBytes($1) }
    return names.compactMap { name in
      switch (old.configurations[name]?.sorted(), new.configurations[name]?.sorted()) {
      case (nil, _): change(.configuration(name), .added)
      case (_, nil): change(.configuration(name), .removed)
      case (let before?, let after?):
        before == after
          ? nil
          : change(
            .configuration(name), .changed(.members, from: Self.text(before), to: Self.text(after)),
            followsRenaming: before.map(renamings.entity).sorted() == after)
      }
    }
  }

  private var fetchRequestChanges: [ModelChange] {
    let before = Dictionary(old.fetchRequestTemplates.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(new.fetchRequestTemplates.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let names = Set(before.keys).union(after.keys).sorted { $0.precedesByBytes($1) }
    return names.flatMap { name -> [ModelChange] in
      guard let old = before[name] else { return [change(.fetchRequest(name), .added)] }
      guard let new = after[name] else { return [change(.fetchRequest(name), .removed)] }
      var changes: [ModelChange] = []
      if old.entityName != new.entityName {
        changes.append(
          change(
            .fetchRequest(name), .changed(.fetchedEntity, from: old.entityName, to: new.entityName),
            followsRenaming: renamings.entity(old.entityName) == new.entityName))
      }
      if old.predicate != new.predicate {
        changes.append(change(.fetchRequest(name), .changed(.predicate, from: old.predicate, to: new.predicate)))
      }
      return changes
    }
  }

  private func change(
    _ subject: ModelChange.Subject, _ kind: ModelChange.Kind, followsRenaming: Bool = false
  ) -> ModelChange {
    ModelChange(
      entityName: nil, subject: subject, kind: kind, affectsVersionHash: false, followsRenaming: followsRenaming)
  }

  private static func text(_ names: [String]) -> String? {
    names.isEmpty ? nil : names.joined(separator: ", ")
  }
}
