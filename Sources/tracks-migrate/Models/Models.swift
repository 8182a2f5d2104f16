import CommandLineArguments
import DataModel
import Migration

/// Everything about models, whatever app they are of.
struct Models: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show, compare and check the data models of any app.",
    discussion: """
      A model is an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store with a cached copy of its model, which Core \
      Data adds since iOS 9. For a bundle with several versions, the current one is used; to name another one, add it \
      after a colon: 'Model.xcdatamodeld:Model 2'. 'explain' and 'lint' also accept mapping models (.xcmappingmodel \
      and .cdm).

      EXAMPLES
        tracks-migrate models show Model.xcdatamodeld
        tracks-migrate models diff 'Model.xcdatamodeld:Model' Model.xcdatamodeld
        tracks-migrate models explain Library.sqlite Model.xcdatamodeld
      """,
    subcommands: [ShowModel.self, HashModels.self, DiffModels.self, ExplainModels.self, LintModels.self])
}

/// The status with which commands end that found a difference or something wrong.
let foundSomething = ExitCode(3)

/// The kinds of files that models are in, for completions.
let modelExtensions = ["xcdatamodeld", "xcdatamodel", "momd", "mom", "sqlite", "db", "store"]

/// The versions of the bundle that a model was taken from.
struct ModelVersionList {
  /// The names; none where the model is not from a bundle of several.
  let names: [String]
  /// The current one, if the bundle names one.
  let current: String?

  init(_ source: ModelSource) throws {
    guard source.kind == .model, let bundle = try? source.bundle() else {
      (names, current) = ([], nil)
      return
    }
    names = bundle.versions.map(\.name)
    current = try? bundle.currentVersion().name
  }
}

extension ModelSource {
  /// The versions in the bundle of one that was asked for; none where nothing but one model was named.
  var otherModels: [ManagedObjectModel] {
    guard kind == .model, versionName != nil, let bundle = try? bundle() else { return [] }
    return bundle.versions.compactMap { try? $0.model() }
  }
}
