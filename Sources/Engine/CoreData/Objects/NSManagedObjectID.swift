internal import Migration

/// The identity of an instance.
open class NSManagedObjectID: NSObject, NSFetchRequestResult {
  let id: ManagedObjectID?
  /// The entity.
  public let entity: NSEntityDescription

  init(_ id: ManagedObjectID?, _ entity: NSEntityDescription) {
    self.id = id
    self.entity = entity
  }

  /// Whether the instance has no row in a store yet; destination instances get theirs at once.
  open var isTemporaryID: Bool { id == nil }

  /// The identity as a URL, without the UUID of the store.
  open func uriRepresentation() -> URL {
    let components = ["", content, id.map { "p\($0.primaryKey)" } ?? "t"]
    var url = URLComponents()
    url.scheme = "x-coredata"
    url.host = ""
    url.path = components.joined(separator: "/")
    return url.url ?? URL(filePath: "/")
  }

  private var content: String { entity.content.name }

  /// Whether both identify the same instance.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectID else { return false }
    return self === other || id != nil && id == other.id
  }

  /// A number that equal identities share.
  open override var hash: Int { id.map(\.hashValue) ?? ObjectIdentifier(self).hashValue }

  /// The identity as a URL.
  open override var description: String { uriRepresentation().absoluteString }
}
