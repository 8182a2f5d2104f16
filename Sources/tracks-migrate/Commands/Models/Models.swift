import CommandLineKit

/// Everything about models, whatever app they are of.
struct Models: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show, compare and check the data models of any app.",
    discussion: """
      A model is an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that keeps a copy of its own model, as Core \
      Data's stores do since iOS 9. Of a bundle with several versions the current one is taken; another one is named \
      after a colon: 'Model.xcdatamodeld:Model 2'. 'explain' and 'lint' take mapping models too: an .xcmappingmodel \
      or .cdm.

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
