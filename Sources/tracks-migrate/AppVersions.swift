import DataModel
import Diagnostics
import Migration
import PersistentStore

/// The versions of an app's model, as a path on the command line names it.
struct AppVersions {
  let bundle: ModelBundle
  let all: [KnownVersion]

  init(modelAt path: String) throws(MigrationError) {
    do throws(ModelFileError) {
      bundle = try ModelBundle(path: path)
      all = try KnownVersion.all(in: bundle)
    } catch {
      throw MigrationError(error)
    }
  }

  /// The name of the version that a store has, if it is one of these.
  func name(of store: StoreMetadata) -> String? { all.version(withHashes: store.versionHashes)?.name }
}
