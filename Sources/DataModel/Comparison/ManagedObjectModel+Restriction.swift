extension ManagedObjectModel {
  /// The model of a store that holds the entities of one configuration only.
  ///
  /// - Returns: `nil` where there is no such configuration, or its entities cannot do without the others: Core Data
  ///   allows no relationships from one store to another.
  package func restricted(toConfiguration name: String) -> ManagedObjectModel? {
    guard let members = configurations[name].map(Set.init) else { return nil }
    var model = try? ManagedObjectModel(
      entities: entities.filter { members.contains($0.name) }, versionIdentifiers: versionIdentifiers,
      configurations: [name: members.sorted { $0.precedesByBytes($1) }])
    model?.editorAttributes = editorAttributes
    model?.fetchRequestTemplates = fetchRequestTemplates.filter { members.contains($0.entityName) }
    return model
  }
}
