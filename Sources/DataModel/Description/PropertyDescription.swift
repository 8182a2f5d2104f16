/// What attributes and relationships have in common.
public protocol PropertyDescription: Sendable {
  /// The property's name.
  var name: String { get }
  /// Whether the property may be without a value.
  var isOptional: Bool { get }
  /// Whether the property is never stored.
  ///
  /// Transient properties have no column and do not enter the version hash.
  var isTransient: Bool { get }
  /// The name that this property had in an earlier model, where it was renamed; otherwise its name.
  var renamingIdentifier: String { get }
  /// Text that changes the version hash where nothing else does.
  var versionHashModifier: String? { get }
  /// Free notes that the model's author attached.
  ///
  /// They do not enter the version hash.
  var userInfo: [String: String] { get }
}
