import TestSupport
import Testing

/// Defaults from the environment.
@Suite("Environment variables")
struct EnvironmentTests {
  @Test func `A variable stands for an option that is not given`() throws {
    let json = try tracksMigrate("none.sqlite", environment: ["TRACKS_MIGRATE_ERRORS": "json"])
    #expect(json.stderr.hasPrefix("{\"level\":\"error\",\"code\":\"missing\""))
    let text = try tracksMigrate("none.sqlite", "--errors", "text", environment: ["TRACKS_MIGRATE_ERRORS": "json"])
    #expect(text.stderr.hasPrefix("tracks-migrate: error: there is no file 'none.sqlite'"))
    let color = try tracksMigrate("none.sqlite", environment: ["TRACKS_MIGRATE_COLOR": "always"])
    #expect(color.stderr.contains("\u{1B}[1;31merror:"))
    let empty = try tracksMigrate("none.sqlite", environment: ["TRACKS_MIGRATE_ERRORS": "", "TRACKS_MIGRATE_WAIT": ""])
    #expect(empty.status == 66)
  }

  @Test(arguments: [
    ("TRACKS_MIGRATE_ERRORS", "xml", "'TRACKS_MIGRATE_ERRORS' requires one of text, json."),
    ("TRACKS_MIGRATE_COLOR", "pink", "'TRACKS_MIGRATE_COLOR' requires one of auto, always, never."),
    (
      "TRACKS_MIGRATE_WAIT", "long",
      "the value 'long' of the environment variable 'TRACKS_MIGRATE_WAIT' is invalid for '--wait <seconds>'."
    ),
    ("TRACKS_MIGRATE_JOBS", "0", "'--jobs' requires a number from 1 to 256."),
  ])
  func `What a variable says wrongly is refused by its name`(name: String, value: String, message: String) throws {
    let result = try tracksMigrate("none.sqlite", environment: [name: value])
    #expect(result.status == 64 && result.stderr.contains(message), "\(result.stderr)")
  }

  @Test func `A file that is nearly named is suggested`() throws {
    let folder = try TemporaryFolder()
    try Files.write([1], to: folder.file("Library.sqlite"))
    try Files.write([1], to: folder.file(".Librery.sqlite"))
    #expect(
      try tracksMigrate(folder.file("Librery.sqlite")).stderr.hasSuffix(
        "Did you mean '\(folder.file("Library.sqlite"))'?\n"))
    #expect(try tracksMigrate(folder.file("Other.sqlite")).stderr.contains("Check the path."))
  }
}
