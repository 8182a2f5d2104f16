import DataModel

/// What an entity says besides its properties.
enum EntityFacts {
  typealias Fact = (name: String, value: String)

  static func all(of entity: EntityDescription) -> [Fact] {
    var facts: [Fact] = [("version hash", entity.versionHash.description)]
    if let parent = entity.superentityName { facts.append(("parent", parent)) }
    if entity.isAbstract { facts.append(("abstract", "yes")) }
    if let name = entity.managedObjectClassName { facts.append(("class", name)) }
    if entity.renamingIdentifier != entity.name { facts.append(("renamed from", entity.renamingIdentifier)) }
    if let modifier = entity.versionHashModifier { facts.append(("version hash modifier", modifier)) }
    for constraint in entity.uniquenessConstraints { facts.append(("unique", constraint.joined(separator: ", "))) }
    for index in entity.fetchIndexes { facts.append(("index", text(of: index))) }
    for (key, value) in entity.userInfo.sorted(by: { $0.key < $1.key }) { facts.append(("note", "\(key)=\(value)")) }
    return facts
  }

  private static func text(of index: FetchIndexDescription) -> String {
    let elements = index.elements.map { element in
      let subject =
        switch element.subject {
        case .property(let name): name
        case .instance: "self"
        case .entity: "entity"
        case .expression(let text): text
        }
      return subject + (element.isAscending ? "" : " descending")
        + (element.collationType == .rTree ? " (R-tree)" : "")
    }
    let condition = index.partialIndexPredicate.map { " where \($0)" } ?? ""
    return "\(index.name) (\(elements.joined(separator: ", ")))\(condition)"
  }
}
