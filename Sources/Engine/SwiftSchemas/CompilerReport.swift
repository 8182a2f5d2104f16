/// The errors of a compiler, as it prints them in LLVM's style: `file:line:column: error: text`.
struct CompilerReport {
  /// An error.
  struct Finding: Equatable {
    let file: String
    /// The line and the column, separated by a colon.
    let position: String
    let text: String

    /// The file and the line.
    var place: String { "\(file):\(position.prefix { $0 != ":" })" }
  }

  private let lines: [String]
  /// The errors, each once.
  var findings: [Finding] = []

  init(_ lines: [String]) {
    self.lines = lines
    var seen: Set<String> = []
    /// Whether the last error is in what a macro has made, and is not known by the app's line yet.
    var isExpanded = false
    for line in lines {
      if isExpanded, let place = Self.expansion(in: line), let last = findings.popLast() {
        let finding = Finding(file: place.file, position: place.position, text: last.text)
        if !findings.contains(finding) { findings.append(finding) }
        isExpanded = false
        continue
      }
      let parts = line.split(separator: ": error: ", maxSplits: 1).map { String($0) }
      guard parts.count == 2, seen.insert(line).inserted else { continue }
      isExpanded = false
      guard let place = Self.place(parts[0]) else { continue }
      findings.append(Finding(file: place.file, position: place.position, text: parts[1]))
      isExpanded = place.file.contains(Self.expansionMark)
    }
  }

  /// A part of the names of files that macros make.
  private static let expansionMark = "@__swiftmacro_"

  /// A place from `file:line:column`.
  private static func place(_ text: String) -> (file: String, position: String)? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 2, parts.suffix(2).allSatisfy({ Int($0) != nil }) else { return nil }
    return (parts.dropLast(2).joined(separator: ":"), parts.suffix(2).joined(separator: ":"))
  }

  /// The place in the app's file at which a macro was used, by the note that follows an error in its expansion.
  ///
  /// What SwiftData's macros make of a line that is wrong is wrong, too, and the line has its own error.
  private static func expansion(in line: String) -> (file: String, position: String)? {
    let parts = line.split(separator: ": note: in expansion of macro '", maxSplits: 1).map { String($0) }
    guard parts.count == 2, ["Predicate", "Expression"].contains(parts[1].prefix { $0 != "'" }),
      let place = place(parts[0]), !place.file.contains(expansionMark)
    else { return nil }
    return place
  }

  /// The modules that are not there.
  var missingModules: Set<String> {
    let names = findings.compactMap { Self.quoted(in: $0.text, after: "no such module ") }
    return Set(names.map { String($0.prefix { $0 != "." }) })
  }

  /// The names that the compiler did not find: of types, values and members.
  var missing: Set<String> {
    Set(findings.compactMap { Self.name(in: $0.text) ?? Self.quoted(in: $0.text, after: "has no member ") })
  }

  /// The error for the files' author.
  var error: SwiftSchemaError {
    var names: [SwiftSchemaError.MissingName] = []
    for finding in findings {
      guard let name = Self.name(in: finding.text), !names.contains(where: { $0.name == name }) else { continue }
      names.append(SwiftSchemaError.MissingName(name: name, place: finding.place))
    }
    if !names.isEmpty { return .missingNames(names) }
    // What a macro has made of a line that is wrong is wrong, too.
    let own = findings.filter { !$0.file.contains(Self.expansionMark) }
    let errors = (own.isEmpty ? findings : own).map { "\($0.place): error: \($0.text)" }
    return .compilerErrors(Array((errors.isEmpty ? lines : errors).prefix(20)))
  }

  /// The name that is missing by an error's text.
  static func name(in text: String) -> String? {
    quoted(in: text, after: "cannot find type ") ?? quoted(in: text, after: "cannot find ")
  }

  private static func quoted(in text: String, after words: String) -> String? {
    let parts = text.split(separator: words + "'", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? parts[1].split(separator: "'").first.map { String($0) } : nil
  }
}
