internal import CTracksLibMD
internal import CoreDataExpressions

/// The SHA-256 fingerprint of an entity, as Core Data computes and stores it.
public struct VersionHash: Sendable, Hashable, CustomStringConvertible {
  /// Thirty-two bytes.
  public let bytes: [UInt8]

  /// Creates a hash from its bytes.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The hash in lowercase hexadecimal, as error messages and `info` print it.
  public var description: String { HexadecimalText.encode(bytes) }
}

// Core Data's version hashes. Integers are little-endian; strings are UTF-8 without length or terminator. Left out on
// purpose: default values, class names, user info, delete rules, validation, indexes, transformers and renaming
// identifiers. A change in any of those needs no migration.
extension EntityDescription {
  /// Computes the version hash of this entity from those of its properties, inherited ones included.
  package func computeVersionHash(_ properties: PropertyHashes, superentityHash: VersionHash?) -> VersionHash {
    var message = HashMessage()
    message.append(name)
    message.append(byte: isAbstract ? 1 : 0)
    if let superentityHash { message.append(superentityHash.bytes) }
    for hash in properties.sorted { message.append(hash) }
    if let versionHashModifier { message.append(versionHashModifier) }
    let constraints = uniquenessConstraints.map { $0.joined(separator: ".") }
    for constraint in constraints.sorted(by: { $0.precedesByBytes($1) }) { message.append(constraint) }
    return VersionHash(bytes: message.sha256)
  }
}

extension PropertyDescription {
  /// Hashes the part that attributes and relationships share.
  fileprivate var baseHash: [UInt8] {
    var message = HashMessage()
    message.append(name)
    message.append(Int16(isOptional ? 1 : 0) | Int16(isTransient ? 2 : 0))
    if let versionHashModifier { message.append(versionHashModifier) }
    return message.sha256
  }
}

extension AttributeDescription {
  /// The attribute's part of the version hash of its entity; `nil` if it is transient.
  package var storedHash: [UInt8]? { isTransient ? nil : hash }

  package var hash: [UInt8] {
    // An element of a composite is hashed under its own name, without the path to it.
    if compositeName != nil { return element.hash }
    var message = HashMessage()
    if let derivationExpression {
      // A derived attribute contributes only its expression and filter: no name, flags or type.
      message.append(derivationExpression)
      if let derivationFilterPredicate { message.append(derivationFilterPredicate) }
      return message.sha256
    }
    if type == .composite {
      // A composite contributes only its elements, sorted by name: neither its own name nor its flags.
      for element in elements.sorted(by: { $0.name.precedesByBytes($1.name) }) {
        if let hash = element.storedHash { message.append(hash) }
      }
      return message.sha256
    }
    message.append(baseHash)
    message.append(type.rawValue)
    if allowsExternalBinaryDataStorage { message.append(byte: 1) }
    if preservesValueInHistoryOnDeletion { message.append(byte: 1) }
    return message.sha256
  }
}

extension RelationshipDescription {
  /// Returns the relationship's part of the version hash of its entity; `nil` if it is transient.
  package func storedHash(declaredBy entityName: String) -> [UInt8]? {
    isTransient ? nil : hash(declaredBy: entityName)
  }

  private func hash(declaredBy entityName: String) -> [UInt8] {
    var message = HashMessage()
    message.append(baseHash)
    message.append(destinationEntityName)
    // Core Data leaves the inverse out where the relationship is its own inverse.
    let isOwnInverse = inverseName == name && destinationEntityName == entityName
    if let inverseName, !isOwnInverse { message.append(inverseName) }
    message.append(maxCount)
    message.append(minCount)
    if isOrdered { message.append(Int16(1)) }
    return message.sha256
  }
}

/// The bytes that are hashed.
package struct HashMessage {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package var sha256: [UInt8] { Digest.sha256(bytes) }

  package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  package mutating func append(_ hash: [UInt8]) { bytes.append(contentsOf: hash) }

  package mutating func append(byte: UInt8) { bytes.append(byte) }

  package mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

/// The hashes of the properties of an entity that enter its version hash.
///
/// Each property is hashed once, where it is declared, and handed down to subentities: a relationship that is its own
/// inverse keeps its hash there, because it is still the same relationship of the same entity.
package struct PropertyHashes {
  private var hashes: [String: [UInt8]] = [:]

  package init() {}

  package init(of entity: EntityDescription, inheriting inherited: PropertyHashes) {
    hashes = inherited.hashes
    for attribute in entity.ownDeclaredAttributes { hashes[attribute.name] = attribute.storedHash }
    for relationship in entity.ownRelationships {
      hashes[relationship.name] = relationship.storedHash(declaredBy: entity.name)
    }
  }

  /// The hash of a property; `nil` for one that does not enter the version hash.
  package subscript(name: String) -> [UInt8]? {
    get { hashes[name] }
    set { hashes[name] = newValue }
  }

  /// The hashes, sorted by the names of their properties.
  package var sorted: [[UInt8]] {
    hashes.sorted { $0.key.precedesByBytes($1.key) }.map(\.value)
  }
}

/// The SHA-2 digests that Core Data uses, computed by libmd.
package enum Digest {
  package static func sha256(_ message: [UInt8]) -> [UInt8] {
    sha256 { add in message.withUnsafeBytes { add($0) } }
  }

  /// Hashes a message that comes in pieces.
  package static func sha256<Failure: Error>(
    _ forEachPiece: ((UnsafeRawBufferPointer) -> Void) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var context = SHA2_CTX()
    var digest = [UInt8](repeating: 0, count: 32)
    SHA256Init(&context)
    try forEachPiece { SHA256Update(&context, $0.baseAddress, $0.count) }
    SHA256Final(&digest, &context)
    return digest
  }

  /// A UUID that follows from a digest, of version 8 (RFC 9562).
  package static func uuid(_ digest: [UInt8]) -> String {
    var bytes = Array(digest.prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
  }

  /// A SHA-256 of a message that comes bit by bit, from code that does other things in between.
  package struct SHA256 {
    private var context = SHA2_CTX()

    package init() { SHA256Init(&context) }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
      SHA256Update(&context, bytes.baseAddress, bytes.count)
    }

    /// Adds bytes after their length, so that no two lists add the same.
    package mutating func add(counted bytes: [UInt8]) {
      withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { add($0) }
      bytes.withUnsafeBytes { add($0) }
    }

    /// The digest of all that was added.
    package var digest: [UInt8] {
      var (context, digest) = (context, [UInt8](repeating: 0, count: 32))
      SHA256Final(&digest, &context)
      return digest
    }
  }

  static func sha512(_ message: [UInt8]) -> [UInt8] {
    var context = SHA2_CTX()
    var digest = [UInt8](repeating: 0, count: 64)
    SHA512Init(&context)
    SHA512Update(&context, message, message.count)
    SHA512Final(&digest, &context)
    return digest
  }
}

extension StringProtocol {
  /// Whether this text sorts before the other by the value of its UTF-8 bytes.
  ///
  /// Core Data sorts names this way (uppercase before `_` before lowercase); Swift's `<` compares normalised scalars.
  package func precedesByBytes(_ other: some StringProtocol) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension ManagedObjectModel {
  /// The version hash of each entity by its name; together, they identify the version of the model.
  public var entityVersionHashesByName: [String: VersionHash] {
    Dictionary(entities.map { ($0.name, $0.versionHash) }, uniquingKeysWith: { first, _ in first })
  }

  /// The digest that newer stores keep as `NSStoreModelVersionHashesDigest`.
  package var versionHashesDigest: [UInt8] {
    var message = HashMessage()
    for entity in entities {
      message.append(entity.name)
      message.append(entity.versionHash.bytes)
    }
    return Digest.sha512(message.bytes)
  }

  /// The checksum that newer stores and compiled models keep as `NSStoreModelVersionChecksumKey`.
  package var versionChecksum: [UInt8] {
    Digest.sha256(entities.flatMap(\.versionHash.bytes))
  }

  /// Returns whether a store with these version hashes can be opened with this model without migration.
  ///
  /// Compares as `isConfiguration(withName:compatibleWithStoreMetadata:)` does for the whole model:
  /// the same entities, each with the same hash.
  ///
  /// - Parameter hashes: The version hashes by entity name, from a store's metadata.
  public func isCompatible(withVersionHashes hashes: [String: VersionHash]) -> Bool {
    entityVersionHashesByName == hashes
  }
}
