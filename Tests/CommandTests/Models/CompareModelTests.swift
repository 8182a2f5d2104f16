import Foundation
import TestSupport
import Testing

@Suite("The models diff, explain and lint commands")
struct CompareModelTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let v1 = ModelFixture.tracks + ":Tracks"
  private let v2 = ModelFixture.tracks + ":Tracks 2"

  // MARK: - diff

  @Test func `The diff command lists changes and says whether stores must be migrated`() throws {
    let table = try tracksMigrate("models", "diff", v1, v2)
    #expect(table.status == 3)
    #expect(
      table.lines == [
        "The version hashes of 2 entities differ, so stores must be migrated; 4 changes.",
        "They can be migrated without a mapping model, but this is lost:",
        "  'Track.artistName': the attribute is removed with all its values",
        "  'Track.json': the attribute is removed with all its values",
        "ENTITY  KIND          NAME        CHANGE   FROM    TO                                                 VERSION HASH",
        "Artist  entity                    added            4 properties                                       changes",
        "Track   attribute     artistName  removed  String                                                     changes",
        "Track   attribute     json        removed  String                                                     changes",
        "Track   relationship  artists     added            to-many Artist, inverse tracks, on delete nullify  changes",
      ])
    #expect(
      try tracksMigrate("models", "diff", v2, v1, "--format", "json").differences()[0]
        == "Artist|entity||removed|4 properties||changes")
  }

  @Test func `The diff command shows that a composite became required`() throws {
    let version = { (optional: String) in
      "<entity name=\"P\"><attribute name=\"k\" attributeType=\"Composite\" composite=\"K\" \(optional)/></entity>"
        + "<composite name=\"K\"><attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></composite>"
    }
    let model = try folder.models(
      "M.xcdatamodeld", ["A": version("optional=\"YES\""), "B": version("")], current: "B")
    let result = try tracksMigrate("models", "diff", model + ":A", model + ":B", "--format", "json")
    #expect(try result.differences().contains { $0.hasPrefix("P|attribute|k|isOptional|YES|NO") }, "\(result)")
  }

  @Test func `The diff command succeeds for equal models`() throws {
    let result = try tracksMigrate("models", "diff", v2, ModelFixture.tracks)
    #expect(result.status == 0)
    #expect(result.stdout == "The models say the same.\n")
    let csv = try successfully("models", "diff", v1, v1, "--format", "csv")
    #expect(csv.lines == ["entity,kind,name,change,from,to,version_hash"])
  }

  @Test func `The diff command has readable names in tables and identifiers in JSON`() throws {
    let bundle = try folder.models(
      "M.xcdatamodeld",
      [
        "A":
          #"<entity name="P"><attribute name="x" attributeType="String"/></entity><entity name="C" parentEntity="P"/>"#,
        "B":
          #"<entity name="Q" elementID="P"><attribute name="x" attributeType="String" defaultValueString="d"/></entity><entity name="C" parentEntity="Q"/>"#,
        "C":
          #"<entity name="P"><attribute name="x" optional="YES" attributeType="String"/></entity><entity name="C" parentEntity="P"/>"#,
      ])
    let result = try tracksMigrate("models", "diff", "\(bundle):A", "\(bundle):B", "--format", "json")
    #expect(
      try result.differences() == [
        "C|entity||superentity|P|Q|changes", "Q|entity||renamed|P|Q|changes",
        "Q|attribute|x|defaultValue||d|same",
      ])
    let table = try tracksMigrate("models", "diff", "\(bundle):A", "\(bundle):B").stdout
    #expect(table.contains("parent (renamed)"))
    let inherited = try tracksMigrate("models", "diff", "\(bundle):A", "\(bundle):C", "--format", "json")
    #expect(
      try inherited.differences() == ["C|entity||inherited|||changes", "P|attribute|x|isOptional|NO|YES|changes"])
  }

  // MARK: - explain

  @Test func `The explain command names the version that a store matches`() throws {
    let library = try folder.library()
    let before = try folder.snapshot()
    let result = try tracksMigrate("models", "explain", library, ModelFixture.tracks)
    #expect(result.status == 0, "\(result)")
    #expect(result.lines.contains { $0.wholeMatch(of: /Tracks +yes +1 +0 +0 +0/) != nil }, "\(result)")
    #expect(result.lines.last?.hasSuffix("it can be opened without a migration.") == true)
    #expect(try folder.snapshot() == before)
    try successfully(library)
    let migrated = try tracksMigrate("models", "explain", library, ModelFixture.tracks, "--format", "json")
    #expect(migrated.status == 0)
    let json = try migrated.json()
    #expect(json["model"] as? String == v2)
    #expect(json["verdict"] as? String == "fits")
    #expect((json["versions"] as? [[String: Any]])?.map { $0["verdict"] as? String } == ["differs", "fits"])
  }

  @Test func `The explain command lists why a store does not match, even without its own model`() throws {
    let library = try folder.library()
    let result = try tracksMigrate("models", "explain", library, v2, "--format", "json")
    #expect(result.status == 3)
    #expect(
      try result.differences() == [
        "Artist|entity||added||4 properties|changes", "Track|attribute|artistName|removed|||changes",
        "Track|attribute|json|removed|||changes",
        "Track|relationship|artists|added||to-many Artist, inverse tracks, on delete nullify|changes",
        "Artist|table|ZARTIST|missing_table|||", "Track|column|ZARTISTNAME|unexplained_column|VARCHAR||",
        "Track|column|ZJSON|unexplained_column|VARCHAR||",
      ])
  }

  @Test func `The explain command finds the only difference in an edited model`() throws {
    let library = try folder.library()
    let xml = try Files.text(ModelFixture.tracks + "/Tracks.xcdatamodel/contents")
    let altered = xml.replacing(#"name="title" optional="YES""#, with: #"name="title""#)
    #expect(altered != xml)
    let path = try folder.makeFolder("M.xcdatamodel")
    try folder.write(Array(altered.utf8), to: "M.xcdatamodel/contents")
    let result = try tracksMigrate("models", "explain", library, path)
    #expect(result.status == 3)
    #expect(result.stdout.contains("1 entity is not the same."))
    #expect(
      result.lines.last?.wholeMatch(of: /Track +attribute +title +optional +YES +NO +changes/) != nil, "\(result)")
  }

  @Test func `The explain command names the nearest version`() throws {
    let library = try folder.library("L.sqlite", LibraryBuilder(hashes: ["Track": "00", "Artist": "11"]))
    let result = try tracksMigrate("models", "explain", library, ModelFixture.tracks)
    #expect(result.status == 3)
    #expect(result.stdout.contains("Tracks    no "))
    #expect(result.stdout.contains("no, but nearest"))
    #expect(result.stdout.contains("several things; no one or two changes give its version hash"))
  }

  @Test func `The explain command reports a store that matches only by its hashes`() throws {
    let library = try folder.library()
    try Database.run("ALTER TABLE ZTRACK DROP COLUMN ZTITLE", in: library)
    let result = try tracksMigrate("models", "explain", library, v1)
    #expect(result.status == 65)
    #expect(
      result.stderr.hasPrefix(
        "tracks-migrate: error: '\(library)' is damaged: its table 'ZTRACK' has no column 'ZTITLE' for 'Track.title'"))
  }

  @Test(.enabled(if: ModelFixture.hasCorpus, "needs ../shared/corpus"))
  func `The explain command lists the real differences of a store written by Apple's tools`() throws {
    let bookmarks = ModelFixture.corpus + "/duckduckgo-Bookmarks"
    let store = try folder.copyIfStore(bookmarks + "/Bookmarks_V3.sqlite")
    let result = try tracksMigrate(
      "models", "explain", store, bookmarks + "/BookmarksModel 4.xcdatamodel", "--format", "json")
    #expect(result.status == 3)
    let json = try result.json()
    #expect(json["evidence"] as? String == "model_cache")
    #expect(
      try result.differences() == [
        "BookmarkEntity|entity||renamingIdentifier|BookmarkEntity|favoriteFolder|same",
        "BookmarkEntity|relationship|favoriteFolder|removed|to-one BookmarkEntity, inverse favorites, on delete nullify||changes",
        "BookmarkEntity|relationship|favorites|inverseRelationship|favoriteFolder|favoriteFolders|changes",
        "BookmarkEntity|relationship|favoriteFolders|added||to-many BookmarkEntity, inverse favorites, on delete nullify|changes",
      ])
    let same = try tracksMigrate("models", "explain", store, bookmarks + "/BookmarksModel 3.xcdatamodel")
    #expect(same.status == 0, "\(same)")
  }

  // MARK: - lint

  @Test func `The lint command finds nothing in the track library's models`() throws {
    let result = try successfully("models", "lint", ModelFixture.tracks)
    #expect(result.stdout == "Nothing found.\n")
    let suggestions = try successfully("models", "lint", ModelFixture.tracks, "--suggest", "--format", "csv")
    // There is a mapping model between the two, so nothing is said of what inference would do.
    try #require(suggestions.lines.count == 2)
    #expect(suggestions.lines[1].hasPrefix("suggestion,Tracks 2,,,spare-room,"))
  }

  @Test func `The lint command reports the problem, its place and the remedy`() throws {
    let bundle = try folder.models(
      "M.xcdatamodeld",
      [
        "A": #"<entity name="E"><attribute name="x" attributeType="String"/></entity>"#,
        "B":
          #"<entity name="E"><attribute name="x" attributeType="String" defaultValueString="d"/></entity>"#,
        "C": "<nonsense",
        "D": #"<entity name="E"><relationship name="r" optional="YES" toMany="YES" destinationEntity="E"/></entity>"#,
      ], current: "B")
    let result = try tracksMigrate("models", "lint", bundle, "--format", "csv")
    #expect(result.status == 3)
    #expect(
      result.lines.dropFirst().map {
        $0.split(separator: ",", omittingEmptySubsequences: false).prefix(5).joined(separator: ",")
      }
        == ["error,C,,,unreadable-version", "warning,B,,,current-version-not-newest", "warning,B,,,same-hashes"])
    #expect(result.stdout.contains("E.x (default)"))
    let named = try tracksMigrate("models", "lint", "\(bundle):D")
    #expect(named.status == 3)
    #expect(named.stdout.contains("the relationship has no inverse"))
    #expect(named.stdout.contains("give it one"))
  }

  @Test(.enabled(if: ModelFixture.hasCorpus, "needs ../shared/corpus"))
  func `The lint command finds a real model left at an old version`() throws {
    let bundle = ModelFixture.corpus + "/coredataplus-SampleModel/SampleModel3/SampleModel3.xcdatamodeld"
    let result = try tracksMigrate("models", "lint", bundle)
    #expect(result.status == 3)
    #expect(result.stdout.contains("current-version-not-newest"))
  }

  // MARK: - The group

  @Test(arguments: ["show", "hash", "diff", "explain", "lint"])
  func `Every spelling prints the same help, with examples`(command: String) throws {
    let help = try successfully("models", command, "--help")
    #expect(help.stdout.contains("USAGE: tracks-migrate models \(command) "))
    #expect(help.stdout.contains("EXAMPLES\n  tracks-migrate models \(command) "))
    #expect(try successfully("help", "models", command).stdout == help.stdout)
    #expect(try successfully("models", "--help").stdout.contains("\n  \(command) "))
    #expect(try successfully("--generate-man-page").stdout.contains("models \(command)"))
    for shell in ["bash", "zsh", "fish"] {
      #expect(try successfully("--generate-completion-script", shell).stdout.contains(command))
    }
  }

  @Test func `The group alone prints its help`() throws {
    #expect(try successfully("models").stdout == successfully("models", "--help").stdout)
  }
}
