/// A fetch request in a model: a template, or the request of a fetched property.
///
/// It affects neither store nor version hash; it is kept so that writing the model again gives the same content.
package struct FetchRequestDescription: Sendable, Hashable {
  /// The name of the request.
  package var name: String
  /// The name of the entity to fetch.
  package var entityName: String
  /// The format of the predicate, if there is one.
  package var predicate: String?
  /// Limits, result types and similar settings, as Xcode writes them.
  package var editorAttributes: [String: String]

  /// Creates a fetch request.
  package init(_ name: String, entityName: String, predicate: String? = nil, editorAttributes: [String: String] = [:]) {
    self.name = name
    self.entityName = entityName
    self.predicate = predicate
    self.editorAttributes = editorAttributes
  }
}

/// A property whose values are fetched on demand.
///
/// It has no column and does not affect the version hash.
package struct FetchedPropertyDescription: PropertyDescription, Hashable {
  /// The name of the property.
  package var name: String
  /// The fetch request.
  package var fetchRequest: FetchRequestDescription
  /// Whether the property may have no value.
  package var isOptional: Bool
  /// Fetched properties are never stored.
  package var isTransient: Bool { true }
  /// The name in an earlier model if it was changed; otherwise the name.
  package var renamingIdentifier: String
  /// Text that changes the version hash even if nothing else changes.
  package var versionHashModifier: String?
  /// The information that the model's author added.
  ///
  /// It does not affect the version hash.
  package var userInfo: [String: String]
  /// Other attributes that Xcode wrote, such as code generation settings.
  package var editorAttributes: [String: String] = [:]

  /// Creates a fetched property.
  package init(
    _ name: String,
    fetchRequest: FetchRequestDescription,
    isOptional: Bool = true,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.fetchRequest = fetchRequest
    self.isOptional = isOptional
    self.renamingIdentifier = renamingIdentifier ?? name
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }
}
