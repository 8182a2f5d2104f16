internal import MigrationDiagnostics
internal import PersistentStore
internal import PropertyListFormat

/// The type of stores that are SQLite files.
public let NSSQLiteStoreType = "SQLite"
/// The key of a store's version hashes in its metadata.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The key of the model version identifiers in a store's metadata.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The key of a store's type in its metadata.
public let NSStoreTypeKey = "NSStoreType"
/// The key of a store's UUID in its metadata.
public let NSStoreUUIDKey = "NSStoreUUID"

/// Reads the metadata of a store; only migrations open stores.
open class NSPersistentStoreCoordinator: NSObject {
  /// The metadata of a store.
  ///
  /// - Throws: An `NSError` of `NSCocoaErrorDomain` if there is no readable store.
  open class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    do throws(MigrationError) {
      let reader = try StoreReader(path: url.exactPath)
      let metadata = reader.metadata
      try reader.close()
      var values = metadata.properties.foundationValue
      values[NSStoreUUIDKey] = metadata.uuid
      return values
    } catch {
      throw error.cocoaError
    }
  }
}

extension PropertyListDictionary {
  fileprivate var foundationValue: [String: Any] {
    Dictionary(pairs.map { ($0.key, $0.value.foundationValue) }, uniquingKeysWith: { first, _ in first })
  }
}

extension PropertyList {
  fileprivate var foundationValue: Any {
    switch self {
    case .null, .uid: NSNull()
    case .boolean(let boolean): NSNumber(value: boolean)
    case .integer(let integer): NSNumber(value: integer)
    case .wideInteger(let integer): NSDecimalNumber(string: "\(integer)")
    case .real(let real): NSNumber(value: real)
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): Data(bytes)
    case .string(let text): text
    case .array(let elements): elements.map(\.foundationValue)
    case .dictionary(let dictionary): dictionary.foundationValue
    }
  }
}
