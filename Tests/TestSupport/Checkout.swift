public import Foundation

/// Where the package lies, and what lies beside it.
public enum Checkout {
  /// The root of the package.
  public static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Files that other tools made.
  ///
  /// They are never part of the checkout; tests skip without them.
  public static let shared = root.appending(path: "../shared").standardizedFileURL.resolvingSymlinksInPath()

  /// The stores and models that Apple's tools wrote.
  public static let corpus = shared.appending(path: "corpus").path(percentEncoded: false)
  /// Whether they are there.
  public static let hasCorpus = FileManager.default.fileExists(atPath: corpus)
}
