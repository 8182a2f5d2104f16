public import DataModel
public import PersistentStore

/// A model with the name under which people know it.
public struct NamedModel: Sendable {
  /// The model.
  public let model: ManagedObjectModel
  /// The path, with the version where the path alone does not tell it.
  public let name: String
  /// The name of the version in its bundle.
  public let versionName: String?
  /// How closely the model can be compared with others.
  public let precision: ModelDifference.Precision
  /// What the store says about itself, when the model comes from a store.
  public let metadata: StoreMetadata?

  /// Creates a model with a name.
  public init(
    model: ManagedObjectModel, name: String, versionName: String? = nil, precision: ModelDifference.Precision,
    metadata: StoreMetadata? = nil
  ) {
    self.model = model
    self.name = name
    self.versionName = versionName
    self.precision = precision
    self.metadata = metadata
  }

  /// How the model differs from another one.
  public func difference(from old: NamedModel) -> ModelDifference {
    ModelDifference(
      from: old.model, to: model,
      precision: precision == .compiled || old.precision == .compiled ? .compiled : .source)
  }
}
