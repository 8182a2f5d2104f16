internal import Foundation
internal import PropertyListFormat
package import SwiftSchemas
internal import SystemC
internal import XMLStream

/// The versions of a model: Xcode's `.xcdatamodeld`, the `.momd` compiled from it, or SwiftData's schemas as Swift source.
///
/// A single `.xcdatamodel` or `.mom` is a bundle with one version. The order of versions is not recorded in bundles; they
/// are sorted by name, with numbers compared as numbers. Swift source has version identifiers and plans.
public struct ModelBundle: Sendable, Hashable {
  /// The path of the bundle.
  public let path: String
  /// The versions.
  public let versions: [ModelVersion]
  private let format: ModelFormat
  /// The folder that has the versions: the bundle, or the one that Swift source was compiled to.
  private let folder: String
  /// The migration plans of SwiftData's schemas; `nil` of other models.
  package private(set) var schemaPlans: SchemaPlans?
  /// The version to take for the current one, whatever the bundle says.
  private var chosenVersion: ModelVersion?

  /// Whether the versions are compiled.
  package var isCompiled: Bool { format == .compiled }

  /// Lists the versions of a bundle without reading them.
  ///
  /// Swift source is compiled, unless that was done before.
  ///
  /// - Parameter path: An `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`, a Swift file, or a folder with some.
  /// - Throws: `ModelFileError` if there are no versions.
  public init(path: String) throws(ModelFileError) {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.path = path
    guard let isDirectory = ModelFiles.isDirectory(path) else { throw ModelFileError(.notFound, file: path) }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let format = ModelFormat(name, isDirectory: isDirectory) else {
      let (folder, plans) = try Self.compiledSource(path)
      (self.format, self.folder, schemaPlans) = (.source, folder, plans)
      let names = plans.orderedVersions
      versions = try Self.versions(in: folder, .source).sorted {
        names.firstIndex(of: $0.name) ?? .max < names.firstIndex(of: $1.name) ?? .max
      }
      // The folder is the cache's, which means nothing to the source's author.
      if versions.isEmpty { throw ModelFileError(.swiftSource(.noModels), file: path) }
      return
    }
    (self.format, folder) = (format, path)
    if let version = format.versionName(name) {
      versions = [ModelVersion(name: version, path: path)]
      return
    }
    versions = try Self.versions(in: path, format)
    guard !versions.isEmpty else { throw ModelFileError(.noVersions, file: path) }
  }

  private static func versions(in folder: String, _ format: ModelFormat) throws(ModelFileError) -> [ModelVersion] {
    let versions = try ModelFiles.list(folder).compactMap { entry in
      format.versionName(entry).map { ModelVersion(name: $0, path: "\(folder)/\(entry)") }
    }
    return versions.sorted(by: precedes)
  }

  /// The bundle that SwiftData's schemas at a path make, and what it does not say.
  private static func compiledSource(_ path: String) throws(ModelFileError) -> (folder: String, plans: SchemaPlans) {
    guard SwiftSchemas.isSource(path) else { throw ModelFileError(.notABundle, file: path) }
    do {
      let folder = try SwiftSchemas.bundle(ofSourceAt: path) { Digest.sha256($0) }
      return (folder, try SchemaPlans(bundle: folder))
    } catch {
      throw ModelFileError(.swiftSource(error), file: path)
    }
  }

  /// Returns the path of a program that runs the stages of the plans, which is compiled unless that was done before.
  package func stageProgram() throws(ModelFileError) -> String {
    do {
      return try SwiftSchemas.stageProgram(ofSourceAt: path) { Digest.sha256($0) }
    } catch {
      throw ModelFileError(.swiftSource(error), file: path)
    }
  }

  /// Returns the version with this name, given with or without `.xcdatamodel` or `.mom`.
  ///
  /// - Throws: `ModelFileError` that lists the existing versions.
  public func version(named name: String) throws(ModelFileError) -> ModelVersion {
    let wanted = format.versionName(name) ?? name
    guard let version = versions.first(where: { $0.name == wanted }) else {
      throw ModelFileError(.unknownVersion(wanted, versions: versions.map(\.name)), file: path)
    }
    return version
  }

  /// Returns the version that the bundle's `.xccurrentversion` or `VersionInfo.plist` names, or the only version.
  ///
  /// - Throws: `ModelFileError` if the file is missing or does not name a version.
  public func currentVersion() throws(ModelFileError) -> ModelVersion {
    if let chosenVersion { return chosenVersion }
    if let name = try currentVersionName() { return try version(named: name) }
    if let only = versions.first, versions.count == 1 { return only }
    throw ModelFileError(.currentVersionUnset(versions: versions.map(\.name)), file: path)
  }

  /// Returns the same bundle with a version of it as the current one.
  ///
  /// - Throws: `ModelFileError` that lists the existing versions.
  package func withCurrentVersion(named name: String) throws(ModelFileError) -> ModelBundle {
    var bundle = self
    bundle.chosenVersion = try version(named: name)
    return bundle
  }

  /// Reads all versions.
  ///
  /// - Returns: The models in the order of the versions, and the errors of the versions that cannot be read.
  package func readVersions() -> (
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

  /// The version that the bundle says is current, if it has the file for that.
  private func currentVersionName() throws(ModelFileError) -> String? {
    let file = "\(folder)/\(format.infoName)"
    guard ModelFiles.exists(file) else { return nil }
    guard isCompiled else {
      let bytes = try ModelFiles.read(file)
      let content = try? PropertyList(contentsOf: bytes)
      guard let name = content?["_XCCurrentVersionName"]?.string else {
        throw ModelFileError(.currentVersionUnreadable, file: file)
      }
      return name
    }
    let bytes = try ModelFiles.read(file)
    guard let info = try? PropertyList(contentsOf: bytes), info.dictionary != nil else {
      throw ModelFileError(.versionInfoUnreadable, file: file)
    }
    return info["NSManagedObjectModel_CurrentVersionName"]?.string
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

/// Reads the files of models, with a limit for their size.
package enum ModelFiles {
  /// Compiled models grow with every copy of an inherited property; those of Apple's own apps have about one megabyte.
  package static let archiveSizeLimit = 64 << 20

  package static func read(_ path: String, limit: Int = XMLStreamLimits.size) throws(ModelFileError) -> [UInt8] {
    // Some build systems create bundles as folders of links.
    let descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = SystemC.read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 {
        try requireWhole(bytes, path)
        return bytes
      }
      bytes += block[..<count]
    }
    throw ModelFileError(.tooLarge(limit: limit), file: path)
  }

  /// Checks that a file is not what a version control system left in its place.
  private static func requireWhole(_ bytes: [UInt8], _ path: String) throws(ModelFileError) {
    if FileForm(bytes.prefix(512)) == .gitLFSPointer { throw ModelFileError(.gitLFSPointer, file: path) }
    if let line = FileForm.conflictLine(in: bytes) { throw ModelFileError(.mergeConflict, file: path, line: line) }
  }

  /// The error of the last system call.
  private static func unreadable(_ path: String) -> ModelFileError {
    let number = errno
    return ModelFileError(
      .unreadable(openingFailure(number), advice: openingAdvice(number, path)), file: path)
  }

  /// The names in a directory.
  static func list(_ path: String) throws(ModelFileError) -> [String] {
    guard let names = names(inFolder: path) else {
      throw unreadable(path)
    }
    return names
  }

  /// Whether there is something at a path.
  package static func exists(_ path: String) -> Bool { isDirectory(path) != nil }

  /// Whether there is a directory at a path; `nil` if there is nothing.
  package static func isDirectory(_ path: String) -> Bool? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFDIR : nil
  }
}

/// The form of model files, as Xcode edits them or compiled, with the names of its files.
private enum ModelFormat: Sendable, Hashable {
  case source
  case compiled

  /// The format of a bundle or a version, by its name; `nil` for other files.
  init?(_ name: String, isDirectory: Bool) {
    if isDirectory, name.hasSuffix(".xcdatamodeld") || Self.source.versionName(name) != nil {
      self = .source
    } else if isDirectory ? name.hasSuffix(".momd") : Self.compiled.versionName(name) != nil {
      self = .compiled
    } else {
      return nil
    }
  }

  /// The name of a version, without the extension of its file; `nil` for other files.
  func versionName(_ entry: String) -> String? {
    let suffix = self == .source ? ".xcdatamodel" : ".mom"
    return entry.hasSuffix(suffix) && entry.count > suffix.count ? String(entry.dropLast(suffix.count)) : nil
  }

  /// The file of a bundle that names the current version.
  var infoName: String { self == .source ? ".xccurrentversion" : "VersionInfo.plist" }
}

/// One version in a bundle of models, read on demand.
public struct ModelVersion: Sendable, Hashable {
  /// The name without `.xcdatamodel` or `.mom`, which is the same for source and compiled versions.
  public let name: String
  /// The path of the `.xcdatamodel` or `.mom`.
  public let path: String

  /// Reads the model.
  ///
  /// - Throws: `ModelFileError` if it cannot be read.
  public func model() throws(ModelFileError) -> ManagedObjectModel {
    try ManagedObjectModel(contentsOfFile: path)
  }
}

extension ManagedObjectModel {
  /// Reads a model from the XML of Xcode's model editor.
  ///
  /// - Parameters:
  ///   - bytes: The content of the file `contents` of an `.xcdatamodel`.
  ///   - file: The name of the file in errors.
  /// - Throws: `ModelFileError` with the file, the line, and the invalid entity or property.
  package init(xml bytes: [UInt8], file: String = "contents") throws(ModelFileError) {
    var reader = ModelXMLReader(file: file)
    self = try reader.model(bytes)
  }

  /// Reads one version of a model.
  ///
  /// - Parameter path: An `.xcdatamodel`, the file `contents` in it, or a `.mom`.
  /// - Throws: `ModelFileError` if there is no readable model.
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
