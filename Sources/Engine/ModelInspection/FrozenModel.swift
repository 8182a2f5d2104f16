package import DataModel
package import MigrationDiagnostics
internal import PersistentStore
internal import SystemC

/// Versions of a model in an `.xcdatamodeld`, which stay what they are when the source of the model changes.
package struct FrozenModel {
  /// The path of the `.xcdatamodeld`.
  private let path: String

  package init(path: String) { self.path = path }

  /// The versions that are in it; `nil` if there are none yet.
  package func versions() throws(MigrationError) -> ModelLock.Model? {
    // A run that was ended may have left an empty folder.
    guard try FileSystem.isThere(path), FileSystem.names(in: path)?.isEmpty != true else { return nil }
    return try ModelLock.Model.whole(try ModelSource(path: path).bundle())
  }

  /// Adds versions to those that are in it.
  ///
  /// - Parameters:
  ///   - names: The names of the versions.
  ///   - bundle: The model that has them.
  ///   - current: The version to mark as current.
  package func add(_ names: [String], of bundle: ModelBundle, current: String?) throws(MigrationError) {
    var models: [NamedModel] = []
    for version in bundle.versions where names.contains(version.name) {
      let model = try ModelSource.load(version, of: bundle)
      // Nothing is written if one of them cannot be.
      _ = try model.xml()
      models.append(model)
    }
    if mkdir(path, 0o777) == 0 {
      try NewFileAccess(from: [bundle.path]).limit(path)
    } else if errno != EEXIST {
      throw FileSystem.failure(.cannotCreate, path)
    }
    for model in models {
      do throws(MigrationError) {
        try model.write(toNewFolder: "\(path)/\(model.versionName ?? "").xcdatamodel", from: bundle.path)
      } catch {
        guard error.code == .outputExists else { throw error }
        // It was not there a moment ago.
        var error = error
        error.advice = "Another run may be freezing it; wait for its end and run this again."
        throw error
      }
    }
    if let current { try mark(current, from: bundle.path) }
  }

  private func mark(_ name: String, from source: String) throws(MigrationError) {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>_XCCurrentVersionName</key>
      \t<string>\(XMLEscaping.content.escaped(name)).xcdatamodel</string>
      </dict>
      </plist>

      """
    let file = try AtomicFile("\(path)/.xccurrentversion", temporarySuffix: "document")
    do throws(MigrationError) {
      try file.stage(Array(text.utf8))
      try file.publish(from: [source])
    } catch {
      file.discard()
      throw error
    }
  }
}
