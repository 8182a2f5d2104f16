/// Tells how a store keeps the properties of its entities.
public protocol SQLNaming {
  /// How a property is kept, or `nil` if the entity has none of that name.
  func property(_ key: String, of entity: String) -> SQLProperty?

  /// The name under which the store is attached to the connection; without one, its tables are called by their plain
  /// names.
  ///
  /// It is what tells the store's tables from those of the same names in another.
  var databaseName: String? { get }
  /// Whether the store keeps its text as UTF-8, so that SQLite, which compares bytes, gives it the order of its Unicode
  /// scalars.
  var keepsTextAsUTF8: Bool { get }
}

extension SQLNaming {
  /// No name: the store is the connection's own.
  public var databaseName: String? { nil }

  /// UTF-8, as Core Data writes it.
  public var keepsTextAsUTF8: Bool { true }
}
