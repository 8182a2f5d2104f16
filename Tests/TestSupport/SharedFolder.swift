package import Foundation

/// Files that Apple's tools made.
///
/// They are next to the checkout and never part of it; tests are skipped without them.
package enum SharedFolder {
  package static let vectors = Checkout.shared.appending(path: "hash-vectors.json")
  package static let hasVectors = FileManager.default.fileExists(atPath: vectors.path())

  /// The `contents` of every model in the corpus.
  package static let modelFiles: [String] = files { $0.hasSuffix("/contents") }

  /// The `VersionInfo.plist` of every compiled model in the corpus.
  package static let versionInfoFiles: [String] = files { $0.hasSuffix("/VersionInfo.plist") }

  /// Every compiled model in the corpus.
  package static let compiledModels: [String] = files { $0.hasSuffix(".mom") }

  /// Every store in the corpus.
  package static let stores: [String] = files { $0.hasSuffix(".sqlite") }

  /// The `.xcdatamodeld` of the same name in the folders above the `VersionInfo.plist` of a `.momd`.
  package static func source(ofCompiledModel file: String) -> String? {
    let compiled = URL(filePath: file).deletingLastPathComponent()
    let name = compiled.deletingPathExtension().lastPathComponent + ".xcdatamodeld"
    let parents = sequence(first: compiled.deletingLastPathComponent()) { $0.deletingLastPathComponent() }.prefix(3)
    return parents.map { $0.appending(path: name).path(percentEncoded: false) }
      .first { FileManager.default.fileExists(atPath: $0) }
  }

  private static func files(where isWanted: (String) -> Bool) -> [String] {
    let corpus = Checkout.corpus
    let names = FileManager.default.enumerator(atPath: corpus)?.compactMap { $0 as? String } ?? []
    return names.map { "\(corpus)/\($0)" }.filter(isWanted).sorted()
  }
}
