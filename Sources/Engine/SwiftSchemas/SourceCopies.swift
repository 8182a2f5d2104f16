internal import SystemC

/// Copies of an app's files, for those that are not compiled as they are.
///
/// A copy says which file it is of, so that the compiler reports that one. Its lines have the same numbers.
struct SourceCopies {
  private let folder: String
  private let cache: SchemaCache
  /// The copies by the paths of the files, without what is added for the compiler.
  private var copies: [String: String] = [:]
  /// The errors at which something was taken out, by what the pruner calls them.
  private var pruned: [String: CompilerReport.Finding] = [:]

  init(folder: String, cache: SchemaCache) {
    (self.folder, self.cache) = (folder, cache)
  }

  /// The path that is compiled for a file.
  func path(_ file: SwiftSources.File) -> String { copies[file.path].map { "\($0).swift" } ?? file.path }

  /// Copies a file.
  mutating func add(_ file: SwiftSources.File) throws(SwiftSchemaError) {
    let copy = "\(folder)/\(copies.count)"
    try cache.write(file.bytes, to: copy)
    try complete(copy, of: file)
  }

  /// Takes out the code that the compiler reports.
  ///
  /// - Returns: The errors at which nothing can be taken out.
  mutating func prune(
    _ files: [SwiftSources.File], _ report: CompilerReport, by program: String
  ) throws(SwiftSchemaError) -> CompilerReport {
    var rest = report
    rest.findings = []
    for file in files {
      let all = report.findings.filter { $0.file == file.path }
      guard !all.isEmpty else { continue }
      let findings = ranked(all)
      let copy = copies[file.path] ?? "\(folder)/\(copies.count)"
      let words = [program, copies[file.path] ?? file.path, copy] + findings.map { "\($0.position) \($0.text)" }
      let answer = try SwiftToolchain.run(words)
      guard answer.status == 0 else { return report }
      let kept = Set(String(decoding: answer.output, as: UTF8.self).split(separator: "\n"))
      rest.findings += findings.filter { kept.contains($0.position[...]) }
      for finding in findings { pruned["\(copy.dropFirst(folder.count + 1)):\(finding.position)"] = finding }
      try complete(copy, of: file)
    }
    var causes: [CompilerReport.Finding] = []
    for cause in rest.findings.compactMap(cause) where !causes.contains(cause) { causes.append(cause) }
    // The other errors may follow from these, unless they are names that are missing.
    if !causes.isEmpty { rest.findings = causes + rest.findings.filter { CompilerReport.name(in: $0.text) != nil } }
    return rest
  }

  /// Errors in the order in which they explain others: of several in a type, the last one is remembered.
  private func ranked(_ findings: [CompilerReport.Finding]) -> [CompilerReport.Finding] {
    let names = findings.filter { CompilerReport.name(in: $0.text) != nil }
    let causes = findings.filter { cause(of: $0) != nil }
    return findings.filter { !names.contains($0) && !causes.contains($0) } + names + causes
  }

  /// The error because of which a type is left out, for an error that says that it is.
  private func cause(of finding: CompilerReport.Finding) -> CompilerReport.Finding? {
    var cause: CompilerReport.Finding?
    // A type may be left out because another one is, and two may use each other.
    for _ in 0..<10 {
      let mark = (cause ?? finding).text.split(separator: "leftOut ").dropFirst().last
      guard let mark, let next = pruned[String(mark)] else { break }
      cause = next
    }
    return cause
  }

  /// Puts back what was taken out: more files may have what it needs.
  mutating func restore(_ files: [SwiftSources.File]) throws(SwiftSchemaError) {
    for file in files {
      guard let copy = copies[file.path] else { continue }
      try cache.write(file.bytes, to: copy)
      try complete(copy, of: file)
    }
  }

  private mutating func complete(_ copy: String, of file: SwiftSources.File) throws(SwiftSchemaError) {
    let quoted = file.path.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : "\($0)" }.joined()
    let head = "#sourceLocation(file: \"\(quoted)\", line: 1)\n"
    try cache.write(Array(head.utf8) + SwiftSources.read(copy), to: "\(copy).swift")
    copies[file.path] = copy
  }
}
