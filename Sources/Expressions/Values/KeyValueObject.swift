/// An object that expressions can ask for values by name: a row, a managed object, a migration manager.
///
/// Two objects are equal when they have the same identity, as managed objects do.
public protocol KeyValueObject: AnyObject {
  /// What tells this object from all others: by default itself.
  ///
  /// An object that only stands for another has that one's identity.
  var identity: ObjectIdentifier { get }

  /// The value of an attribute, a relationship or another property.
  ///
  /// - Throws: Any error if there is no such key; evaluation passes it on as it is.
  func value(forKey key: String) throws -> ExpressionValue
}

extension KeyValueObject {
  /// The object itself.
  public var identity: ObjectIdentifier { ObjectIdentifier(self) }
}
