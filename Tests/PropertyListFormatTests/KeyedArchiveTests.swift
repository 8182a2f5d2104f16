import PropertyListFormat
import Testing

@Suite struct KeyedArchiveTests {
  private let plist = PropertyList.dictionary([
    "$version": .integer(100000), "$archiver": .string("NSKeyedArchiver"),
    "$top": .dictionary(["root": .uid(1), "other": .uid(0)]),
    "$objects": .array([.string("$null"), .dictionary(["self": .uid(1), "next": .uid(2)]), .string("two")]),
  ])

  @Test func `Objects are resolved one by one, so cycles do no harm`() throws {
    let archive = try KeyedArchive(contentsOf: plist.binary())
    let root = try #require(archive.root())
    #expect(archive.object(root["self"]) == root)
    #expect(archive.object(root["next"]) == .string("two"))
    #expect(archive.objects.count == 3)
    #expect(archive.archiver == "NSKeyedArchiver")
  }

  @Test func `References to nil or to missing objects give no object`() throws {
    let archive = try KeyedArchive(plist)
    #expect(archive.root("other") == nil)
    #expect(archive.root("unknown") == nil)
    #expect(archive.object(.uid(99)) == nil)
    #expect(archive.object(.uid(.max)) == nil)
    #expect(archive.object(.integer(7)) == .integer(7))
  }

  @Test func `Other property lists are not accepted as archives`() {
    #expect(throws: PropertyListError.notAnArchive) { try KeyedArchive(.array([])) }
  }
}
