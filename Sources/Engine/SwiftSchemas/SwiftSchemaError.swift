/// A reason for which Swift source does not give a model.
package enum SwiftSchemaError: Error, Sendable, Hashable {
  /// A name that the compiler does not find, and the place that uses it.
  package struct MissingName: Sendable, Hashable {
    package let name: String
    package let place: String
  }

  case noModels
  case unreadable(path: String, reason: String)
  case noToolchain
  /// The compiler lacks the libraries that macros are built with.
  case unfitToolchain(compiler: String, missing: String)
  /// Our own module is not compiled by this toolchain.
  case unusableToolchain(compiler: String, report: [String])
  case missingNames([MissingName])
  case compilerErrors([String])
  /// The list of classes names one that is not there, or not one alone; the sentence says which.
  case unsuitableTypes(String)
  /// The compiled program did not write the models.
  case programFailed(report: [String])
  /// The compiler, or a program that it has made, was not run to its end.
  case notRun(program: String, reason: String)
  case unusableCache(path: String, reason: String)
  /// A shell that completes a word does not compile.
  case notCompiledYet
}

extension SwiftSchemaError {
  /// The problem, in one sentence.
  package var problem: String {
    switch self {
    case .noModels: "None of its Swift files declares an @Model class or a VersionedSchema."
    case .unreadable(let path, let reason): "'\(path)' cannot be read: \(reason)."
    case .noToolchain: "Swift source needs a Swift compiler, and there is no 'swiftc' in PATH."
    case .unfitToolchain(let compiler, let missing):
      "'\(compiler)' lacks '\(missing)', which macros are built with."
    case .unusableToolchain(let compiler, _): "'\(compiler)' cannot compile the module SwiftData of this program."
    case .missingNames(let names):
      "The files use names that they do not declare: \(names.map { "'\($0.name)' (\($0.place))" }.joined(separator: ", "))."
    case .compilerErrors(let lines) where lines.count == 1: "The Swift compiler reports an error."
    case .compilerErrors(let lines): "The Swift compiler reports \(lines.count) errors."
    case .unsuitableTypes(let sentence): sentence
    case .programFailed: "The compiled schemas did not give a model."
    case .notRun(let program, let reason): "'\(program)' cannot be run: \(reason)."
    case .unusableCache(let path, let reason): "The cache '\(path)' cannot be used: \(reason)."
    case .notCompiledYet: "The Swift source is not compiled yet."
    }
  }

  /// The advice, in one sentence.
  package var advice: String {
    switch self {
    case .noModels: "Name the folder or the file that declares the app's models."
    case .unreadable: "Check the permissions of the file and of its folders."
    case .noToolchain, .unfitToolchain, .unusableToolchain:
      "Install the toolchain of Swift 6.3 from https://www.swift.org/install and put its 'swiftc' into PATH."
    case .missingNames: "Add the files that declare them, or declare them in a file of stubs."
    case .compilerErrors: "Correct the files, or name a folder that has all files that the models need."
    case .unsuitableTypes: "Name @Model classes of the source, each as it is declared, such as 'AppSchemaV1.Trip'."
    case .programFailed:
      "Correct the source. 'models', 'versionIdentifier', 'schemas' and 'stages' have to do without a store."
    case .notRun:
      "Free some memory and run this again, or set XDG_CACHE_HOME to a folder from which programs may be run."
    case .unusableCache: "Set XDG_CACHE_HOME to a folder of your own that has free space."
    case .notCompiledYet: "Show the model once."
    }
  }

  /// The lines of another program about it.
  package var report: [String] {
    switch self {
    case .compilerErrors(let lines), .unusableToolchain(_, let lines), .programFailed(let lines): lines
    case .noModels, .unreadable, .noToolchain, .unfitToolchain, .missingNames, .unsuitableTypes, .notRun,
      .unusableCache, .notCompiledYet:
      []
    }
  }
}
