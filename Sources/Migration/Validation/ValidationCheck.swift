internal import Expressions

/// One rule for the rows `d` of an entity, as a condition that holds for those which break it.
struct ValidationCheck {
  let property: String
  let kind: ValidationFailure.Kind
  let condition: SQLFragment
  /// A cheaper condition that holds for the same rows, where values are small enough to be read.
  var quickCondition: SQLFragment?
}
