internal import Foundation
internal import PropertyList

/// What the `VersionInfo.plist` of a compiled bundle says about its versions, so that none of them need be read.
public struct ModelVersionInfo: Sendable, Hashable {
  /// The name of the current version, without `.mom`.
  public let currentVersionName: String?
  /// The version hashes of the entities of each version.
  public let versionHashes: [String: [String: VersionHash]]
  /// The checksum of each version, see ``ManagedObjectModel/versionChecksum``; only newer versions of Xcode write them.
  public let versionChecksums: [String: [UInt8]]

  /// Reads a `VersionInfo.plist`.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - file: How errors name the file.
  /// - Throws: `ModelFileError` where the file is damaged.
  public init(contentsOf bytes: [UInt8], file: String = "VersionInfo.plist") throws(ModelFileError) {
    guard let info = try? PropertyList(contentsOf: bytes), info.dictionary != nil,
      let hashes = Self.hashes(info["NSManagedObjectModel_VersionHashes"]),
      let checksums = Self.checksums(info["NSManagedObjectModel_VersionChecksums"])
    else { throw ModelFileError(.versionInfoUnreadable, file: file) }
    currentVersionName = info["NSManagedObjectModel_CurrentVersionName"]?.string
    versionHashes = hashes
    versionChecksums = checksums
  }

  private static func hashes(_ value: PropertyList?) -> [String: [String: VersionHash]]? {
    dictionary(value) { version in dictionary(version) { $0.data.map { VersionHash(bytes: $0) } } }
  }

  private static func checksums(_ value: PropertyList?) -> [String: [UInt8]]? {
    dictionary(value) { $0.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) } }
  }

  /// A dictionary whose values all are of one kind; without a value it is empty, with others there is none.
  private static func dictionary<Value>(
    _ value: PropertyList?, _ convert: (PropertyList) -> Value?
  ) -> [String: Value]? {
    guard let value else { return [:] }
    guard let pairs = value.dictionary?.pairs else { return nil }
    let converted = pairs.compactMap { pair in convert(pair.value).map { (pair.key, $0) } }
    guard converted.count == pairs.count else { return nil }
    return Dictionary(converted, uniquingKeysWith: { first, _ in first })
  }
}
