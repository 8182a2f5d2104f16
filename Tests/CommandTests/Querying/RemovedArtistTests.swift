import TestSupport
import Testing

@Suite("What an app has added to artists that decisions remove")
struct RemovedArtistTests {
  private let folder: TemporaryFolder
  private let library: String

  init() throws {
    folder = try TemporaryFolder()
    library = folder.file("L.sqlite")
    let feed = try folder.write(
      Array("{\"title\":\"t\",\"artists\":[\"A\",\"B\"]}\n{\"title\":\"u\",\"artists\":[\"A\"]}\n".utf8), to: "feed")
    try successfully("import", feed, library, "--quiet")
  }

  private func apply(_ decision: String, _ options: String...) throws -> CommandResult {
    let path = try folder.write(Array("decision\tartist\tinto\n\(decision)\n".utf8), to: "d")
    return try CommandRunner(["artists", "apply", library, path] + options).run()
  }

  private func links() throws -> [String] {
    try Database.rows(
      """
      SELECT a.ZNAME, l.Z_2TRACKS, l.ZORD FROM Z_1TRACKS l JOIN ZARTIST a ON a.Z_PK = l.Z_1ARTISTS ORDER BY 2, 3
      """, in: library)
  }

  private static let additions = """
    ALTER TABLE ZARTIST ADD ZNOTE; UPDATE ZARTIST SET ZNOTE = 'note of ' || ZNAME;
    ALTER TABLE Z_1TRACKS ADD ZORD; UPDATE Z_1TRACKS SET ZORD = Z_1ARTISTS * 10 + Z_2TRACKS;
    CREATE TABLE FAV (artist INTEGER REFERENCES ZARTIST (Z_PK) ON DELETE CASCADE, b REFERENCES zartist (ZNAME));
    INSERT INTO FAV VALUES (1, 'B'), (1, NULL), (2, 'B');
    """

  @Test(arguments: ["merge\tA\tB", "ignore\tA\t"]) func `Values and rows of the app's are named, and not lost for good`(
    decision: String
  ) throws {
    try Database.run(Self.additions, in: library)
    let isMerged = decision.hasPrefix("merge")
    let losses = [
      "1 value in 'ZARTIST.ZNOTE' is gone with its artist",
      isMerged
        ? "1 value in 'Z_1TRACKS.ZORD' is gone with its link" : "2 values in 'Z_1TRACKS.ZORD' are gone with their",
      "2 rows of 'FAV' refer to artists that are gone",
    ]
    let before = try Files.bytes(library)
    for result in [try apply(decision, "--no-backup"), try apply(decision, "--no-backup", "--dry-run")] {
      #expect(result.status == 65 && result.stderr.contains("or with --force to discard it."), "\(result)")
      for loss in losses { #expect(result.stderr.contains(loss), "\(result)") }
      #expect(try Files.bytes(library) == before)
    }
    let tried = try apply(decision, "--dry-run")
    for loss in losses { #expect(tried.status == 0 && tried.stdout.contains("Warning: \(loss)"), "\(tried)") }
    let applied = try apply(decision)
    for loss in losses { #expect(applied.status == 0 && applied.stderr.contains("warning: \(loss)"), "\(applied)") }
    #expect(try links() == (isMerged ? ["B|1|21", "B|2|12"] : ["B|1|21"]))
    try successfully("restore", library, "--quiet")
    let forced = try apply(decision, "--no-backup", "--force")
    #expect(forced.status == 0, "\(forced)")
  }

  @Test func `What no decision removes is no loss`() throws {
    try Database.run(Self.additions, in: library)
    let renamed = try apply("rename\tA\tC", "--no-backup")
    #expect(renamed.status == 0 && !renamed.stderr.contains("warning"), "\(renamed)")
  }

  @Test func `A link that moves takes its values along, to each of several artists`() throws {
    try Database.run(
      "ALTER TABLE Z_1TRACKS ADD ZORD; UPDATE Z_1TRACKS SET ZORD = Z_1ARTISTS * 10 + Z_2TRACKS", in: library)
    let split = try apply("split\tA\tC | D", "--no-backup")
    #expect(split.status == 0 && !split.stderr.contains("warning"), "\(split)")
    #expect(try links().sorted() == ["B|1|21", "C|1|11", "C|2|12", "D|1|11", "D|2|12"])
  }
}
