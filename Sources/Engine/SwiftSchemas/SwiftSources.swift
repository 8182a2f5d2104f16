internal import SystemC

/// The Swift files of an app: one file, or all those of a folder.
struct SwiftSources {
  /// A file with its text.
  struct File {
    let path: String
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// The files, sorted by path.
  let files: [File]

  /// Reads the files.
  init(_ path: String) throws(SwiftSchemaError) {
    // The compiler would take it for an option, or for a file of options.
    let path = path.hasPrefix("-") || path.hasPrefix("@") ? "./\(path)" : path
    files = try Self.paths(path).sorted().map { path throws(SwiftSchemaError) in
      File(path: path, bytes: try Self.read(path))
    }
  }

  /// Whether a path leads to Swift source: a file, or a folder with some in or below it.
  static func exist(at path: String) -> Bool {
    guard isFolder(path) else { return path.hasSuffix(".swift") && access(path, F_OK) == 0 }
    return (try? paths(path, isFirstEnough: true).isEmpty) == false
  }

  /// The files that declare models, versions or plans; the others may be needed by them.
  var roots: [File] {
    files.filter { file in
      let text = file.text
      return text.contains("VersionedSchema") || text.contains("SchemaMigrationPlan")
        || ["@Model", "@SwiftData.Model"].contains { attribute in
          // `@ModelActor` declares no model.
          text.split(separator: attribute, omittingEmptySubsequences: false).dropFirst()
            .contains { $0.first?.isLetter != true }
        }
    }
  }

  /// The names that are probably those of the app's own modules: a folder has the name, and no type.
  func ownModules(among names: Set<String>) -> Set<String> {
    guard !names.isEmpty else { return [] }
    let paths = files.map { realpath($0.path) ?? $0.path }
    let folders = Set(paths.flatMap { $0.split(separator: "/").dropLast() })
    return names.filter { folders.contains($0[...]) }.filter { Self.declaring([$0], files).isEmpty }
  }

  /// The files that declare one of these names: types, and values and members that only a few files declare.
  static func declaring(_ names: Set<String>, _ files: [File]) -> [File] {
    guard !names.isEmpty else { return [] }
    var declaring: [String: Set<Int>] = [:]
    for (index, file) in files.enumerated() {
      let words = words(file.text).map { String($0) }
      for (introducer, name) in zip(words, words.dropFirst()) where introducers.contains(introducer) {
        if names.contains(name) { declaring[name, default: []].insert(index) }
      }
    }
    let found = declaring.filter { name, files in name.first?.isUppercase == true || files.count <= 3 }
    return Set(found.values.joined()).sorted().map { files[$0] }
  }

  private static let typeIntroducers: Set<String> = ["struct", "class", "enum", "actor", "typealias"]
  private static let introducers = typeIntroducers.union(["protocol", "func", "var", "let", "macro", "case"])

  /// The files that extend a type of some files by types that these name.
  ///
  /// Without them, another type of the same name would be taken.
  static func extending(_ included: [File], _ files: [File]) -> [File] {
    var used: Set<Substring> = []
    var declared: Set<Substring> = []
    for file in included {
      let words = words(file.text)
      used.formUnion(words)
      for (introducer, name) in zip(words, words.dropFirst()) where typeIntroducers.contains(String(introducer)) {
        declared.insert(name)
      }
    }
    return files.filter { file in
      let extended = file.text.split(separator: "extension ", omittingEmptySubsequences: false).dropFirst()
      // `extension AppSchema.Trip: Codable`
      let paths = extended.map { $0.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } }
      let isOfThese = paths.contains { $0.split(separator: ".").last.map(declared.contains) == true }
      guard isOfThese else { return false }
      let words = words(file.text)
      return zip(words, words.dropFirst()).contains { introducer, name in
        typeIntroducers.contains(String(introducer)) && name.first?.isUppercase == true && used.contains(name)
      }
    }
  }

  private static func words(_ text: String) -> [Substring] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
  }

  // MARK: - Files

  /// Folders of packages and builds, and tests, which declare models of their own.
  private static func isPart(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.hasSuffix("Tests") && !["DerivedData", "Pods", "Carthage", "build"].contains(name)
  }

  private static func paths(_ path: String, isFirstEnough: Bool = false) throws(SwiftSchemaError) -> [String] {
    guard isFolder(path) else { return [path] }
    var found: [String] = []
    var waiting = [path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path]
    while let folder = waiting.popLast() {
      guard let entries = entries(inFolder: folder) else {
        throw .unreadable(path: folder, reason: String(cString: strerror(errno)))
      }
      for (name, kind) in entries where isPart(name) {
        let path = "\(folder)/\(name)"
        if kind == .folder {
          // The folder of a model or of an app holds no source.
          if !name.contains(".xc"), !name.hasSuffix(".app") { waiting.append(path) }
          // A link may lead to nothing.
        } else if name.hasSuffix(".swift"), name != "Package.swift", !isFolder(path), access(path, F_OK) == 0 {
          found.append(path)
          if isFirstEnough { return found }
        }
      }
    }
    return found
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  static func read(_ path: String) throws(SwiftSchemaError) -> [UInt8] {
    let descriptor = openRegularFile(path, O_RDONLY, followsLinks: true)
    guard descriptor >= 0 else { throw .unreadable(path: path, reason: openingFailure(errno)) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = SystemC.read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
      if count == 0 { return bytes }
      bytes += block[..<count]
    }
  }
}

extension SwiftSources.File {
  /// The modules that the file imports wherever it is compiled: what stands in `#if` may not be meant for here.
  var imports: Set<String> {
    var depth = 0
    var names: Set<String> = []
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.drop { $0 == " " || $0 == "\t" }
      if line.hasPrefix("#if") { depth += 1 }
      if line.hasPrefix("#endif") { depth -= 1 }
      guard depth == 0, line.hasPrefix("import ") || line.hasPrefix("@") && line.contains(" import ") else { continue }
      let words = line.split(separator: " ")
      guard let index = words.firstIndex(of: "import"), index + 1 < words.count else { continue }
      // `import struct SwiftUI.Color` names a kind before the module.
      let kinds = ["struct", "class", "enum", "protocol", "func", "typealias", "let", "var"]
      let name = kinds.contains(String(words[index + 1])) ? words.dropFirst(index + 2).first : words[index + 1]
      let module = name?.prefix { $0.isLetter || $0.isNumber || $0 == "_" } ?? ""
      if !module.isEmpty { names.insert(String(module)) }
    }
    return names
  }
}
