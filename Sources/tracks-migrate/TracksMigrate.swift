import CommandLineKit
import TrackLibrary

/// The command with all its subcommands.
struct TracksMigrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tracks-migrate",
    abstract: "Migrate Core Data stores: a library of music tracks, or any app's store.",
    usage: """
      tracks-migrate <library> [<options>]
      tracks-migrate <subcommand>
      """,
    discussion: """
      A v1 library keeps each track's server answer as raw JSON. Migrating it to v2 turns the artists in there into \
      entities of their own, in a many-to-many relationship with the tracks. The old library is kept as a backup, and \
      at every instant the path leads to the whole old library or to the whole new one.

      With --model, any app's store is migrated: with the app's own models, mapping models and policies, over as many \
      versions as it takes.

      EXAMPLES
        tracks-migrate Library.sqlite                     migrate it, with a backup
        tracks-migrate Library.sqlite --output New.sqlite leave it alone, write a new one
        tracks-migrate Library.sqlite --dry-run           what that would make of it
        tracks-migrate restore Library.sqlite             take the migration back
        tracks-migrate artists New.sqlite --name bjork    find Björk
        tracks-migrate stats New.sqlite --format json     what the migration did
        tracks-migrate verify Library.sqlite              prove that nothing was lost
        tracks-migrate sample 1000 Try.sqlite             a library to try it on
        tracks-migrate App.sqlite --model App.xcdatamodeld --dry-run
                                                          the steps for an app's store

      EXIT STATUS
        0   done, or nothing to do
        1   no such artist, or several
        3   'verify' or 'models' found a difference, or something that leads to trouble
        64  wrong usage
        65  damaged, no Core Data store, not migrated yet, or --strict found something
        66  no such library, backup or model, or not readable
        69  the library's version is not known, or the model has no such version
        73  the result cannot be created
        74  reading or writing failed
        75  try again later: in use, no space left
        76  the library is newer than this program
        78  the mapping model does not fit, or its policy is missing

      Ctrl-C and the signals TERM and HUP end the command as they end any other, after it has cleaned up: shells tell \
      130, 143 and 129.
      """,
    version: toolVersion,
    subcommands: [
      Migrate.self, Restore.self, Artists.self, ShowArtist.self, Tracks.self, Stats.self, Verify.self, Info.self,
      Models.self, Sample.self,
    ],
    defaultSubcommand: Migrate.self)

  /// What may stand where a command stands.
  static let commandNames = [
    "migrate", "restore", "artists", "artist", "tracks", "stats", "verify", "info", "models", "sample",
    "help",
  ]
}
