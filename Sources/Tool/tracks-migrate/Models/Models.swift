import CommandLineArguments
import DataModel
import Migration
import MigrationDiagnostics
import ModelInspection
import PersistentStore

/// Groups the commands about models, which work for any app.
struct Models: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show, compare and check the data models of any app.",
    discussion: """
      A model is an .xcdatamodeld, .xcdatamodel, .momd or .mom, Swift source with @Model, or a store with a cached copy \
      of its model, which Core Data adds since iOS 9. For a bundle with several versions, the current one is used; to name \
      another one, add it after a colon: 'Model.xcdatamodeld:Model 2'. 'explain' and 'lint' also accept mapping models \
      (.xcmappingmodel and .cdm).

      EXAMPLES
        tracks-migrate models show Model.xcdatamodeld
        tracks-migrate models diff 'Model.xcdatamodeld:Model' Model.xcdatamodeld
        tracks-migrate models explain Library.sqlite Model.xcdatamodeld
      """,
    subcommands: [
      ShowModel.self, HashModels.self, DiffModels.self, ExplainModels.self, LintModels.self, GuardModels.self,
      FreezeModel.self, CompileModel.self,
    ],
    otherNames: ["model", "schema", "momd"],
    extraWords: { words, taken in
      taken.isEmpty && words.first.map(FileSystem.exists) == true
        ? "Name what to do with it first, as in: tracks-migrate models show \(ErrorMessage.shellPath(words[0]))" : nil
    })
}

/// The exit status of commands that found a difference or a problem.
let foundSomething = ExitCode(3)

/// The versions in the bundle of a model.
struct ModelVersionList {
  /// The names; empty if the model is not from a bundle with several versions.
  let names: [String]
  /// The current version, if the bundle names one.
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
  /// The versions in the bundle of the requested model; empty if a single model was named.
  var otherModels: [ManagedObjectModel] {
    guard kind == .model, versionName != nil, let bundle = try? bundle() else { return [] }
    return bundle.versions.compactMap { try? $0.model() }
  }
}
