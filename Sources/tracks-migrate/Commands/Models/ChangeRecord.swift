import CommandLineKit
import DataModel

/// One change as a row of a table.
struct ChangeRecord {
  /// The columns for a format.
  static func columns(for format: OutputFormat) -> [String] {
    ["entity", "kind", "name", "change", "from", "to", format.isForMachines ? "version_hash" : "version hash"]
  }

  private var entity: String?
  private var kind: String
  private var name: String?
  private var change: String
  private var changeText: String
  private var from: String?
  private var to: String?
  private var hash: String

  /// The rows of a difference.
  ///
  /// - Parameters:
  ///   - difference: The difference.
  ///   - old: The old model, which knows what was removed.
  ///   - new: The new model, which knows what was added.
  static func all(
    _ difference: ModelDifference, from old: ManagedObjectModel, to new: ManagedObjectModel
  ) -> [ChangeRecord] {
    difference.modelChanges.map { ChangeRecord($0, old, new) }
      + difference.entities.flatMap { entity in
        entity.changes.map { change in
          // An entity that was renamed is known to the old model by its old name.
          ChangeRecord(change, old, new, oldEntityName: entity.oldName)
        } + (entity.isInherited ? [ChangeRecord(inheritedBy: entity.name)] : [])
      }
  }

  init(
    _ change: ModelChange, _ old: ManagedObjectModel?, _ new: ManagedObjectModel?, oldEntityName: String? = nil
  ) {
    entity = change.entityName
    kind = ChangeWording.kind(change.subject)
    name = change.subject.name
    self.change = ChangeWording.name(change.kind)
    changeText = ChangeWording.text(change.kind)
    hash = change.affectsVersionHash ? "changes" : "same"
    switch change.kind {
    case .added: to = new.flatMap { Self.summary(change.subject, change.entityName, in: $0) }
    case .removed: from = old.flatMap { Self.summary(change.subject, oldEntityName ?? change.entityName, in: $0) }
    case .renamed(let name): (from, to) = (name, change.subject.name ?? change.entityName)
    case .changed(_, let before, let after): (from, to) = (before, after)
    }
    if change.followsRenaming { changeText += " (renamed)" }
  }

  /// An entity whose version hash differs only because an ancestor changed.
  init(inheritedBy entity: String) {
    self.entity = entity
    kind = "entity"
    change = "inherited"
    changeText = "inherits from a changed entity"
    hash = "changes"
  }

  /// The values for a format; programs get stable names instead of words.
  func values(for format: OutputFormat) -> [FieldValue] {
    [
      FieldValue(entity), .string(kind), FieldValue(name), .string(format.isForMachines ? change : changeText),
      FieldValue(from), FieldValue(to), .string(hash),
    ]
  }

  var object: JSONObject {
    JSONObject { object in
      for (column, value) in zip(Self.columns(for: .json), values(for: .json)) { object.add(column, value) }
    }
  }

  /// What a property is, in short.
  private static func summary(
    _ subject: ModelChange.Subject, _ entityName: String?, in model: ManagedObjectModel
  ) -> String? {
    guard let entity = entityName.flatMap({ model.entity(named: $0) }) else { return nil }
    guard let name = subject.name else {
      return ChangeWording.count(entity.attributes.count + entity.relationships.count, "property", "properties")
    }
    let record: PropertyRecord? =
      switch subject {
      case .attribute:
        entity.ownAttributes.first { $0.name == name }.map { PropertyRecord($0, of: entity.name) }
      case .relationship:
        entity.ownRelationships.first { $0.name == name }.map { PropertyRecord($0, of: entity.name) }
      case .fetchedProperty:
        entity.ownFetchedProperties.first { $0.name == name }.map { PropertyRecord($0, of: entity.name) }
      default: nil
      }
    guard let record else { return nil }
    let words = [record.type, record.isOptional == false ? "required" : nil] + record.details
    return words.compactMap(\.self).joined(separator: ", ")
  }
}
