import CommandLineArguments
import ModelInspection

/// A model on the command line, and the version of it that is asked for.
///
/// A version may be named after a colon, as in 'App.xcdatamodeld:App 2', wherever a model is named.
struct ModelChoice {
  /// The path of the model.
  let path: String
  /// The version that is asked for; `nil` for the current one.
  let versionName: String?

  /// - Parameter version: The value of `--to`.
  init(_ word: String, to version: String? = nil) throws {
    // What is not there is reported where it is read.
    guard let source = try? ModelSource(word), let named = source.versionName else {
      (path, versionName) = (word, version)
      return
    }
    if let version, version != named {
      throw ValidationError("'\(word)' names the version '\(named)', and '--to' names '\(version)'. Name one of them.")
    }
    (path, versionName) = (source.path, named)
  }

  /// The model that is named as an argument or with `--model`, as a command about all versions takes it.
  init(argument: String?, option: String?, to version: String? = nil) throws {
    if let argument, let option, argument != option {
      throw ValidationError("'\(argument)' and '\(option)' of '--model' are two models. Name one of them.")
    }
    try Self.checkPresence(argument, option)
    let word = argument ?? option ?? ""
    if let bundle = (try? ModelSource(word))?.surroundingBundle {
      throw ValidationError(
        "'\(word)' is one version of '\(bundle.path)'. Name the bundle, which has all of them; with "
          + "'\(bundle.path):\(bundle.versionName)' this version counts as the current one.")
    }
    try self.init(word, to: version)
  }

  /// - Throws: `ValidationError` if a model is named neither as an argument nor with `--model`.
  static func checkPresence(_ argument: String?, _ option: String?) throws {
    guard argument ?? option == nil else { return }
    throw ValidationError("the argument '<model>' is missing: name the app's model.")
  }
}

/// The models and mapping models of an app.
struct ModelOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The app's model (.xcdatamodeld, .momd, .xcdatamodel, .mom, or Swift files with @Model), for a store that is not a "
        + "track library; the version to migrate to may follow a colon.",
      valueName: "model", otherNames: ["schema", "momd", "m"]),
    completion: .model)
  var model: String?

  @Option(
    help: ArgumentHelp(
      "A mapping model (.xcmappingmodel or .cdm) or a folder with some in or below it; repeat for more, in order. "
        + "(default: those in the model's project)",
      valueName: "mapping"),
    completion: .file(.reads, extensions: ["xcmappingmodel", "cdm"]))
  var mapping: [String] = []

  @Option(
    help: ArgumentHelp(
      "The version to migrate to. (default: the model's current version)", valueName: "version",
      otherNames: ["to-version", "version-name", "target", "destination"]),
    completion: .versions)
  var to: String?

  @Option(
    help: ArgumentHelp(
      "Use a built-in policy for a policy class that a mapping model names.",
      valueName: "class=policy"))
  var policy: [String] = []

  @Option(
    help: ArgumentHelp(
      "Name a many-to-many table after this side of the relationship, if the summary says that its name is in doubt; "
        + "repeat for more.",
      valueName: "entity.relationship"))
  var joinTable: [String] = []

  @Flag(name: .customLong("no-infer"), help: "Only use mapping models; never infer one (no lightweight migration).")
  var declinesInference = false

  @Flag(
    name: .customLong("allow-loss"),
    help: ArgumentHelp(
      "Allow the new model or a mapping model to drop entities that have rows. Otherwise such a migration fails and "
        + "changes nothing."))
  var allowsLoss = false

  @Flag(
    name: .customLong("keep-history"),
    help: ArgumentHelp(
      "Carry persistent history over where every entity keeps its number and every row its key; otherwise it is left "
        + "behind and named."))
  var keepsHistory = false

  /// Makes sure that there is a model if there are options for one.
  func requireModel() throws {
    guard model == nil else { return }
    let given = [
      ("--mapping", !mapping.isEmpty), ("--to", to != nil), ("--policy", !policy.isEmpty),
      ("--join-table", !joinTable.isEmpty), ("--no-infer", declinesInference), ("--allow-loss", allowsLoss),
      ("--keep-history", keepsHistory),
    ].first { $0.1 }
    if let given { throw ValidationError("'\(given.0)' requires '--model', the app's model.") }
  }

  mutating func validate() throws {
    for assignment in policy where Self.parts(assignment) == nil {
      throw ValidationError("the value '\(assignment)' of '--policy' must have the form class=policy.")
    }
    for relationship in joinTable where relationship.split(separator: ".", omittingEmptySubsequences: false).count != 2
    {
      throw ValidationError("the value '\(relationship)' of '--join-table' must have the form Entity.relationship.")
    }
  }

  /// The options that were given, as on a command line.
  var words: [String] {
    [
      allowsLoss ? "--allow-loss" : nil, declinesInference ? "--no-infer" : nil, keepsHistory ? "--keep-history" : nil,
      model.map { "--model=\($0)" }, to.map { "--to=\($0)" },
    ].compactMap { $0 } + mapping.map { "--mapping=\($0)" } + policy.map { "--policy=\($0)" }
      + joinTable.map { "--join-table=\($0)" }
  }

  /// The options, besides files, that decide what is made of a store.
  var choices: [String] {
    [declinesInference ? "--no-infer" : "", keepsHistory ? "--keep-history" : "", to ?? ""] + policy.sorted() + [""]
      + joinTable.sorted()
  }

  /// The class names of policies, and their replacements.
  var policyNames: [(className: String, policy: String)] { policy.compactMap(Self.parts) }

  private static func parts(_ assignment: String) -> (className: String, policy: String)? {
    let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    return (parts[0], parts[1])
  }
}
