/// An object that expressions can ask for values by name: a row, a managed object, a migration manager.
///
/// Two objects are equal when they are the same instance, as managed objects are.
public protocol KeyValueObject: AnyObject {
  /// The value of an attribute, a relationship or another property.
  ///
  /// - Throws: Any error if there is no such key; evaluation passes it on as it is.
  func value(forKey key: String) throws -> ExpressionValue
}
