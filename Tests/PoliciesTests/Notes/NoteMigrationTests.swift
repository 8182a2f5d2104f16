import DataModel
import Migration
import MigrationDiagnostics
import Policies
import Samples
import TestSupport
import Testing

/// Migrations of the note library, one version at a time.
struct NoteMigrationTests {
  private static let notes =
    "SELECT Z_PK, hex(ZTITLE), hex(ZBODY), ZBODY IS NULL, ZDATECREATED, ZDISPLAYINDEX FROM ZNOTE ORDER BY 1"

  private func migrated(count: Int = 60, seed: UInt64 = 42) throws -> (ExampleMigration, MigrationStatistics) {
    let library = try ExampleMigration(.notesV2, count: count, seed: seed)
    try library.migrate(to: NotesModel.v3, by: NotesMapping.v2ToV3)
    return (library, try library.migrate(to: NotesModel.v4, by: NotesMapping.v3ToV4))
  }

  @Test func `Notes of version 1 go through all versions`() throws {
    let library = try ExampleMigration(.notes, count: 60)
    try library.migrate(to: NotesModel.v2, by: NotesMapping.v1ToV2)
    #expect(try library.rows("SELECT count(*), count(ZIMAGE) FROM ZNOTE") == ["60|0"])
    try library.migrate(to: NotesModel.v3, by: NotesMapping.v2ToV3)
    let statistics = try library.migrate(to: NotesModel.v4, by: NotesMapping.v3ToV4)
    #expect(try library.rows(Self.notes) == Database.rows(Self.notes, in: library.paths[0]))
    #expect(try library.rows("SELECT * FROM ZATTACHMENT").isEmpty)
    #expect(statistics.destinationInstanceCounts == ["Note": 60])
    #expect(statistics.counters.isEmpty)
  }

  @Test func `Every note with an image gets an attachment, and the others get none`() throws {
    let library = try ExampleMigration(.notesV2, count: 60)
    let statistics = try library.migrate(to: NotesModel.v3, by: NotesMapping.v2ToV3)
    let images = "ZTITLE, hex(ZIMAGE)"
    let attachments = try library.rows(
      "SELECT \(images), a.ZDATECREATED = n.ZDATECREATED FROM ZATTACHMENT a JOIN ZNOTE n ON n.Z_PK = ZNOTE ORDER BY n.Z_PK"
    )
    #expect(
      try attachments
        == Database.rows("SELECT \(images), 1 FROM ZNOTE WHERE ZIMAGE NOTNULL ORDER BY Z_PK", in: library.paths[0]))
    #expect(statistics.destinationInstanceCounts == ["Attachment": attachments.count, "Note": 60])
    #expect(statistics.counters.isEmpty)
    #expect(try library.rows(Self.notes) == Database.rows(Self.notes, in: library.paths[0]))
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `Attachments become image attachments`(seed: UInt64) throws {
    let (library, statistics) = try migrated(count: 200, seed: seed)
    let attachments = "SELECT ZNOTE, ZDATECREATED, hex(ZIMAGE) FROM ZATTACHMENT ORDER BY 1"
    #expect(try library.rows(attachments) == Database.rows(attachments, in: library.paths[1]))
    #expect(try library.rows(Self.notes) == Database.rows(Self.notes, in: library.paths[0]))
    // Attachment is 1 and ImageAttachment 2. There are no plain attachments.
    #expect(try library.rows("SELECT DISTINCT Z_ENT FROM ZATTACHMENT") == ["2"])
    #expect(
      try library.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
        == ["1|Attachment|0", "2|ImageAttachment|1", "3|Note|0"])
    // The odd bodies are not among these, because a short body is the whole caption.
    #expect(
      try library.rows(
        """
        SELECT count(*) FROM ZATTACHMENT a JOIN ZNOTE n ON n.Z_PK = ZNOTE
        WHERE ZCAPTION IS NOT substr(ifnull(ZBODY, ''), 1, 80) AND n.Z_PK NOT IN (6, 7, 8, 9)
        """) == ["0"])
    #expect(try library.rows("SELECT count(*) FROM ZATTACHMENT WHERE ZWIDTH = 0 OR ZHEIGHT = 0") == ["5"])
    #expect(statistics.destinationInstanceCounts["Attachment"] == nil)
    #expect(statistics[MigrationManager.unassociatedCounter] == 0)
    #expect(try Database.integrity(library.path) == ["ok"])
  }

  @Test func `Width and height are the picture's, or unknown and counted`() throws {
    let (library, statistics) = try migrated(count: 27)
    #expect(
      try library.rows(
        """
        SELECT ZTITLE, ZWIDTH, ZHEIGHT FROM ZATTACHMENT a JOIN ZNOTE n ON n.Z_PK = ZNOTE WHERE n.Z_PK > 19 ORDER BY n.Z_PK
        """) == [
          "A large PNG|2000.0|10.0", "A tall JPEG|3.0|500.0", "A JPEG with fill bytes and a comment|12.0|8.0",
          "A PNG that was cut off|0.0|0.0", "A JPEG that was cut off|0.0|0.0", "A picture of no bytes|0.0|0.0",
          "A picture that is text|0.0|0.0", "A picture that is an archive|0.0|0.0",
        ])
    #expect(statistics[NoteCounter.unknownSize(.damaged)] == 3)
    #expect(statistics[NoteCounter.unknownSize(.unknownFormat)] == 1)
    #expect(statistics[NoteCounter.unknownSize(.archived)] == 1)
    #expect(statistics[NoteCounter.unknownSize(.absent)] == 0)
    let archived = try Database.rows(
      "SELECT 'attachment ' || Z_PK FROM ZATTACHMENT WHERE ZNOTE = 27", in: library.paths[1])
    #expect(statistics.examples[NoteCounter.unknownSize(.archived)] == archived)
  }

  @Test func `Captions are the beginnings of the notes' bodies`() throws {
    let (library, statistics) = try migrated(count: 13)
    let captions = try library.rows("SELECT ZCAPTION FROM ZATTACHMENT ORDER BY ZNOTE")
    #expect(captions.map(\.utf16.count) == [0, 0, 79, 80, 80, 79, 80, 80, 79, 80, 15, 80, 35])
    #expect(captions[6].hasSuffix(" s😀"))
    #expect(captions[5].hasSuffix(" st"))
    #expect(statistics[NoteCounter.shortenedCaptions] == 7)
    // The attributes are required, so none is NULL.
    #expect(try library.rows("SELECT count(*) FROM ZATTACHMENT WHERE ZCAPTION IS NULL") == ["0"])
  }

  @Test func `An attachment can lack its picture and its note`() throws {
    let library = try ExampleMigration(.notesV2, count: 3)
    try library.migrate(to: NotesModel.v3, by: NotesMapping.v2ToV3)
    try library.run(
      "UPDATE ZATTACHMENT SET ZIMAGE = NULL WHERE Z_PK = 2; UPDATE ZATTACHMENT SET ZNOTE = NULL WHERE Z_PK = 3")
    let statistics = try library.migrate(to: NotesModel.v4, by: NotesMapping.v3ToV4)
    #expect(
      try library.rows("SELECT ZNOTE, ZWIDTH, ZHEIGHT, ZCAPTION, ZIMAGE IS NULL FROM ZATTACHMENT")
        == ["1|12.0|8.0||0", "2|0.0|0.0||1", "NULL|12.0|8.0||0"])
    #expect(statistics[NoteCounter.unknownSize(.absent)] == 1)
  }

  @Test func `A note with several attachments keeps them all`() throws {
    let library = try ExampleMigration(.notesV2, count: 5)
    try library.migrate(to: NotesModel.v3, by: NotesMapping.v2ToV3)
    try library.run("UPDATE ZATTACHMENT SET ZNOTE = 3")
    try library.migrate(to: NotesModel.v4, by: NotesMapping.v3ToV4)
    #expect(
      try library.rows("SELECT ZNOTE, length(ZCAPTION), count(*) FROM ZATTACHMENT GROUP BY 1, 2") == ["3|79|5"])
  }

  @Test func `An expression without a result leaves the default`() throws {
    let library = try ExampleMigration(.notesV2, count: 1)
    try library.migrate(to: NotesModel.v3, by: NotesMapping.v2ToV3)
    try library.run("UPDATE ZATTACHMENT SET ZIMAGE = NULL")
    var mapping = NotesMapping.v3ToV4
    mapping.entityMappings[1].attributeMappings += [
      PropertyMapping(name: "width", valueExpression: .source("image")),
      PropertyMapping(name: "height", valueExpression: .constant(.real(2.5))),
    ]
    try library.migrate(to: NotesModel.v4, by: mapping)
    #expect(try library.rows("SELECT ZWIDTH, ZHEIGHT FROM ZATTACHMENT") == ["0.0|2.5"])
  }

  @Test(arguments: [
    ([], "No Attribute Mappings found!"),
    ([PropertyMapping(name: "", valueExpression: nil)], "Attribute destination not configured properly"),
  ])
  func `An unfinished mapping model is an error in the chapter's words`(
    mappings: [PropertyMapping], message: String
  ) throws {
    let library = try ExampleMigration(.notesV2, count: 1)
    try library.migrate(to: NotesModel.v3, by: NotesMapping.v2ToV3)
    var mapping = NotesMapping.v3ToV4
    mapping.entityMappings[1].attributeMappings = mappings
    let error = try #require(throws: MigrationError.self) { try library.migrate(to: NotesModel.v4, by: mapping) }
    #expect(error.code == .policyFailed)
    #expect(error.detail == message)
    #expect(error.subject.name == "AttachmentToImageAttachment")
  }
}
