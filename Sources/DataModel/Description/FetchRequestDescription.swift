/// A fetch that a model describes: a template of the model, or what a fetched property asks for.
///
/// It affects neither store nor version hash; it is kept so that a model written again says the same.
package struct FetchRequestDescription: Sendable, Hashable {
  /// The name of the request.
  package var name: String
  /// The name of the entity to fetch.
  package var entityName: String
  /// The format of the predicate, if there is one.
  package var predicate: String?
  /// Limits, kinds of results and the like, as Xcode writes them.
  package var editorAttributes: [String: String]

  /// Creates a fetch request.
  package init(_ name: String, entityName: String, predicate: String? = nil, editorAttributes: [String: String] = [:]) {
    self.name = name
    self.entityName = entityName
    self.predicate = predicate
    self.editorAttributes = editorAttributes
  }
}

/// A property whose values are fetched when they are asked for.
///
/// It has no column and does not enter the version hash.
package struct FetchedPropertyDescription: PropertyDescription, Hashable {
  /// The name of the property.
  package var name: String
  /// What is fetched.
  package var fetchRequest: FetchRequestDescription
  /// Whether the property may be without a value.
  package var isOptional: Bool
  /// Fetched properties never are stored.
  package var isTransient: Bool { true }
  /// The name in an earlier model, where it was changed; otherwise the name.
  package var renamingIdentifier: String
  /// Text that changes the version hash where nothing else does.
  package var versionHashModifier: String?
  /// The notes of the model's author.
  ///
  /// They do not enter the version hash.
  package var userInfo: [String: String]
  /// What Xcode wrote besides, such as code generation settings.
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
