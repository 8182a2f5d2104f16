/// One thing that is not the same in two models.
///
/// A change holds facts only; whoever shows it to people finds the words.
public struct ModelChange: Sendable, Hashable {
  /// What the change is about.
  public enum Subject: Sendable, Hashable {
    case model
    case configuration(String)
    case fetchRequest(String)
    case entity
    case attribute(String)
    case relationship(String)
    case fetchedProperty(String)
    case fetchIndex(String)
  }

  /// What happened to it.
  public enum Kind: Sendable, Hashable {
    case added
    case removed
    /// It has another name, and its renaming identifier tells the old one.
    case renamed(from: String)
    /// The values are as Xcode writes them; `nil` is the absence of a value.
    case changed(ModelAspect, from: String?, to: String?)
  }

  /// The entity as the new model calls it, or the old one where it is removed; `nil` for what is of the whole model.
  public let entityName: String?
  /// What the change is about.
  public let subject: Subject
  /// What happened.
  public let kind: Kind
  /// Whether the change by itself gives the entity another version hash, so that a store must be migrated.
  public let affectsVersionHash: Bool
  /// Whether the change only repeats that something else has another name.
  public let followsRenaming: Bool

  /// Creates a change.
  public init(
    entityName: String?, subject: Subject, kind: Kind, affectsVersionHash: Bool, followsRenaming: Bool = false
  ) {
    self.entityName = entityName
    self.subject = subject
    self.kind = kind
    self.affectsVersionHash = affectsVersionHash
    self.followsRenaming = followsRenaming
  }
}

extension ModelChange.Subject {
  /// The name of the property, index, configuration or fetch request.
  public var name: String? {
    switch self {
    case .model, .entity: nil
    case .configuration(let name), .fetchRequest(let name), .attribute(let name), .relationship(let name),
      .fetchedProperty(let name), .fetchIndex(let name):
      name
    }
  }
}
