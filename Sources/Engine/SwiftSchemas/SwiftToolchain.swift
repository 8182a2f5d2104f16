internal import SystemC

/// The Swift compiler of the machine, with the libraries that macros are built with.
struct SwiftToolchain {
  /// The path of `swiftc`.
  let compiler: String
  /// The folder of the compiler's own swift-syntax.
  let hostLibraries: String
  /// A text that changes with the compiler.
  let identity: String

  /// Finds the compiler in `PATH`.
  init() throws(SwiftSchemaError) {
    let folders = (getenv("PATH").map { String(path: $0) } ?? "").split(separator: ":")
    guard let named = folders.lazy.map({ "\($0)/swiftc" }).first(where: { access($0, X_OK) == 0 }) else {
      throw .noToolchain
    }
    let libraries = "lib/swift/host"
    let module = "SwiftSyntaxMacros.swiftmodule"
    let isComplete = { (root: String) in access("\(root)/\(libraries)/\(module)", F_OK) == 0 }
    var found = Self.root(of: named)
    if found.map(isComplete) != true { found = Self.rootAsked(of: named) }
    guard let root = found, isComplete(root) else {
      throw .unfitToolchain(compiler: named, missing: "\(libraries)/\(module)")
    }
    compiler = "\(root)/bin/swiftc"
    hostLibraries = "\(root)/\(libraries)"
    // A new toolchain at the same path has other files.
    var status = stat()
    let frontend = realpath("\(root)/bin/swift-frontend") ?? compiler
    _ = stat(frontend, &status)
    #if canImport(Darwin)
      let changed = status.st_mtimespec
    #else
      let changed = status.st_mtim
    #endif
    identity = "\(frontend) \(status.st_size) \(changed.tv_sec).\(changed.tv_nsec)"
  }

  /// The folder `usr` of a toolchain, from the path of its compiler.
  private static func root(of compiler: String) -> String? {
    realpath(compiler).map { path($0, dropping: 2) }
  }

  /// The same, asked of the compiler: `swiftc` may be a program that chooses among several toolchains.
  private static func rootAsked(of compiler: String) -> String? {
    guard let output = ChildProcess([compiler, "-print-target-info"])?.answer()?.output else { return nil }
    let text = String(decoding: output, as: UTF8.self).split(separator: "\"runtimeResourcePath\"")
    let value = text.last?.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false) ?? []
    guard text.count == 2, value.count == 3 else { return nil }
    // …/usr/lib/swift
    return path(value[1], dropping: 2)
  }

  /// A path without its last parts.
  static func path(_ path: some StringProtocol, dropping count: Int) -> String {
    path.split(separator: "/").dropLast(count).map { "/\($0)" }.joined()
  }

  /// Runs the compiler.
  ///
  /// - Returns: The lines of its errors; `nil` if there are none.
  func compile(_ arguments: [String]) throws(SwiftSchemaError) -> [String]? {
    let answer = try Self.run(words(arguments))
    guard answer.status != 0 else { return nil }
    return String(decoding: answer.errors + answer.output, as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  /// Starts the compiler; `nil` if that fails.
  func start(_ arguments: [String]) -> ChildProcess? { ChildProcess(words(arguments), readsErrors: true) }

  private func words(_ arguments: [String]) -> [String] {
    [compiler, "-diagnostic-style", "llvm", "-no-color-diagnostics", "-suppress-warnings"] + arguments
  }

  /// Runs the compiler, or a program that it has made.
  static func run(_ words: [String]) throws(SwiftSchemaError) -> ChildProcess.Answer {
    guard let answer = ChildProcess(words, readsErrors: true)?.answer() else {
      throw .notRun(program: words.first ?? "", reason: String(cString: strerror(errno)))
    }
    return answer
  }
}
