internal import CommandLineArguments
import Migration
public import Policies
import SystemC

extension ArtistIdentity: ExpressibleByArgument {}

/// The options for migrating libraries, one or many of them.
struct MigrationOptions: ParsableArguments {
  @OptionGroup(title: "An app's own store") var models: ModelOptions

  @Flag(
    help: ArgumentHelp(
      "Fail without changing anything if a track's artists cannot be read from its JSON, or if data outside the models "
        + "would be lost."))
  var strict = false

  @Flag(name: .customLong("no-backup"), help: "Delete the old library instead of keeping it as a backup.")
  var declinesBackup = false

  @Flag(help: "With --no-backup, discard JSON and other contents even if the new library does not have them.")
  var force = false

  @Flag(
    help: ArgumentHelp(
      "Re-read both libraries before replacing the old one, and fail on any difference; see 'tracks-migrate help "
        + "verify'."))
  var verify = false

  @Option(help: "How to recognize the same artist: by its exact name, or by its id if it has one.")
  var identity: ArtistIdentity = .name

  @OptionGroup(title: "Artists in the JSON") var json: JSONOptions

  @OptionGroup var decisions: DecisionsOption

  @OptionGroup var waiting: WaitOption

  @Flag(name: .customLong("no-space-check"), help: "Skip the free-space check.")
  var declinesSpaceCheck = false

  mutating func validate() throws {
    try models.requireModel()
    if force, !declinesBackup { throw ValidationError("'--force' requires '--no-backup'.") }
  }

  var trackOptions: TrackMigrationOptions {
    get throws {
      var options = TrackMigrationOptions(
        identity: identity, isStrict: strict, requiresArtists: declinesBackup && !force)
      options.json = try json.shape ?? .auto
      options.roles = try json.wantedRoles
      options.decisions = try decisions.value
      return options
    }
  }

  func settings(isQuiet: Bool, _ cancellation: MigrationCancellation) -> MigrationSettings {
    var settings = MigrationSettings()
    settings.keepsBackup = !declinesBackup
    settings.isStrict = strict
    settings.allowsLoss = models.allowsLoss
    settings.discardsContents = force
    settings.keepsHistory = models.keepsHistory
    settings.isVerified = verify
    settings.waiting = waiting.patience(isQuiet: isQuiet, cancellation)
    settings.checksSpace = !declinesSpaceCheck
    settings.cancellation = cancellation
    settings.options = words.map(\.spellingPathBytes)
    settings.contentPaths = decisions.paths
    if !isQuiet { settings.onRemark = StandardError.warning }
    return settings
  }

  /// The options that were given, as on a command line.
  var words: [String] {
    [
      strict ? "--strict" : nil, declinesBackup ? "--no-backup" : nil, force ? "--force" : nil,
      verify ? "--verify" : nil, identity == .name ? nil : "--identity=\(identity.rawValue)",
      decisions.decisions.map { "--decisions=\($0)" },
    ].compactMap { $0 } + models.words + json.words
  }
}
