internal import Foundation
internal import PropertyList

/// The versions of a model: an `.xcdatamodeld` of Xcode, or the `.momd` that is compiled from it for an app.
///
/// A single `.xcdatamodel` or `.mom` counts as one version. The order of versions is not recorded anywhere; they are
/// sorted by name, with numbers counted as numbers.
public struct ModelBundle: Sendable, Hashable {
  /// The path of the bundle.
  public let path: String
  /// The versions.
  public let versions: [ModelVersion]
  private let format: ModelFormat

  /// Whether the versions are compiled.
  public var isCompiled: Bool { format == .compiled }

  /// Lists the versions of a bundle, without reading any.
  ///
  /// - Parameter path: An `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
  /// - Throws: `ModelFileError` where there are no versions.
  public init(path: String) throws(ModelFileError) {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.path = path
    guard let isDirectory = ModelFiles.isDirectory(path) else { throw ModelFileError(.notFound, file: path) }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let format = ModelFormat(name, isDirectory: isDirectory) else {
      throw ModelFileError(.notABundle, file: path)
    }
    self.format = format
    if let version = format.versionName(name) {
      versions = [ModelVersion(name: version, path: path)]
      return
    }
    versions = try ModelFiles.list(path).compactMap { entry in
      format.versionName(entry).map { ModelVersion(name: $0, path: "\(path)/\(entry)") }
    }
    .sorted(by: Self.precedes)
    guard !versions.isEmpty else { throw ModelFileError(.noVersions, file: path) }
  }

  /// The version of this name, with or without `.xcdatamodel` or `.mom`.
  ///
  /// - Throws: `ModelFileError` that lists the versions there are.
  public func version(named name: String) throws(ModelFileError) -> ModelVersion {
    let wanted = format.versionName(name) ?? name
    guard let version = versions.first(where: { $0.name == wanted }) else {
      throw ModelFileError(.unknownVersion(wanted, versions: versions.map(\.name)), file: path)
    }
    return version
  }

  /// The version that the bundle's `.xccurrentversion` or `VersionInfo.plist` names; an only version needs none.
  ///
  /// - Throws: `ModelFileError` where the file is missing or names no version.
  public func currentVersion() throws(ModelFileError) -> ModelVersion {
    if let name = try currentVersionName() { return try version(named: name) }
    if let only = versions.first, versions.count == 1 { return only }
    throw ModelFileError(.currentVersionUnset(versions: versions.map(\.name)), file: path)
  }

  /// Reads all versions; what cannot be read does not keep the others from being of use.
  ///
  /// - Returns: The models in the order of the versions, and why there are none of the others.
  public func readVersions() -> (
    models: [(version: ModelVersion, model: ManagedObjectModel)],
    unreadable: [(version: ModelVersion, error: ModelFileError)]
  ) {
    var models: [(version: ModelVersion, model: ManagedObjectModel)] = []
    var unreadable: [(version: ModelVersion, error: ModelFileError)] = []
    for version in versions {
      do {
        models.append((version, try version.model()))
      } catch {
        unreadable.append((version, error))
      }
    }
    return (models, unreadable)
  }

  /// What a compiled bundle says about its versions in its `VersionInfo.plist`; other bundles say nothing.
  ///
  /// - Throws: `ModelFileError` where the file is damaged.
  public func versionInfo() throws(ModelFileError) -> ModelVersionInfo? {
    guard isCompiled, let file = infoFile else { return nil }
    return try ModelVersionInfo(contentsOf: ModelFiles.read(file), file: file)
  }

  private func currentVersionName() throws(ModelFileError) -> String? {
    guard !isCompiled else { return try versionInfo()?.currentVersionName }
    guard let file = infoFile else { return nil }
    let content = try? PropertyList(contentsOf: ModelFiles.read(file))
    guard let name = content?["_XCCurrentVersionName"]?.string else {
      throw ModelFileError(.currentVersionUnreadable, file: file)
    }
    return name
  }

  /// The file that says which version is current, if there is one.
  private var infoFile: String? {
    let file = "\(path)/\(format.infoName)"
    return ModelFiles.exists(file) ? file : nil
  }

  /// `Model 10` follows `Model 9`.
  private static func precedes(_ left: ModelVersion, _ right: ModelVersion) -> Bool {
    switch left.name.compare(right.name, options: .numeric) {
    case .orderedAscending: true
    case .orderedDescending: false
    case .orderedSame: left.name.precedesByBytes(right.name)
    }
  }
}
