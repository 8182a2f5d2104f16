internal import DataModel
internal import MigrationDiagnostics
internal import PersistentStore

/// The commands `momc` and `mapc`: they take the arguments of Apple's compilers, and report errors in their form.
///
/// Build systems call them as they call Apple's: options, the source and the destination.
package struct CompilerCommand {
  /// Which compiler it is.
  package enum Tool: String {
    /// Models to `.momd` and `.mom`.
    case momc
    /// Mapping models to `.cdm`.
    case mapc

    fileprivate func ending(ofSource source: String) -> String {
      self == .mapc ? ".cdm" : source.hasSuffix(".xcdatamodel") ? ".mom" : ".momd"
    }
  }

  private let tool: Tool
  private var paths: [String] = []
  private var isDryRun = false
  private var isVerbose = false
  private var modelPath: String?
  private var compiler = ModelCompiler()
  private var mistake: String?

  /// Options of Apple's compilers whose value says nothing here.
  private static let ignoredWithValue: Set<String> = [
    "--sdkroot", "--module", "--action", "--target-device", "--minimum-deployment-target", "--platform",
  ]

  /// Reads the words after the command's name.
  package init(_ tool: Tool, _ arguments: [String]) {
    self.tool = tool
    // As Apple's do.
    compiler.replacesCompiled = true
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--dry-run": isDryRun = true
      case "--verbose", "-v": isVerbose = true
      case "--without-validation" where tool == .momc: compiler.leavesValidationOut = true
      case "--model" where tool == .mapc: modelPath = rest.popFirst()
      case _ where Self.ignoredWithValue.contains(word) || word.hasSuffix("-deployment-target"): _ = rest.popFirst()
      // Which warnings are wanted: there are none here.
      case _ where word.hasPrefix("--no-") || word.hasPrefix("--mapc-no-") || word.hasPrefix("--momc-no-"): break
      case _ where word.hasPrefix("-"): mistake = mistake ?? "unknown option '\(word)'"
      default: paths.append(word)
      }
    }
    if paths.count != 2 { mistake = mistake ?? "expected a source and a destination" }
  }

  /// Compiles.
  ///
  /// - Parameters:
  ///   - print: Takes what is told of the work.
  ///   - printError: Takes what is wrong, in the form `path: error: what`.
  /// - Returns: The exit status.
  package func run(print: (String) -> Void, printError: (String) -> Void) -> Int32 {
    if let mistake {
      printError("error: \(mistake)")
      printError("usage: \(tool.rawValue) [options] source destination")
      return 1
    }
    let source = paths[0]
    do throws(MigrationError) {
      let destination = destination(of: source)
      if isVerbose || isDryRun { print("\(source) -> \(destination)") }
      guard !isDryRun else { return 0 }
      if tool == .mapc {
        try compiler.compile(mappingModelAt: source, modelPath: modelPath, to: destination)
      } else {
        try compiler.compile(try ModelSource(path: source).bundle(), to: destination)
      }
      return 0
    } catch {
      let message = ErrorMessage(error)
      printError("\(error.subject.path ?? source): error: \(message.problem). \(message.advice)")
      return 1
    }
  }

  /// A destination that is a folder gets the source's name.
  private func destination(of source: String) -> String {
    let (path, ending) = (paths[1], tool.ending(ofSource: source))
    guard !path.hasSuffix(ending), path.hasSuffix("/") || FileStatus(path)?.kind == .directory else { return path }
    let name = source.split(separator: "/").last.map(String.init) ?? source
    let base = name.split(separator: ".").dropLast().joined(separator: ".")
    return "\(path.hasSuffix("/") ? String(path.dropLast()) : path)/\(base)\(ending)"
  }
}
