internal import PropertyList

extension ModelArchiver {
  /// Archives an entity.
  mutating func fill(
    _ entity: EntityDescription, declared: [PropertyArchive], inherited: [PropertyArchive]
  ) throws(ModelFileProblem) {
    guard let reference = entities[entity.name] else { return }
    let copies = inherited.map { property in
      var fields = property.fields
      fields["NSEntity"] = reference
      return (key: property.name, value: archive.add(property.archivedClass, fields))
    }
    let properties = (declared.map { (key: $0.name, value: $0.reference) } + copies)
      .sorted { $0.key.precedesByBytes($1.key) }
    let children = entity.subentityNames.compactMap { name in entities[name].map { (key: name, value: $0) } }
    var fields: PropertyListDictionary = [
      "NSEntityName": archive.add(entity.name),
      "NSClassNameForEntity": archive.add(optional: Self.className(of: entity)),
      "NSManagedObjectModel": root,
      "NSSuperentity": entity.superentityName.flatMap { entities[$0] } ?? KeyedArchiveWriter.null,
      "NSSubentities": archive.add(.mutableDictionary, pairs: children),
      "NSProperties": archive.add(.mutableDictionary, pairs: properties),
      "NSUserInfo": add(entity.userInfo),
      "NSRenamingIdentifier": archive.add(entity.renamingIdentifier),
      "NSVersionHashModifier": archive.add(optional: entity.versionHashModifier),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
    if !entity.uniquenessConstraints.isEmpty { fields["NSUniqueTuples"] = add(entity.uniquenessConstraints) }
    if !entity.fetchIndexes.isEmpty {
      fields["NSFetchIndexDescriptions"] = try addFetchIndexes(of: entity, reference)
      fields["NSCompoundIndexes"] = add(entity.fetchIndexes.compactMap(\.compoundNames))
    }
    archive.fill(reference, .entity, fields)
  }

  /// The notes of the model's author.
  mutating func add(_ userInfo: [String: String]) -> PropertyList {
    let pairs = userInfo.sorted { $0.key.precedesByBytes($1.key) }
    return archive.add(.dictionary, pairs: pairs.map { (key: $0.key, value: archive.add($0.value)) })
  }

  private mutating func add(_ lists: [[String]]) -> PropertyList {
    archive.add(.mutableArray, lists.map { names in archive.add(.mutableArray, names.map { archive.add($0) }) })
  }

  /// A name that begins with a point belongs to whatever module the model is compiled into.
  ///
  /// That is not known here, so the class is left open, as it is in stores that Core Data migrated.
  private static func className(of entity: EntityDescription) -> String? {
    entity.managedObjectClassName.flatMap { $0.hasPrefix(".") ? nil : $0 }
  }
}

extension FetchIndexDescription {
  /// The properties, if the index sorts by several and by nothing else.
  ///
  /// Such indexes are archived in their old form besides, for older systems.
  fileprivate var compoundNames: [String]? {
    let names = elements.filter { $0.collationType == .binary }.compactMap(\.propertyName)
    return names.count > 1 && names.count == elements.count ? names : nil
  }
}
