/// Why a model is not usable.
///
/// The raw facts; the sentences are in `description`.
public enum ModelError: Error, Sendable, Hashable {
  case duplicateEntity(String)
  case namelessEntity
  case namelessProperty(entity: String)
  case duplicateProperty(entity: String, property: String)
  case unknownSuperentity(entity: String, superentity: String)
  case inheritanceCycle(entity: String)
  /// Deep inheritance multiplies properties until they no longer fit in memory.
  case tooManyInheritedProperties(limit: Int)
  case typeMissing(entity: String, attribute: String)
  case unknownDestination(entity: String, relationship: String, destination: String)
  case unknownInverse(entity: String, relationship: String, inverse: String)
  case unknownConstraintProperty(entity: String, property: String)
  case unknownIndexProperty(entity: String, index: String, property: String)
}
