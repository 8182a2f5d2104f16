import DataModel
import PropertyList
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
  func `declared entities are refused`(text: String) {
    #expect(problem(Array(text.utf8)) == .declaresEntities)
  }

  @Test(arguments: [
    ("<?x?><model/>", "<?x?>"), ("<model><?x-y?></model>", "<?x-y?>"), ("<!DOCTYPE m [<?x?>]><model/>", "<?x?>"),
    ("<!DOCTYPE m [<!NOTATION n SYSTEM 'x'>]><model/>", "<!NOTATION"),
    ("<!DOCTYPE m [<!NOTATION n PUBLIC 'x'>]><model/>", "<!NOTATION"),
    ("<!DOCTYPE m [<!ATTLIST m b ENTITY #REQUIRED>]><model/>", "<!ATTLIST"),
    ("<!DOCTYPE m [<!ATTLIST m b ID #IMPLIED>]><model/>", "<!ATTLIST"),
  ])
  func `what Foundation's parser does not bear is refused`(text: String, markup: String) {
    #expect(problem(Array(text.utf8)) == .unsafeMarkup(markup))
    #expect(throws: PropertyListError.self) { try PropertyList(contentsOf: Array(text.utf8)) }
  }

  @Test func `instructions with content are passed over`() {
    #expect(
      problem(Array("<?xml version='1.0'?><?x y?><!DOCTYPE m [<!ELEMENT m ANY>]><model><?z ?></model>".utf8)) == nil)
  }

  @Test func `other encodings are refused`() {
    #expect(problem(Array("<?xml version='1.0' encoding='UTF-16'?><model/>".utf8)) == .notUTF8)
    #expect(problem([0x3C, 0xFF]) == .notUTF8)
    #expect(problem(Array("<model/>".utf8.flatMap { [$0, 0] as [UInt8] })) == .notUTF8)
  }

  @Test func `other files are refused`() {
    #expect(problem([]) == .malformedXML)
    #expect(problem(Array("hello".utf8)) == .malformedXML)
    #expect(problem(Array("<database/>".utf8)) == .notAModel(root: "database"))
    #expect(problem([UInt8](repeating: 32, count: (8 << 20) + 1)) == .tooLarge(limit: 8 << 20))
    #expect(problem(Array("<model>&unknown;</model>".utf8)) == .malformedXML)
  }

  @Test func `deep nesting is refused`() {
    let deep = String(repeating: "<model>", count: 100_000) + String(repeating: "</model>", count: 100_000)
    #expect(problem(Array(deep.utf8)) == .tooComplex(limit: 1_000_000))
  }

  @Test func `a file cut off anywhere is an error, and flipped bytes never trap`() throws {
    let model = try ManagedObjectModel(entities: PinnedModel.withInheritance[0].entities)
    let bytes = Array(try model.xml().utf8)
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(problem(Array(bytes.prefix(length))) != nil, "length \(length)")
    }
    let seed = UInt64.random(in: .min ... .max)
    print("HostileModelXMLTests seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1000 {
      var flipped = bytes
      flipped[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
      _ = problem(flipped)
    }
  }
}
