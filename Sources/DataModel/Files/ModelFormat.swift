/// Whether models are as Xcode edits them or as it compiles them, and the names of files that go with it.
enum ModelFormat: Sendable, Hashable {
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
