public import DataModel

/// A mapping model that was inferred from two versions of a model, and what their author should know of it.
public struct InferredMappingModel: Sendable, Hashable {
  /// The mapping model.
  ///
  /// Its entity mappings are called `IEM_Copy_X` where entity `X` did not change, `IEM_Transform_X`, `IEM_Add_X` and
  /// `IEM_Remove_X`, with the name that the destination has for the entity, except for `IEM_Remove_X`. First come the
  /// entities of the destination, in the order of their names, then those that are removed. An abstract entity has no
  /// instances and therefore no entity mapping; one that is no longer abstract counts as new.
  ///
  /// Each lists all stored attributes and relationships of its destination, inherited ones included, in the order of
  /// their names. Derived attributes are listed only where they are derived as before: then their values are carried
  /// over.
  public let mappingModel: MappingModel
  /// What the migration drops, and where it may fail or the models may not say what their author meant.
  ///
  /// Sorted by entity and property. What subentities inherit is told once, of the entity that hands it down, unless
  /// that is abstract.
  public let findings: [InferenceFinding]

  /// Infers a mapping model.
  ///
  /// - Throws: `InferenceError` with all reasons why a mapping model has to be written by hand.
  public init(from source: ManagedObjectModel, to destination: ManagedObjectModel) throws(InferenceError) {
    var inference = MappingInference(from: source, to: destination)
    mappingModel = try inference.mappingModel()
    findings = inference.sortedFindings
  }
}
