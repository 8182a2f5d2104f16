package import DataModel
internal import Foundation
package import MigrationDiagnostics
internal import PersistentStore

/// The versions of models that have shipped: what a team keeps beside its models as `models.lock`.
///
/// Stores of these versions are on people's devices, so the versions must stay what they were.
package struct ModelLock: Codable, Sendable, Hashable {
  /// One bundle of versions.
  package struct Model: Codable, Sendable, Hashable {
    /// The name of the bundle, such as `MyApp.xcdatamodeld`.
    package var name: String
    /// The current version.
    package var current: String?
    /// The versions, in the order in which they were recorded.
    package var versions: [Version]

    package init(name: String, current: String?, versions: [Version]) {
      (self.name, self.current, self.versions) = (name, current, versions)
    }
  }

  /// One version of a model.
  package struct Version: Codable, Sendable, Hashable {
    /// The name.
    package var name: String
    /// The checksum, in base64.
    package var checksum: String
    /// The version hashes by entity, in hexadecimal.
    package var entities: [String: String]

    package init(name: String, _ model: ManagedObjectModel) {
      self.name = name
      checksum = model.versionChecksum.base64
      entities = model.entityVersionHashesByName.mapValues(\.description)
    }
  }

  /// The version of the format, 1.
  package var formatVersion = 1
  /// The bundles, sorted by name.
  package var models: [Model]

  private enum CodingKeys: String, CodingKey {
    case formatVersion = "format_version"
    case models
  }

  /// The name of the file.
  package static let fileName = "models.lock"

  package init(models: [Model] = []) { self.models = models }

  /// Reads a lock file.
  package init(path: String) throws(MigrationError) {
    let bytes = try FileSystem.contents(ofInput: path)
    do {
      self = try JSONDecoder().decode(ModelLock.self, from: Data(bytes))
    } catch {
      throw Self.unreadable(path, "it is not a lock file")
    }
    guard formatVersion == 1 else { throw Self.unreadable(path, "its format is \(formatVersion), and 1 is known here") }
  }

  private static func unreadable(_ path: String, _ detail: String) -> MigrationError {
    var error = MigrationError(.unreadable, path: path, detail: detail)
    error.advice = "Restore it from your repository."
    return error
  }

  /// The bundle of this name.
  package func model(named name: String) -> Model? { models.first { $0.name == name } }

  /// Replaces the entry of a bundle, or adds one.
  package mutating func set(_ model: Model) {
    models.removeAll { $0.name == model.name }
    models = (models + [model]).sorted { $0.name < $1.name }
  }

  /// The file, which differs line by line where versions do.
  package var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return ((try? encoder.encode(self)).map { Array($0) } ?? []) + [UInt8(ascii: "\n")]
  }
}

extension ModelLock.Model {
  /// Collects the present versions of a bundle.
  ///
  /// - Parameter versions: Its versions, as `loadVersions` has read them.
  init(of bundle: ModelBundle, _ versions: [(name: String, model: Result<NamedModel, MigrationError>)]) {
    self.init(
      name: FileSystem.split(bundle.path).name, current: (try? bundle.currentVersion())?.name,
      versions: versions.compactMap { name, model in
        (try? model.get()).map { ModelLock.Version(name: name, $0.model) }
      })
  }

  /// Returns all versions of a bundle.
  ///
  /// - Throws: The error of a version that cannot be read, of which nothing could be said.
  package static func whole(_ bundle: ModelBundle) throws(MigrationError) -> Self {
    let versions = bundle.loadVersions()
    if let error = versions.compactMap(\.model.failure).first { throw error }
    return Self(of: bundle, versions)
  }
}
