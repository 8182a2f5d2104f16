import CoreDataExpressions

/// An object with some values.
///
/// Any other key is an error.
final class TestObject: KeyValueObject {
  var values: [String: ExpressionValue]

  init(_ values: [String: ExpressionValue] = [:]) {
    self.values = values
  }

  func value(forKey key: String) throws -> ExpressionValue {
    guard let value = values[key] else { throw UnknownKey(key: key) }
    return value
  }

  func isDecimal(forKey key: String) -> Bool { key == "cost" }

  struct UnknownKey: Error, Equatable {
    let key: String
  }
}
