import DataModel
import Foundation
import PersistentStore
import TestSupport
import Testing

@Suite("Options for migrating an app's store")
struct AppOptionTests {
  private static let statements = """
         with statements on whole tables, since no policy needs instances and SQL gives every value
    """

  private static let copying = "; the store is too small to be copied and given columns"

  private static let hops = """
      1. 'Notes' to 'Notes 2', by inference (lightweight)
    \(statements)\(copying)
      2. 'Notes 2' to 'Notes 3', by 'Notes_v2_to_v3.xcmappingmodel'
    \(statements)
      3. 'Notes 3' to 'Notes 4', by 'Notes_v3_to_v4.xcmappingmodel'
         instance by instance, since mapping 'AttachmentToImageAttachment' has the policy \
    'Policies.AttachmentToImageAttachmentMigrationPolicyV3toV4'

    """

  @Test func `A dry run prints the plan and changes nothing`() throws {
    let store = try SampleStore("Notes")
    let before = try store.folder.snapshot()
    let result = try store.run("--dry-run")
    #expect(result.status == 0)
    #expect(result.stderr == "")
    #expect(result.stdout == "'\(store.path)' goes from 'Notes' to 'Notes 4' in 3 hops:\n\(Self.hops)")
    #expect(try store.folder.snapshot() == before)
    let one = try store.run("--dry-run", "--to", "Notes 2")
    #expect(
      one.stdout == "'\(store.path)' goes from 'Notes' to 'Notes 2' in one hop:\n"
        + "  1. 'Notes' to 'Notes 2', by inference (lightweight)\n\(Self.statements)\(Self.copying)\n")
    #expect(
      try store.run("--dry-run", "--to", "Notes").stdout
        == "'\(store.path)' has the version 'Notes' already; nothing to do.\n")
    #expect(try store.folder.snapshot() == before)
  }

  @Test func `A dry run does not touch a write-ahead log`() throws {
    let template = try PictureStore()
    let folder = try TemporaryFolder()
    let store = try template.copy(to: folder)
    let before = try folder.snapshot()
    let result = try tracksMigrate(store, "--model", template.model, "--dry-run")
    // Two hops, one of them by a mapping model, each with its strategy.
    #expect(result.lines.count == 5, "\(result)")
    #expect(try folder.snapshot() == before)
  }

  @Test func `A strict dry run exits like the migration would and changes nothing`() throws {
    let store = try SampleStore("Notes")
    let loose = try store.run("--dry-run")
    let plan = try store.run("--dry-run", "--to", "Notes 2")
    #expect(try store.run("--dry-run", "--to", "Notes 2", "--strict").stdout == plan.stdout)
    // A problem that only the hops find, and one that the plan already finds.
    try Database.run("CREATE TABLE own (a CHECK (a)); INSERT INTO own VALUES (1)", in: store.path)
    let error = try store.refuse(65, "--to", "Notes 2", "--strict")
    let reason = "its definition holds an expression, which would have to be run"
    #expect(error.contains("'own' cannot be carried over: \(reason)"))
    #expect(try store.refuse(65, "--to", "Notes 2", "--strict", "--dry-run") == error)
    #expect(try store.run("--dry-run").stdout == loose.stdout + "  not kept: own (\(reason))\n")
    let output = store.folder.file("There.sqlite")
    try store.folder.write([], to: "There.sqlite")
    let existing = try store.refuse(73, "--strict", "--output", output)
    #expect(try store.refuse(73, "--strict", "--output", output, "--dry-run") == existing)
    let newer = try SampleStore("Notes", version: 2)
    let loss = try newer.refuse(65, "--to", "Notes", "--strict")
    #expect(try newer.refuse(65, "--to", "Notes", "--strict", "--dry-run") == loss)
  }

  @Test func `The plan lists the data that would be lost`() throws {
    let store = try SampleStore("Notes", version: 2)
    #expect(
      try store.run("--dry-run", "--to", "Notes").stdout
        .replacing(/; the search for mapping models ended at '.*' \(which has '.*'\).*; if there is one.*/, with: "")
          == """
          '\(store.path)' goes from 'Notes 2' to 'Notes' in one hop:
            1. 'Notes 2' to 'Notes', by inference (lightweight)
          \(Self.statements)
               'Note.image': the attribute is removed with all its values
               warning: 49 rows have a value of 'Note.image', which is removed from 'Notes 2' to 'Notes'; \
          if it has a new name, set its old one as the renaming identifier, or write a mapping model
               not used: the mapping model 'Notes_v2_to_v3.xcmappingmodel' to 'Notes 3'

          """)
  }

  @Test func `A newer or older version can be requested`() throws {
    let store = try SampleStore("Notes")
    try store.migrate("--to", "Notes 3", "--no-backup")
    #expect(try store.rows("SELECT count(*) FROM pragma_table_info('ZATTACHMENT') WHERE name = 'ZCAPTION'") == ["0"])
    try store.migrate("--to", "Notes 2", "--no-backup", "--allow-loss")
    #expect(try store.rows("SELECT count(*) FROM sqlite_schema WHERE name = 'ZATTACHMENT'") == ["0"])
    #expect(try store.rows("SELECT count(*) FROM ZNOTE") == ["60"])
    #expect(try store.folder.listing() == ["App.sqlite"])
    let error = try store.refuse(69, "--to", "Notes 7")
    #expect(error.contains("it has 'Notes', 'Notes 2', 'Notes 3', 'Notes 4'. Name one of its versions with --to."))
  }

  @Test func `A store that is already current is left alone`() throws {
    let store = try SampleStore("Notes")
    try store.migrate("--to", "Notes 2", "--no-backup")
    let before = try store.folder.snapshot()
    let result = try store.run("--to", "Notes 2", "--output", store.folder.file("New.sqlite"))
    #expect(result.status == 0)
    #expect(
      result.stderr == "'\(store.path)' has the version 'Notes 2' already; nothing to do.\n"
        + "'\(store.folder.file("New.sqlite"))' was not written.\n")
    #expect(try store.folder.snapshot() == before)
  }

  @Test func `Each hop needs a mapping model when inference is off`() throws {
    let store = try SampleStore("Notes")
    let error = try store.refuse(69, "--no-infer")
    #expect(
      error == "tracks-migrate: error: '\(store.path)' cannot be migrated to that version: from 'Notes' to 'Notes 4': "
        + "no mapping models lead there, and inference is turned off. No data was changed. Provide a mapping model "
        + "for the missing hop with --mapping, or another version with --to.\n")
    let other = try SampleStore("Notes", version: 2)
    try other.migrate("--no-infer")
  }

  @Test func `Mapping models can be named one by one or as a folder`() throws {
    let named = try SampleStore("Notes", version: 2)
    let files = ["Notes_v2_to_v3", "Notes_v3_to_v4"].map { SampleStore.data("Notes/\($0).xcmappingmodel") }
    try named.migrate("--mapping", files[1], "--mapping", files[0], "--no-infer")
    let folder = try SampleStore("Notes", version: 2)
    try folder.migrate("--mapping", SampleStore.data("Notes"), "--no-infer")
    #expect(try Files.bytes(named.path) == Files.bytes(folder.path))
    #expect(try folder.rows("SELECT count(*) FROM ZATTACHMENT WHERE ZWIDTH > 0") == ["44"])
  }

  @Test(arguments: [
    (
      "none.xcmappingmodel", 66,
      "Check the path; a mapping model is an .xcmappingmodel or .cdm, or a folder with some."
    ),
    (
      "empty", 66,
      "has no mapping model (.xcmappingmodel or .cdm). Name a mapping model or a folder that contains some."
    ),
    ("text.cdm", 78, "is not a usable mapping model"),
    ("Other.sqlite", 78, "is not a usable mapping model"),
    ("App.sqlite", 73, "the library would replace the file of '--mapping'"),
  ])
  func `Anything but a mapping model is reported with advice`(name: String, status: Int32, advice: String) throws {
    let store = try SampleStore("Notes")
    _ = try store.folder.makeFolder("empty")
    try store.folder.write(Array("no mapping model".utf8), to: "text.cdm")
    try store.folder.write(Files.bytes(store.path), to: "Other.sqlite")
    let error = try store.refuse(status, "--mapping", store.folder.file(name))
    #expect(error.contains("'\(store.folder.file(name))'"))
    #expect(error.contains(advice))
  }

  @Test func `Mapping models of another app are refused when they are named`() throws {
    let store = try SampleStore("Notes")
    let error = try store.refuse(78, "--mapping", SampleStore.data("Books/Books_v1_to_v2.xcmappingmodel"))
    #expect(error.contains("it leads from 'Books' to 'Books 2' with entities that are not among the versions 'Notes'"))
  }

  @Test func `A policy is refused when its replacement does not exist`() throws {
    let store = try SampleStore("Notes")
    let error = try store.refuse(64, "--policy", "Mine=Nobody")
    #expect(
      error.contains(
        "there is no policy 'Nobody'; the policies are AttachmentToImageAttachmentMigrationPolicyV3toV4, "
          + "BookToBookMigrationPolicy, TrackToTrackMigrationPolicy."))
    #expect(try store.refuse(64, "--policy", "Mine").contains("must have the form class=policy"))
  }

  @Test func `A model of another app is refused`() throws {
    let store = try SampleStore("Books")
    let result = try tracksMigrate(store.path, "--model", SampleStore.data("Notes/Notes.xcdatamodeld"))
    #expect(result.status == 69)
    #expect(
      result.stderr.contains("was written with an unknown model: none of the versions shares an entity"))
    #expect(try tracksMigrate(store.path, "--model", store.folder.file("none.momd")).status == 66)
    let other = try store.folder.write(Files.bytes(store.path), to: "Other.sqlite")
    #expect(try tracksMigrate(store.path, "--model", other).status == 65)
    let same = try tracksMigrate(store.path, "--model", store.path)
    #expect(same.status == 73 && same.stderr.contains("the library would replace the file of '--model'"), "\(same)")
    #expect(try store.folder.listing() == ["App.sqlite", "Other.sqlite"])
  }

  @Test func `Without a model the error names the --model option`() throws {
    let store = try SampleStore("Notes")
    let result = try tracksMigrate(store.path)
    #expect(result.status == 69)
    #expect(
      result.stderr.contains(
        "its entities are Note. Any app's store is migrated with its own model (--model)"))
    let options = [
      ["--mapping", "x"], ["--to", "x"], ["--policy", "a=b"], ["--join-table", "A.b"], ["--no-infer"], ["--allow-loss"],
    ]
    for option in options {
      let wrong = try CommandRunner([store.path] + option).run()
      #expect(wrong.status == 64)
      #expect(wrong.stderr.contains("'\(option[0])' requires '--model', the app's model."))
    }
  }

  @Test func `A policy for a class that no mapping model names is refused`() throws {
    let store = try SampleStore("Notes")
    let error = try store.refuse(64, "--policy", "Attachment=TrackToTrackMigrationPolicy")
    #expect(
      error.contains(
        "no mapping model names the policy class 'Attachment' of '--policy'; the classes that they name are "
          + "'Policies.AttachmentToImageAttachmentMigrationPolicyV3toV4'."))
    // The module may be left out.
    let name = "AttachmentToImageAttachmentMigrationPolicyV3toV4"
    #expect(try store.run("--policy", "\(name)=\(name)", "--dry-run").status == 0)
  }

  @Test func `A dry run and the run name the values in files that SQL cannot read`() throws {
    let folder = try TemporaryFolder()
    func attribute(_ more: String) -> String {
      #"<attribute name="data" optional="YES" attributeType="Binary" \#(more)/>"#
    }
    let model = try folder.writeAppModel(
      entity: "Picture", versions: [attribute(#"allowsExternalBinaryDataStorage="YES""#), attribute("")])
    let store = folder.file("App.sqlite")
    let first = try ModelBundle(path: model).version(named: "App").model()
    try StoreWriter(path: store, schema: StoreSchema(first), layout: .coreData).finish(
      metadata: .new(for: first, uuid: "ID"))
    let file = "00000001-ABCD-4EF0-8123-456789ABCDEF"
    try Database.run(
      "INSERT INTO ZPICTURE (Z_PK, Z_ENT, Z_OPT, ZDATA) VALUES (1, 1, 1, CAST(x'02' || '\(file)' || x'00' AS BLOB))",
      in: store)
    _ = try folder.makeFolder(".App_SUPPORT")
    _ = try folder.makeFolder(".App_SUPPORT/_EXTERNAL_DATA")
    try folder.write(Array("value".utf8), to: ".App_SUPPORT/_EXTERNAL_DATA/\(file)")
    let strategy = "     instance by instance, since Picture.data: 1 value lies in a file\n"
    let before = try folder.snapshot()
    #expect(try successfully(store, "--model", model, "--dry-run").stdout.hasSuffix(strategy))
    #expect(try folder.snapshot() == before)
    #expect(try successfully(store, "--model", model, "--verbose").stderr.contains(strategy))
    #expect(try Database.value("SELECT CAST(ZDATA AS TEXT) FROM ZPICTURE", in: store) == "value")
  }

  @Test func `Commands for track libraries point to info for any other store`() throws {
    let store = try SampleStore("Notes")
    try store.migrate("--to", "Notes 2", "--no-backup")
    for command in ["stats", "artists", "tracks"] {
      let result = try tracksMigrate(command, store.path)
      #expect(result.status == 69)
      #expect(!result.stderr.contains("--model"))
      #expect(
        result.stderr.contains(
          "This command works with track libraries only; see what any other store holds with: tracks-migrate info "))
    }
  }
}
