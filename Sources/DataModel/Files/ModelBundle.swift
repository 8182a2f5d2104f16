internal import Foundation
internal import PropertyListFormat
internal import SystemC
internal import XMLStream

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
  package func versionInfo() throws(ModelFileError) -> ModelVersionInfo? {
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

/// Reads the files of models, none of them larger than a model can be.
package enum ModelFiles {
  /// Compiled models grow a little with every copy of an inherited property; those of Apple's own apps have about one
  /// megabyte.
  package static let archiveSizeLimit = 64 << 20

  package static func read(_ path: String, limit: Int = XMLStreamLimits.size) throws(ModelFileError) -> [UInt8] {
    // Bundles may well be folders of links, as some build systems make them.
    let descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    guard descriptor >= 0 else { throw ModelFileError(.unreadable(openingFailure(errno)), file: path) }
    let data: Data?
    do {
      data = try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).read(upToCount: limit + 1)
    } catch {
      throw ModelFileError(.unreadable((error as NSError).localizedDescription), file: path)
    }
    let bytes = Array(data ?? Data())
    guard bytes.count <= limit else { throw ModelFileError(.tooLarge(limit: limit), file: path) }
    return bytes
  }

  /// The names in a directory.
  static func list(_ path: String) throws(ModelFileError) -> [String] {
    guard let names = names(inFolder: path) else { throw failure(path) }
    return names
  }

  /// Whether there is something at a path.
  package static func exists(_ path: String) -> Bool { isDirectory(path) != nil }

  /// Whether a path leads to a directory; `nil` when it leads nowhere.
  package static func isDirectory(_ path: String) -> Bool? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFDIR : nil
  }

  private static func failure(_ path: String) -> ModelFileError {
    ModelFileError(.unreadable(String(cString: strerror(errno))), file: path)
  }
}

/// Whether models are as Xcode edits them or as it compiles them, and the names of files that go with it.
private enum ModelFormat: Sendable, Hashable {
  case source
  case compiled

  /// The format of a bundle or a version, by its name; nothing for other files.
  init?(_ name: String, isDirectory: Bool) {
    if isDirectory, name.hasSuffix(".xcdatamodeld") || Self.source.versionName(name) != nil {
      self = .source
    } else if isDirectory ? name.hasSuffix(".momd") : Self.compiled.versionName(name) != nil {
      self = .compiled
    } else {
      return nil
    }
  }

  /// The name of a version without the ending of its file; nothing for other files.
  func versionName(_ entry: String) -> String? {
    let suffix = self == .source ? ".xcdatamodel" : ".mom"
    return entry.hasSuffix(suffix) && entry.count > suffix.count ? String(entry.dropLast(suffix.count)) : nil
  }

  /// The file of a bundle that says which version is current.
  var infoName: String { self == .source ? ".xccurrentversion" : "VersionInfo.plist" }
}

/// One version in a bundle of models.
///
/// It is read when it is asked for.
public struct ModelVersion: Sendable, Hashable {
  /// The name without `.xcdatamodel` or `.mom`; source and compiled versions have the same.
  public let name: String
  /// The path of the `.xcdatamodel` or `.mom`.
  public let path: String

  /// Reads the model.
  ///
  /// - Throws: `ModelFileError` where it cannot be read.
  public func model() throws(ModelFileError) -> ManagedObjectModel {
    try ManagedObjectModel(contentsOfFile: path)
  }
}

extension ManagedObjectModel {
  /// Reads a model from the XML that Xcode's model editor writes.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file `contents` of an `.xcdatamodel`.
  ///   - file: How errors name the file.
  /// - Throws: `ModelFileError` with the file, the line, and the entity and property that are wrong.
  public init(xml bytes: [UInt8], file: String = "contents") throws(ModelFileError) {
    self = try ModelXMLReader(file: file).model(bytes)
  }

  /// Reads one version of a model.
  ///
  /// - Parameter path: An `.xcdatamodel` or the file `contents` in it, or a `.mom`.
  /// - Throws: `ModelFileError` where there is no model that can be read.
  public init(contentsOfFile path: String) throws(ModelFileError) {
    guard let isDirectory = ModelFiles.isDirectory(path) else { throw ModelFileError(.notFound, file: path) }
    guard isDirectory else {
      if ModelFormat(path, isDirectory: false) == .compiled {
        try self.init(archive: ModelFiles.read(path, limit: ModelFiles.archiveSizeLimit), file: path)
      } else {
        try self.init(xml: ModelFiles.read(path), file: path)
      }
      return
    }
    let contents = "\(path)/contents"
    guard ModelFiles.exists(contents) else {
      // Before version 4, Xcode kept a binary file `elements` there.
      let isOutdated = ModelFiles.exists("\(path)/elements")
      throw ModelFileError(isOutdated ? .outdatedFormat : .noContents, file: path)
    }
    try self.init(xml: ModelFiles.read(contents), file: contents)
  }
}
