internal import Synchronization
internal import SystemC

/// Makes a bundle of models of an app's SwiftData schemas.
///
/// The toolchain of the machine compiles the app's files unedited, beside a module `SwiftData` of ours that has only what
/// schemas need. The program asks the compiler's types of each property and writes an `.xcdatamodeld`. It runs the app's
/// own code: the initial values that are literals, and what `models`, `schemas` and `stages` say.
package enum SwiftSchemas {
  /// The settings of the process.
  package struct Settings: Sendable {
    /// Files that declare types that the app's files use and the machine does not have.
    package var stubs = (getenv("TRACKS_MIGRATE_STUB").map { String(path: $0) } ?? "").split(separator: ":").map {
      String($0)
    }
    /// The classes that are the current version, instead of the one that the source says.
    package var types = SwiftSchemas.types(in: getenv("TRACKS_MIGRATE_TYPES").map { String(path: $0) } ?? "")
    /// Whether source may be compiled that is not in the cache.
    package var compiles = true
  }

  private struct State {
    var settings = Settings()
    var results: [String: Result<String, SwiftSchemaError>] = [:]
  }

  private static let state = Mutex(State())

  /// The settings of the process, which its command line sets before anything is read.
  package static var settings: Settings {
    get { state.withLock { $0.settings } }
    set { state.withLock { $0.settings = newValue } }
  }

  /// The names of classes in a list with commas.
  package static func types(in list: String) -> [String] {
    list.split { $0 == "," || $0 == " " }.map { String($0) }
  }

  /// Whether a path leads to Swift source.
  package static func isSource(_ path: String) -> Bool { SwiftSources.exist(at: path) }

  /// Returns the path of the bundle that the schemas at a path make.
  ///
  /// - Parameters:
  ///   - path: A Swift file, or a folder with some.
  ///   - digest: A cryptographic hash, which names what is kept in the cache.
  package static func bundle(
    ofSourceAt path: String, digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) throws(SwiftSchemaError) -> String {
    let settings = settings
    let compilation = try compilation(ofSourceAt: path, settings, digest)
    // A command reads its model several times, and compiles what does not compile only once.
    if let result = state.withLock({ $0.results[compilation.key] }) { return try result.get() }
    let result = Result { () throws(SwiftSchemaError) in
      if let path = compilation.existing { return path }
      guard settings.compiles else { throw SwiftSchemaError.notCompiledYet }
      return try compilation.bundle()
    }
    state.withLock { $0.results[compilation.key] = result }
    return try result.get()
  }

  /// Returns the path of a program that runs the stages of the plans at a path.
  ///
  /// It is compiled apart from that which lists the schemas: these need less of the app's code.
  package static func stageProgram(
    ofSourceAt path: String, digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) throws(SwiftSchemaError) -> String {
    try compilation(ofSourceAt: path, settings, digest).stageProgram()
  }

  private static func compilation(
    ofSourceAt path: String, _ settings: Settings, _ digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) throws(SwiftSchemaError) -> SchemaCompilation {
    let sources = try SwiftSources(path)
    let stubs = try settings.stubs.map { path throws(SwiftSchemaError) in try SwiftSources(path).files }.flatMap { $0 }
    return SchemaCompilation(
      sources: sources, stubs: stubs, types: settings.types, toolchain: try SwiftToolchain(),
      cache: SchemaCache(digest: digest))
  }
}
