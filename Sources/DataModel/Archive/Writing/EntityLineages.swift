/// The entities of a model in an order in which parents come before their children.
struct EntityLineages {
  let parentsFirst: [EntityDescription]

  init(_ model: ManagedObjectModel) {
    let byName = model.entitiesByName
    var ordered: [EntityDescription] = []
    // The last of the list comes next, so both lists are reversed to keep the order of names.
    var waiting = Array(model.entities.filter { $0.superentityName == nil }.reversed())
    while let entity = waiting.popLast() {
      ordered.append(entity)
      waiting += entity.subentityNames.reversed().compactMap { byName[$0] }
    }
    parentsFirst = ordered
  }
}
