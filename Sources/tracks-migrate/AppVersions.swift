import DataModel
import Diagnostics
import Migration
import PersistentStore

/// The versions of an app's model, as a path on the command line names it.
struct AppVersions {
  let bundle: ModelBundle
  let all: [KnownVersion]
  /// Those that cannot be read.
  let unreadable: [UnreadableVersion]

  init(modelAt path: String) throws(MigrationError) {
    do throws(ModelFileError) {
      bundle = try ModelBundle(path: path)
      (all, unreadable) = try UnreadableVersion.readVersions(of: bundle)
    } catch {
      throw MigrationError(error)
    }
  }

  /// The name of the version that a store has, if it is one of these.
  func name(of store: StoreMetadata) -> String? { all.version(withHashes: store.versionHashes)?.name }
}

extension [UnreadableVersion] {
  /// Says which versions of a model cannot be read, and why.
  func warn() { for version in self { Messages.warning(version.fact) } }
}
