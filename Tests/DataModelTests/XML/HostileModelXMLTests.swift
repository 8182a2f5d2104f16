import DataModel
import PropertyListFormat
import TestSupport
import Testing

@Suite struct HostileModelXMLTests {
  private func problem(_ bytes: [UInt8]) -> ModelFileProblem? {
    do throws(ModelFileError) { _ = try ManagedObjectModel(xml: bytes) } catch { return error.problem }
    return nil
  }

  @Test(arguments: [
    "<!DOCTYPE m [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>]><model><entity name='&b;'/></model>",
    "<!DOCTYPE m [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><model><entity name='E'/>&x;</model>",
    "<!DOCTYPE m [<!ENTITY % x SYSTEM 'http://example.invalid/'> %x;]><model/>",
  ])
  func `Entity declarations are refused`(text: String) {
    #expect(problem(Array(text.utf8)) == .declaresEntities)
  }

  @Test(arguments: [
    "<?x?><model/>", "<model><?x-y?></model>", "<!DOCTYPE m [<?x?>]><model/>", "<?x y?><model><?z ?></model>",
    "<!DOCTYPE m [<!NOTATION n SYSTEM 'x'>]><model/>", "<!DOCTYPE m [<!NOTATION n PUBLIC 'x'>]><model/>",
    "<!DOCTYPE m [<!ATTLIST m b ENTITY #REQUIRED>]><model/>", "<!DOCTYPE m [<!ATTLIST m b ID #IMPLIED>]><model/>",
    "<?xml version='1.0'?><!DOCTYPE m [<!ELEMENT m ANY>]><model/>",
  ])
  func `Irrelevant processing instructions and declarations are skipped`(text: String) {
    #expect(problem(Array(text.utf8)) == nil)
    #expect(throws: PropertyListError.notAPropertyList) { try PropertyList(xml: Array(text.utf8)) }
  }

  @Test func `Other encodings are refused`() {
    #expect(problem(Array("<?xml version='1.0' encoding='UTF-16'?><model/>".utf8)) == .notUTF8)
    #expect(problem([0x3C, 0xFF]) == .notUTF8)
    #expect(problem(Array("<model/>".utf8.flatMap { [$0, 0, 0, 0] as [UInt8] })) == .notUTF8)
  }

  @Test func `Other files are refused`() {
    #expect(problem([]) == .malformedXML)
    #expect(problem(Array("hello".utf8)) == .malformedXML)
    #expect(problem(Array("<database/>".utf8)) == .notAModel(root: "database"))
    #expect(problem([UInt8](repeating: 32, count: (8 << 20) + 1)) == .tooLarge(limit: 8 << 20))
  }

  @Test(arguments: [
    "<model>&unknown;</model>", "<model a='&unknown;'/>", "<!DOCTYPE m SYSTEM 'x'><model>&unknown;</model>",
    "<!DOCTYPE m SYSTEM 'x'><model><entity name='a&amp;&unknown;b'/></model>",
    "<!DOCTYPE m PUBLIC 'x' 'y'><model><entity name='&unknown;'/></model>",
  ])
  func `An unknown entity reference throws an error`(text: String) {
    #expect(problem(Array(text.utf8)) == .malformedXML)
  }

  @Test func `Deep nesting is refused`() {
    let deep = String(repeating: "<model>", count: 100_000) + String(repeating: "</model>", count: 100_000)
    #expect(problem(Array(deep.utf8)) == .tooComplex(limit: 1_000_000))
  }

  @Test func `A truncated file throws an error, and flipped bytes never cause a trap`() throws {
    let model = try ManagedObjectModel(entities: PinnedModel.withInheritance[0].entities)
    let bytes = Array(try model.xml().utf8)
    for length in stride(from: 0, to: bytes.count, by: Rounds.areMany ? 7 : 31) {
      #expect(problem(Array(bytes.prefix(length))) != nil, "length \(length)")
    }
    let seed = UInt64.random(in: .min ... .max)
    print("HostileModelXMLTests seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.count(200) {
      var flipped = bytes
      flipped[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
      _ = problem(flipped)
    }
  }
}
