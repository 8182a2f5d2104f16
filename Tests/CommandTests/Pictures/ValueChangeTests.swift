import Foundation
import TestSupport
import Testing

@Suite("The values on a page about a migrated store")
struct ValueChangeTests {
  private let folder: TemporaryFolder
  private let model: String
  private let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("App.sqlite")
    let old = """
      <attribute name="name" optional="YES" attributeType="String"/>
      <attribute name="rank" optional="YES" attributeType="Integer 32"/>
      <attribute name="at" optional="YES" attributeType="Date"/>
      """
    let new = """
      <attribute name="title" optional="YES" attributeType="String" elementID="name"/>
      <attribute name="rank" attributeType="Integer 32" defaultValueString="7"/>
      <attribute name="at" optional="YES" attributeType="Date"/>
      <attribute name="isNew" attributeType="Boolean" defaultValueString="YES"/>
      """
    model = try folder.models(
      "M.xcdatamodeld", ["v1": "<entity name=\"E\">\(old)</entity>", "v2": "<entity name=\"E\">\(new)</entity>"],
      current: "v2")
    try successfully("fixture", "new", "--rows", "9", "--model", "\(model):v1", store)
    try Database.run(
      "UPDATE ZE SET ZNAME = 'name ' || Z_PK, ZRANK = iif(Z_PK < 3, NULL, Z_PK), ZAT = Z_PK * 86400", in: store)
  }

  /// The section about values, as text.
  private func section(_ more: String...) throws -> String {
    let page = try successfully(["report", store, "--model", model, "--output", "-", "-q"] + more).stdout
    guard let start = page.firstRange(of: "id=\"values\"") else { return "" }
    let rest = page[start.upperBound...]
    let end = rest.firstRange(of: "</details>")?.lowerBound ?? rest.endIndex
    return String(rest[..<end]).replacing(/<[^>]*>/, with: " ").replacing(/\s+/, with: " ")
  }

  @Test func `What the migration and the app have changed is counted, and shown with the first of them`() throws {
    #expect(try section() == "")
    try successfully(store, "--model", model, "-q")
    let migrated = try section()
    #expect(migrated.contains("E: 9 rows"), "\(migrated)")
    // A required attribute takes its default, and a new one has it; a renamed one has the values that it had.
    #expect(migrated.contains("rank 2 row 1 : none → 7 row 2 : none → 7 "), "\(migrated)")
    #expect(migrated.contains("isNew (new) 9 row 1 : yes row 2 : yes row 3 : yes row 4 : yes row 5 : yes "))
    #expect(!migrated.contains("(was name"), "\(migrated)")
    try Database.run("UPDATE ZE SET ZTITLE = '<b>&amp;' WHERE Z_PK = 4", in: store)
    try Database.run("UPDATE ZE SET ZAT = ZAT + 1 WHERE Z_PK > 7; DELETE FROM ZE WHERE Z_PK = 9", in: store)
    let later = try section()
    #expect(later.contains("E: 8 rows"), "\(later)")
    #expect(later.contains("title (was name ) 1 row 4 : &#39;name 4&#39; → &#39;&lt;b&gt;&amp;amp;&#39; "), "\(later)")
    #expect(later.contains("at 1 row 8 : 2001-01-09T00:00:00Z → 2001-01-09T00:00:01Z "), "\(later)")
  }

  @Test func `Without a backup there is no such section, and a backup that is none is said`() throws {
    try successfully(store, "--model", model, "-q")
    try Files.write("nothing", to: store + ".v1-backup")
    #expect(try section().contains("The store could not be compared with its backup: "))
    try FileManager.default.removeItem(atPath: store + ".v1-backup")
    #expect(try section() == "")
  }

  @Test func `Rows that a policy has made are compared where as many values as before show what they were`() throws {
    for sample in ["Books", "Notes"] {
      let copy = folder.file("\(sample).sqlite")
      try Files.copy("\(Readme.root)/SampleData/\(sample)/library-v1.sqlite", to: copy)
      let model = "\(Readme.root)/SampleData/\(sample)/\(sample).xcdatamodeld"
      try successfully(copy, "--model", model, "-q")
      let page = try successfully("report", copy, "--model", model, "--output", "-", "-q").stdout
      #expect(page.contains("Every value is what it was: "), "\(sample)")
      #expect(page.contains("A policy has made the rows of <bdi>Book</bdi>") == (sample == "Books"))
      #expect(page.contains("The old version has no such entities: <bdi>Author</bdi>") == (sample == "Books"))
    }
  }
}
