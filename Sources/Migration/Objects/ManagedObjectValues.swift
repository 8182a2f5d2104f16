public import DataModel
internal import Diagnostics
public import Expressions

/// An instance as expressions see it.
package final class ManagedObjectValues: KeyValueObject {
  package let instance: ManagedObject

  package init(_ instance: ManagedObject) {
    self.instance = instance
  }

  /// Objects are equal only to themselves, while every access makes another view of them.
  package var identity: ObjectIdentifier { ObjectIdentifier(instance) }

  package func value(forKey key: String) throws -> ExpressionValue {
    let layout = instance.layout
    if layout.attributeIndex(key) != nil { return ExpressionValue(instance.value(forKey: key)) }
    guard let relationship = layout.relationship(key)?.description else {
      if key == "objectID" { return .object(self) }
      throw MigrationError(
        .invalidMappingModel, MigrationError.Subject(entity: layout.entity.name, property: key),
        detail: "an expression asks for it, but the entity has no such property")
    }
    let objects = instance.instances(forKey: key).map { ExpressionValue.object(ManagedObjectValues($0)) }
    if !relationship.isToMany { return objects.first ?? .null }
    return .collection(relationship.isOrdered ? .orderedSet : .set, objects)
  }
}

extension ExpressionValue {
  /// The value of an attribute in an expression.
  init(_ value: AttributeValue?) {
    self =
      switch value {
      case nil: .null
      case .integer(let integer): .integer(integer)
      case .double(let double): .real(double)
      case .string(let text): .string(text)
      case .boolean(let boolean): .boolean(boolean)
      case .date(let seconds): .date(seconds)
      case .data(let bytes): .data(bytes)
      case .uuid(let bytes): UUIDValue(bytes: bytes).map { .uuid($0) } ?? .data(bytes)
      case .uri(let text): .url(text)
      }
  }

  /// The value that an attribute takes from an expression.
  ///
  /// - Throws: `MigrationError` where the expression gave an instance or a collection, which no attribute holds.
  public var attributeValue: AttributeValue? {
    get throws {
      switch self {
      case .null: return nil
      case .boolean(let boolean): return .boolean(boolean)
      case .integer(let integer): return .integer(integer)
      case .real(let real): return .double(real)
      case .string(let text), .decimal(let text): return .string(text)
      case .date(let seconds): return .date(seconds)
      case .data(let bytes): return .data(bytes)
      case .uuid(let uuid): return .uuid(uuid.bytes)
      case .url(let text): return .uri(text)
      case .object, .collection, .dictionary:
        throw MigrationError(.invalidMappingModel, detail: "an attribute is given \(kindName)")
      }
    }
  }
}
