internal import DataModel
package import Migration
package import Pictures

extension NamedModel {
  /// The entities of the model with their properties and relationships, to be drawn.
  package var diagram: Diagram { ModelDiagram(model, nil, title: name).diagram }
}

extension ModelDifference {
  /// Both models in one picture, with what was added, removed, changed and renamed.
  package func diagram(from old: NamedModel, to new: NamedModel) -> Diagram {
    ModelDiagram(new.model, (old.model, self), title: "\(old.name) → \(new.name)").diagram
  }
}

/// Entities as boxes, relationships and inheritance as arrows.
private struct ModelDiagram {
  private let model: ManagedObjectModel
  private let old: ManagedObjectModel?
  private let differences: [String: EntityDifference]
  private let removed: [EntityDifference]
  private let title: String

  init(_ model: ManagedObjectModel, _ change: (old: ManagedObjectModel, difference: ModelDifference)?, title: String) {
    (self.model, self.title, old) = (model, title, change?.old)
    let entities = change?.difference.entities ?? []
    differences = Dictionary(
      entities.compactMap { entity in entity.newName.map { ($0, entity) } }, uniquingKeysWith: { first, _ in first })
    removed = entities.filter { $0.newName == nil }
  }

  var diagram: Diagram {
    let gone = removed.compactMap { entity in entity.oldName.flatMap { old?.entity(named: $0) } }
    let boxes = model.entities.map(box) + gone.map { Diagram.Box($0.name, note: note($0, nil), fields($0), .removed) }
    let places = Dictionary(
      model.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let oldPlaces = Dictionary(
      gone.enumerated().map { ($1.name, model.entities.count + $0) }, uniquingKeysWith: { first, _ in first })
    let drawn =
      model.entities.flatMap { arrows($0, places, .none) }
      + gone.flatMap { arrows($0, oldPlaces.merging(places) { old, _ in old }, .removed) }
    return Diagram(.network, title, boxes, drawn)
  }

  private func box(_ entity: EntityDescription) -> Diagram.Box {
    guard let difference = differences[entity.name] else {
      return Diagram.Box(entity.name, note: note(entity, nil), fields(entity))
    }
    guard let oldName = difference.oldName else {
      return Diagram.Box(entity.name, note: note(entity, nil), fields(entity), .added)
    }
    var changes: [String: Diagram.Change] = [:]
    var notes: [String: String] = [:]
    var gone: [Diagram.Field] = []
    for change in difference.changes {
      guard let name = change.subject.propertyName else { continue }
      switch change.kind {
      case .added: changes[name] = .added
      case .removed:
        let fields = old?.entity(named: oldName).map(fields) ?? []
        gone += fields.filter { $0.name == name }.map {
          Diagram.Field($0.name, $0.type, link: $0.link, notes: $0.notes, .removed)
        }
      case .renamed(let oldName): (changes[name], notes[name]) = (.changed, "was \(oldName)")
      case .changed: changes[name] = changes[name] ?? .changed
      }
    }
    let fields = fields(entity).map { field in
      Diagram.Field(
        field.name, field.type, link: field.link, notes: field.notes + [notes[field.name]].compactMap(\.self),
        changes[field.name] ?? .none)
    }
    let isChanged = difference.changes.contains { $0.subject.propertyName == nil }
    return Diagram.Box(
      entity.name, note: note(entity, oldName == entity.name ? nil : oldName), fields + gone,
      isChanged || oldName != entity.name ? .changed : .none)
  }

  private func note(_ entity: EntityDescription, _ oldName: String?) -> String? {
    let notes = [
      oldName.map { "was \($0)" }, entity.isAbstract ? "abstract" : nil,
      entity.superentityName.map { "a kind of \($0)" },
    ].compactMap(\.self)
    return notes.isEmpty ? nil : notes.joined(separator: ", ")
  }

  private func fields(_ entity: EntityDescription) -> [Diagram.Field] {
    entity.ownAttributes.map { attribute in
      Diagram.Field(attribute.name, attribute.type.xmlName, notes: attribute.isOptional ? [] : ["required"])
    }
      + entity.ownRelationships.map { relationship in
        Diagram.Field(
          relationship.name, relationship.destinationEntityName, link: relationship.isToMany ? .many : .one)
      }
  }

  /// One arrow for a relationship and its inverse, and one to the parent.
  private func arrows(
    _ entity: EntityDescription, _ places: [String: Int], _ change: Diagram.Change
  ) -> [Diagram.Arrow] {
    guard let from = places[entity.name] else { return [] }
    let parent = entity.superentityName.flatMap { places[$0] }.map {
      Diagram.Arrow(from, $0, ["a kind of"], ends: (.none, .parent), change)
    }
    let relationships = entity.ownRelationships.compactMap { relationship -> Diagram.Arrow? in
      guard let to = places[relationship.destinationEntityName] else { return nil }
      let inverse = inverse(of: relationship)
      if let inverse {
        // The other side draws it.
        guard (entity.name, relationship.name) <= (relationship.destinationEntityName, inverse.name) else { return nil }
      }
      return Diagram.Arrow(
        from, to, [relationship.name] + (inverse.map { [$0.name] } ?? []),
        ends: (inverse.map { $0.isToMany ? .many : .one } ?? .none, relationship.isToMany ? .many : .one),
        change)
    }
    return [parent].compactMap(\.self) + relationships
  }

  private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    let destination =
      model.entity(named: relationship.destinationEntityName) ?? old?.entity(named: relationship.destinationEntityName)
    return relationship.inverseName.flatMap { name in
      destination?.ownRelationships.first { $0.name == name }
    }
  }
}

extension ModelChange.Subject {
  /// The property, if it is about one.
  fileprivate var propertyName: String? {
    switch self {
    case .attribute(let name), .relationship(let name), .fetchedProperty(let name): name
    case .model, .configuration, .fetchRequest, .entity, .fetchIndex: nil
    }
  }
}

extension Diagram {
  /// The versions that a migration goes through, and how each hop is made.
  package init(_ plan: MigrationPlan, of name: String) {
    let versions = [plan.source] + plan.steps.map(\.destination)
    let boxes = versions.enumerated().map { place, version in
      Diagram.Box(version.name, note: place == 0 ? "what \(name) has" : place == versions.count - 1 ? "wanted" : nil)
    }
    let arrows = plan.steps.enumerated().map { place, step in
      let strategy = plan.strategies.indices.contains(place) ? ["\(plan.strategies[place])"] : []
      let removals = plan.removals.filter { $0.sourceVersion == step.source.name }.map {
        "loses \($0.count) of '\($0.entity)'"
      }
      let remarks = step.remarks
      return Diagram.Arrow(
        place, place + 1,
        [step.method.summary] + strategy + remarks.prefix(4)
          + (remarks.count > 4 ? ["and \(remarks.count - 4) more remarks"] : []) + removals)
    }
    self.init(.chain, "From '\(plan.source.name)' to '\(plan.destination.name)'", boxes, arrows)
  }
}
