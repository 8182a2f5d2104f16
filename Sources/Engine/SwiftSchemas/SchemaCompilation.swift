internal import SystemC

/// One app's schemas on the way from source to models.
struct SchemaCompilation {
  let sources: SwiftSources
  let stubs: [SwiftSources.File]
  /// The classes that are the current version; none for the one that the source says.
  let types: [String]
  let toolchain: SwiftToolchain
  let cache: SchemaCache
  /// A name for everything that the models follow from.
  let key: String

  init(
    sources: SwiftSources, stubs: [SwiftSources.File], types: [String], toolchain: SwiftToolchain, cache: SchemaCache
  ) {
    (self.sources, self.stubs, self.types, self.toolchain, self.cache) = (sources, stubs, types, toolchain, cache)
    // The paths are of no importance, so that another checkout of the same files has the same models.
    key = cache.key(
      [Self.programKey(toolchain, cache), types.joined(separator: ","), "\(stubs.count)"].map { Array($0.utf8) }
        + (sources.files + stubs).map(\.bytes))
  }

  /// The module that the app's files are compiled as; the program finds the app's types by it.
  private static let module = "AppModels"

  private var name: String { "models-\(key)" }

  /// The bundle that an earlier run has made.
  var existing: String? { cache.existing(name).map(Self.bundle) }

  private static func bundle(in folder: String) -> String { "\(folder)/Models.xcdatamodeld" }

  /// Compiles the schemas, runs them and returns the bundle that they write.
  func bundle() throws(SwiftSchemaError) -> String {
    let roots = sources.roots
    guard !roots.isEmpty else { throw .noModels }
    let library = try library()
    let folder = try cache.entry(name) { folder throws(SwiftSchemaError) in
      try cache.withFolder { work throws(SwiftSchemaError) in
        let program = "\(work)/program"
        // Nothing else runs while objects are read that have no values.
        try compile(
          roots, library, in: work, to: program, options: Self.schemaOptions + ["-enforce-exclusivity=unchecked"])
        try run(program, to: Self.bundle(in: folder))
      }
    }
    return Self.bundle(in: folder)
  }

  /// Compiles the program that runs stages, in which properties read and write the values of a store.
  func stageProgram() throws(SwiftSchemaError) -> String {
    var library = try library()
    library.module = try stageModule()
    let folder = try cache.entry("stages-\(key)") { folder throws(SwiftSchemaError) in
      try cache.withFolder { work throws(SwiftSchemaError) in
        try compile(sources.roots, library, in: work, to: "\(folder)/program")
      }
    }
    return "\(folder)/program"
  }

  // MARK: - The app's files

  /// Compiles the files that declare schemas, and those that the compiler finds that they need.
  ///
  /// Code that does not compile and that no schema depends on is left out, such as a view in the file of a model.
  private func compile(
    _ roots: [SwiftSources.File], _ library: Library, in work: String, to program: String,
    options: [String] = []
  ) throws(SwiftSchemaError) {
    var files: [SwiftSources.File] = []
    var names: Set<Substring> = []
    var absentModules: Set<String> = []
    var ownModules: Set<String> = []
    var copies = SourceCopies(folder: work, cache: cache)
    func isAbsent(_ module: String) -> Bool { absentModules.contains(module) || !isModule(module, library) }
    func others() -> [SwiftSources.File] { sources.files.filter { file in !files.contains { $0.path == file.path } } }
    func add(_ needed: [SwiftSources.File]) throws(SwiftSchemaError) {
      var new = needed
      while !new.isEmpty {
        files += new
        absentModules.formUnion(new.flatMap(\.imports).filter(isAbsent))
        // The compiler takes no two files of one name, and each version of a schema may have its 'Trip.swift'.
        for file in new {
          guard let name = file.path.split(separator: "/").last, !names.insert(name).inserted else { continue }
          try copies.add(file)
        }
        new = SwiftSources.extending(files, others())
      }
    }
    try add(roots + stubs)
    var last: [CompilerReport.Finding] = []
    for _ in 0..<Self.roundLimit {
      let modules = try moduleMaps(absentModules)
      let words =
        Self.options(module: Self.module, cache) + options + [
          // An app's own entry point has another name, so that both can be linked.
          "-swift-version", "5", "-package-name", Self.module, "-Xfrontend", "-entry-point-function-name", "-Xfrontend",
          "\(Self.module)_main",
          "-num-threads", "\(sysconf(Int32(_SC_NPROCESSORS_ONLN)))",
          // Apple's frameworks bring Foundation with them, and files rely on it.
          "-Xfrontend", "-import-module", "-Xfrontend", "SwiftData",
        ] + ownModules.sorted().flatMap { ["-Xfrontend", "-import-module", "-Xfrontend", $0] } + [
          "-I", library.module, "-I", modules, "-load-plugin-library", "\(library.folder)/\(Self.macros)",
        ] + files.map(copies.path)
        + ["\(library.module)/\(Self.object)", "\(library.folder)/Runner.o", "-o", program]
      guard let lines = try errors(of: words) else { return }
      let report = CompilerReport(lines)
      last = report.findings
      // An app may say 'MyApp.Trip'. Its files are a module of another name here, and that one an empty one.
      ownModules.formUnion(sources.ownModules(among: report.missing.subtracting(absentModules)))
      let newModules = report.missingModules.union(ownModules).subtracting(absentModules)
      absentModules.formUnion(newModules)
      guard newModules.isEmpty else { continue }
      let others = others()
      // A file of plain code may be needed for anything; one of views only if a schema needs it.
      let plain = SwiftSources.declaring(report.missing, others).filter { !$0.imports.contains(where: isAbsent) }
      try add(plain)
      guard plain.isEmpty else { continue }
      let paths = Set(files.map(\.path))
      guard report.findings.contains(where: { paths.contains($0.file) }) else { throw report.error }
      let rest = try copies.prune(files, report, by: try prunerPath())
      let needed = SwiftSources.declaring(rest.missing, others)
      guard rest.findings.isEmpty || !needed.isEmpty else { throw rest.error }
      // A type that was left out may be needed, and so are the files that it lacked.
      if rest.findings.contains(where: { !report.findings.contains($0) }) { try copies.restore(files) }
      try add(needed)
    }
    throw .compilerErrors(
      ["The files need more than \(Self.roundLimit) rounds of the compiler. The errors that are left:"]
        + last.prefix(20).map { "\($0.place): error: \($0.text)" })
  }

  private static let roundLimit = 20

  /// Whether the toolchain, or this program, has a module.
  private func isModule(_ name: String, _ library: Library) -> Bool {
    let root = SwiftToolchain.path(toolchain.hostLibraries, dropping: 1)
    let folders = [library.module, "\(root)/linux", "\(root)/macosx"]
    return ["Swift", "Glibc", "Darwin", "XCTest", "Testing"].contains(name)
      || folders.contains { access("\($0)/\(name).swiftmodule", F_OK) == 0 }
  }

  /// Makes empty modules of these names: files import Apple's frameworks, and most use nothing of them.
  private func moduleMaps(_ names: Set<String>) throws(SwiftSchemaError) -> String {
    let text = names.sorted().map { "module \($0) {}\n" }.joined()
    return try cache.entry("modules-\(cache.key([Array(text.utf8)]))") { folder throws(SwiftSchemaError) in
      try cache.write(Array(text.utf8), to: "\(folder)/module.modulemap")
    }
  }

  private func run(_ program: String, to bundle: String) throws(SwiftSchemaError) {
    let answer = try SwiftToolchain.run([program, bundle] + types)
    // The app's code may end the program itself; this file is the last one that it writes.
    if answer.status == 0, access("\(bundle)/\(SchemaPlans.fileName)", F_OK) == 0 { return }
    let lines = String(decoding: answer.errors, as: UTF8.self).split(separator: "\n").prefix(5).map { String($0) }
    if answer.status == Self.usageStatus << 8, let line = lines.last { throw .unsuitableTypes(line) }
    throw .programFailed(report: lines.isEmpty ? [Self.end(answer.status)] : lines)
  }

  /// The exit status of a program that was given names which are not those of single classes.
  private static let usageStatus: Int32 = 64

  /// The end of a program that has printed nothing, by the status of `waitpid`.
  private static func end(_ status: Int32) -> String {
    switch status & 0x7F {
    case 0: "The program that the files were compiled to ended too early, with exit status \(status >> 8 & 0xFF)."
    case SIGALRM: "The program that the files were compiled to did not end within a minute."
    case let signal: "The program that the files were compiled to was ended by signal \(signal)."
    }
  }

  // MARK: - The library

  private static let macros = "libSwiftDataMacros.so"
  private static let pruner = "prune"

  private static func programKey(_ toolchain: SwiftToolchain, _ cache: SchemaCache) -> String {
    cache.key(
      [Array(toolchain.identity.utf8)]
        + (EmbeddedSources.swiftData + EmbeddedSources.macros + EmbeddedSources.pruner).flatMap {
          [Array($0.name.utf8), $0.text]
        })
  }

  /// The entry of the cache that the compiler fills.
  private static let ownCache = "clang"

  private static func options(module: String, _ cache: SchemaCache) -> [String] {
    ["-wmo", "-parse-as-library", "-module-name", module, "-module-cache-path", "\(cache.root)/\(ownCache)"]
  }

  /// Runs the compiler.
  private func errors(of words: [String]) throws(SwiftSchemaError) -> [String]? {
    let lines = try toolchain.compile(words)
    // The compiler's own files are of no use in a cache that was moved.
    guard lines?.contains(where: { $0.contains("was compiled with module cache path") }) == true else { return lines }
    cache.remove(Self.ownCache)
    return try toolchain.compile(words)
  }

  /// The flags that the app's files are compiled with.
  private struct Library {
    /// The folder of the macros and of the program's entry point.
    let folder: String
    /// The folder of the module `SwiftData`.
    var module: String
  }

  private static let object = "SwiftData.o"
  private static let schemaOptions = ["-D", "TRACKS_MIGRATE_SCHEMA"]

  /// Compiles the module `SwiftData` and its macros, once for each toolchain.
  private func library() throws(SwiftSchemaError) -> Library {
    let folder = try cache.entry("library-\(Self.programKey(toolchain, cache))") { folder throws(SwiftSchemaError) in
      let runner = "import SwiftData\n@main struct Runner { static func main() { SchemaProgram.main() } }\n"
      // The macros take longest, and the module only names them.
      try build([
        Part(
          module: "SwiftDataMacros", sources: EmbeddedSources.macros,
          words: syntax + ["-emit-library", "-lSwiftSyntaxMacros", "-lSwiftIfConfig", "-o", "\(folder)/\(Self.macros)"]),
        swiftData(in: folder, Self.schemaOptions),
      ])
      try build([
        Part(
          module: "Runner", sources: [("Runner.swift", Array(runner.utf8))],
          words: ["-I", folder, "-c", "-o", "\(folder)/Runner.o"])
      ])
    }
    return Library(folder: folder, module: folder)
  }

  /// Compiles the module `SwiftData` for objects that have values.
  private func stageModule() throws(SwiftSchemaError) -> String {
    try cache.entry("module-\(Self.programKey(toolchain, cache))") { folder throws(SwiftSchemaError) in
      try build([swiftData(in: folder, [])])
    }
  }

  private func swiftData(in folder: String, _ options: [String]) -> Part {
    Part(
      module: "SwiftData", sources: EmbeddedSources.swiftData,
      words: options + [
        "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault", "-emit-module",
        "-emit-module-path", "\(folder)/SwiftData.swiftmodule", "-c", "-o", "\(folder)/\(Self.object)",
      ])
  }

  /// Compiles the program that takes out what does not compile, which few apps need.
  private func prunerPath() throws(SwiftSchemaError) -> String {
    let name = Self.pruner
    return try cache.entry("\(name)-\(Self.programKey(toolchain, cache))") { folder throws(SwiftSchemaError) in
      try build([
        Part(
          module: "SourcePruner", sources: EmbeddedSources.pruner,
          words: syntax + ["-lSwiftParser", "-o", "\(folder)/\(name)"])
      ])
    } + "/\(name)"
  }

  /// A part of our own that is compiled at once.
  private struct Part {
    let module: String
    let sources: [EmbeddedSources.File]
    let words: [String]
  }

  private var syntax: [String] {
    let host = toolchain.hostLibraries
    return ["-I", host, "-L", host, "-lSwiftSyntax", "-Xlinker", "-rpath", "-Xlinker", host]
  }

  /// Compiles parts that do not depend on each other, all at the same time.
  private func build(_ parts: [Part]) throws(SwiftSchemaError) {
    try cache.withFolder { work throws(SwiftSchemaError) in
      let commands = try parts.map { part throws(SwiftSchemaError) in
        let files = try part.sources.map { name, text throws(SwiftSchemaError) in
          try cache.write(text, to: "\(work)/\(name)")
          return "\(work)/\(name)"
        }
        return Self.options(module: part.module, cache) + part.words + files
      }
      let isDone = commands.map { toolchain.start($0) }.map { $0?.answer()?.status == 0 }
      // A failure is repeated alone, which mends the cache or says why.
      for (words, isDone) in zip(commands, isDone) where !isDone {
        guard let report = try errors(of: words) else { continue }
        throw .unusableToolchain(compiler: toolchain.compiler, report: Array(report.prefix(20)))
      }
    }
  }
}
