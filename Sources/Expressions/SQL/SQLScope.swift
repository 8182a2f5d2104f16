/// What names mean at some place of a predicate.
struct SQLScope {
  /// SELF.
  let row: SQLRow
  /// The variables of the SUBQUERY expressions around.
  var variables: [String: SQLRow] = [:]
}
