import DataModel
import Foundation
import TestSupport
import Testing

@Suite("Compiled models")
struct CompileModelTests {
  private let folder: TemporaryFolder
  private let notes = Checkout.root.appending(path: "SampleData/Notes/Notes.xcdatamodeld").path

  init() throws { folder = try TemporaryFolder() }

  @Test func `A compiled bundle has the versions, hashes and current version of its source`() throws {
    let output = folder.file("Notes.momd")
    try successfully("models", "compile", notes, "--output", output)
    #expect(
      try Files.listing(output)
        == ["Notes 2.mom", "Notes 3.mom", "Notes 4.mom", "Notes.mom", "VersionInfo.plist"])
    let (source, compiled) = (try ModelBundle(path: notes), try ModelBundle(path: output))
    #expect(try compiled.currentVersion().name == source.currentVersion().name)
    for version in source.versions {
      let (old, new) = (try version.model(), try compiled.version(named: version.name).model())
      #expect(old.entityVersionHashesByName == new.entityVersionHashesByName)
    }
    let info = try #require(
      try PropertyListSerialization.propertyList(
        from: Data(Files.bytes("\(output)/VersionInfo.plist")), format: nil) as? [String: Any])
    let hashes = try #require(info["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
    #expect(Set(hashes.keys) == Set(source.versions.map(\.name)) && hashes["Notes"]?["Note"]?.count == 32)
    // A second one is not written over it.
    let again = try CommandRunner(["models", "compile", notes, "--output", output], folder: folder.path).run()
    #expect(again.status == 73, "\(again)")
    #expect(try folder.listing() == ["Notes.momd"])
  }

  @Test func `One version becomes a file, and another ending is refused`() throws {
    try successfully("models", "compile", "\(notes)/Notes 2.xcdatamodel", "--output", folder.file("N.mom"))
    #expect(try successfully("models", "diff", folder.file("N.mom"), "\(notes):Notes 2").stdout.isEmpty == false)
    let wrong = try CommandRunner(["models", "compile", notes, "--output", folder.file("N.mom2")], folder: folder.path)
      .run()
    #expect(wrong.status == 64 && wrong.stderr.contains("'.momd'"), "\(wrong)")
  }

  @Test func `Validation rules are not left out without a word`() throws {
    let model = try folder.makeFolder("V.xcdatamodel")
    try Files.write(
      """
      <?xml version="1.0" encoding="UTF-8"?><model><entity name="A"><attribute name="n" optional="YES" \
      attributeType="Integer 16" minValueString="1" maxValueString="9"/></entity></model>
      """, to: "\(model)/contents")
    let refused = try CommandRunner(
      ["models", "compile", model, "--output", folder.file("V.mom")], folder: folder.path
    ).run()
    #expect(refused.status == 69 || refused.status == 65 || refused.status == 66, "\(refused)")
    #expect(refused.stderr.contains("'A.n' has validation rules") && refused.stderr.contains("--without-validation"))
    #expect(try folder.listing() == ["V.xcdatamodel"])
    try successfully("models", "compile", model, "--output", folder.file("V.mom"), "--without-validation")
    #expect(try ModelBundle(path: folder.file("V.mom")).versions.count == 1)
  }
}
