/// A fetch that a model describes: a template of the model, or what a fetched property asks for.
///
/// It affects neither store nor version hash; it is kept so that a model written again says the same.
public struct FetchRequestDescription: Sendable, Hashable {
  /// The name of the request.
  public var name: String
  /// The name of the entity to fetch.
  public var entityName: String
  /// The format of the predicate, if there is one.
  public var predicate: String?
  /// Limits, kinds of results and the like, as Xcode writes them.
  public var editorAttributes: [String: String]

  /// Creates a fetch request.
  public init(_ name: String, entityName: String, predicate: String? = nil, editorAttributes: [String: String] = [:]) {
    self.name = name
    self.entityName = entityName
    self.predicate = predicate
    self.editorAttributes = editorAttributes
  }
}
