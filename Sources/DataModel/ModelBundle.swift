internal import Foundation

/// The versions of a model as Xcode keeps them, in an `.xcdatamodeld`; a single `.xcdatamodel` counts as one version.
///
/// The order of versions is not recorded anywhere; they are sorted by name, with numbers counted as numbers.
public struct ModelBundle: Sendable, Hashable {
  /// The path of the bundle.
  public let path: String
  /// The versions.
  public let versions: [ModelVersion]

  /// Lists the versions of a bundle, without reading any.
  ///
  /// - Parameter path: An `.xcdatamodeld` or an `.xcdatamodel`.
  /// - Throws: `ModelFileError` where there are no versions.
  public init(path: String) throws(ModelFileError) {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.path = path
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw ModelFileError(.notFound, file: path)
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if isDirectory.boolValue, let version = Self.versionName(name) {
      versions = [ModelVersion(name: version, path: path)]
      return
    }
    guard isDirectory.boolValue, name.hasSuffix(".xcdatamodeld") else { throw ModelFileError(.notABundle, file: path) }
    versions = try ModelFiles.list(path).compactMap { entry in
      Self.versionName(entry).map { ModelVersion(name: $0, path: "\(path)/\(entry)") }
    }
    .sorted(by: Self.precedes)
    guard !versions.isEmpty else { throw ModelFileError(.noVersions, file: path) }
  }

  /// The version of this name, with or without `.xcdatamodel`.
  ///
  /// - Throws: `ModelFileError` that lists the versions there are.
  public func version(named name: String) throws(ModelFileError) -> ModelVersion {
    let wanted = Self.versionName(name) ?? name
    guard let version = versions.first(where: { $0.name == wanted }) else {
      throw ModelFileError(.unknownVersion(wanted, versions: versions.map(\.name)), file: path)
    }
    return version
  }

  /// The version that the bundle's `.xccurrentversion` names; an only version needs none.
  ///
  /// - Throws: `ModelFileError` where the file is missing or names no version.
  public func currentVersion() throws(ModelFileError) -> ModelVersion {
    let file = "\(path)/.xccurrentversion"
    guard FileManager.default.fileExists(atPath: file) else {
      if let only = versions.first, versions.count == 1 { return only }
      throw ModelFileError(.currentVersionUnset(versions: versions.map(\.name)), file: path)
    }
    let content = try? PropertyListSerialization.propertyList(from: Data(ModelFiles.read(file)), format: nil)
    guard let name = (content as? [String: Any])?["_XCCurrentVersionName"] as? String else {
      throw ModelFileError(.currentVersionUnreadable, file: file)
    }
    return try version(named: name)
  }

  /// `Model 10` follows `Model 9`.
  private static func precedes(_ left: ModelVersion, _ right: ModelVersion) -> Bool {
    switch left.name.compare(right.name, options: .numeric) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: left.name.precedesByBytes(right.name)
    }
  }

  private static func versionName(_ entry: String) -> String? {
    let suffix = ".xcdatamodel"
    return entry.hasSuffix(suffix) && entry.count > suffix.count ? String(entry.dropLast(suffix.count)) : nil
  }
}
