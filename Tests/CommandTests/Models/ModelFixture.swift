import Foundation
import TestSupport

/// Models for tests of the command.
enum ModelFixture {
  /// The versions of the track library's model.
  static let tracks = Readme.root + "/SampleData/Tracks/Tracks.xcdatamodeld"

  /// Files that Apple's tools made.
  ///
  /// Tests are skipped without them.
  static let corpus = URL(fileURLWithPath: Readme.root + "/../shared/corpus").standardizedFileURL
    .resolvingSymlinksInPath().path
  static let hasCorpus = FileManager.default.fileExists(atPath: corpus)

  /// All models of the corpus, source and compiled, and all stores with a model cache.
  static let corpusModels: [String] = {
    let names = FileManager.default.enumerator(atPath: corpus)?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      name.hasSuffix(".xcdatamodel") || name.hasSuffix(".mom")
        // Old systems did not store models yet.
        || name.hasSuffix(".sqlite") && !name.hasSuffix("Model1.sqlite")
    }.map { "\(corpus)/\($0)" }.sorted()
  }()
}

extension TemporaryFolder {
  /// Writes a bundle of models from the lines within `<model>` and returns its path.
  func models(_ name: String, _ versions: [String: String], current: String? = nil) throws -> String {
    for (version, text) in versions {
      let path = "\(file(name))/\(version).xcdatamodel"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data("<model>\(text)</model>".utf8).write(to: URL(fileURLWithPath: "\(path)/contents"))
    }
    if let current {
      let plist = "<plist><dict><key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string></dict></plist>"
      try write(Array(plist.utf8), to: "\(name)/.xccurrentversion")
    }
    return file(name)
  }

  /// Copies a store of the corpus with its write-ahead log and returns the copy's path.
  ///
  /// The path of any other file is returned unchanged.
  func copyIfStore(_ path: String) throws -> String {
    guard path.hasSuffix(".sqlite") else { return path }
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      try write(try Files.bytes(path + suffix), to: "copy.sqlite" + suffix)
    }
    return file("copy.sqlite")
  }
}

extension CommandResult {
  /// Returns the output of a command with `--format json`.
  func json() throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any] ?? [:]
  }

  /// Returns the records of a command with `--format json`, each with its texts joined by "|".
  func records() throws -> [String] {
    let records = try JSONSerialization.jsonObject(with: Data(output)) as? [[String: Any]] ?? []
    return records.map(Self.joined)
  }

  /// Returns the differences in the output of a command with `--format json`.
  func differences() throws -> [String] {
    (try json()["differences"] as? [[String: Any]] ?? []).map(Self.joined)
  }

  private static func joined(_ record: [String: Any]) -> String {
    ["entity", "kind", "name", "change", "from", "to", "version_hash"]
      .map { record[$0] as? String ?? "" }.joined(separator: "|")
  }
}
