public import DataModel

extension MappingModel {
  /// Infers the mapping model between two versions of a model, as a lightweight migration needs it.
  ///
  /// Nothing but the two models decides; no store is looked at. Allowed are the changes that Core Data allows:
  /// entities, attributes and relationships may be removed, or renamed by their renaming identifiers; attributes may be
  /// added if they are optional or have a default value; what is optional may become required and the other way round;
  /// hierarchies may change as long as two of them do not become one; to-one relationships may become to-many ones;
  /// relationships may be ordered or no longer. Of the types, only whole numbers may become wider or `Double`, and
  /// `Float` may become `Double`.
  ///
  /// What only the instances can tell is left to the validation of the copy: whether something that becomes required is
  /// missing anywhere, and whether instances agree where they must be unique.
  ///
  /// What an inference would lose is told by `InferredMappingModel.findings`.
  ///
  /// - Throws: `InferenceError` with all reasons why a mapping model has to be written by hand.
  public static func inferred(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws(InferenceError) -> MappingModel {
    try InferredMappingModel(from: source, to: destination).mappingModel
  }
}
