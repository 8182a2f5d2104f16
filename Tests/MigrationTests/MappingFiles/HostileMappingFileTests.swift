import PersistentStore
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

struct HostileMappingFileTests {
  private let note = MappingXML.Entity("a", from: "Note", to: "Note").attribute("title").relationship("files")

  private func problem(_ xml: MappingXML) -> MappingModelFileProblem? { problem(xml.bytes) }

  private func problem(_ bytes: [UInt8]) -> MappingModelFileProblem? {
    do throws(MappingModelFileError) {
      _ = try MappingModelFile(xml: bytes)
      return nil
    } catch {
      return error.problem
    }
  }

  @Test func `A truncated file throws an error at any length`() throws {
    let bytes = MappingXML(note).bytes
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(problem(Array(bytes.prefix(length))) != nil)
    }
    #expect(problem(bytes) == nil)
  }

  @Test func `Damage to a file causes at worst an error`() {
    let bytes = MappingXML(note.with("sourcefilterpredicatestring", "string", "title == 'x'")).bytes
    var random = SeededGenerator(seed: 3)
    var failures = 0
    let rounds = Rounds.count(100)
    for _ in 0..<rounds {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let (from, to) = (damaged.indices.randomElement(using: &random), damaged.indices.randomElement(using: &random))
        if let from, let to { damaged.swapAt(from, to) }
      }
      if problem(damaged) != nil { failures += 1 }
    }
    #expect(failures > rounds / 2)
  }

  @Test func `References that are circular, dangling or of the wrong kind throw errors`() throws {
    #expect(
      problem(MappingXML(listed: ["m"], note.objects))
        == .badReference(
          object: "the object 'm' of type XDDEVMAPPINGMODEL", relationship: "entitymappings", identifier: "m"))
    #expect(problem(MappingXML(listed: ["a", "b"], note.objects)) != nil)
    #expect(problem(MappingXML(listed: ["a-0"], note.objects)) != nil)
    let circle = MappingXML.object("XDDEVENTITYMAPPING", "c", [], [("attributemappings", ["c"])])
    #expect(problem(MappingXML(listed: ["c"], [circle])) != nil)
    // A set holds nothing twice.
    #expect(try MappingXML(listed: ["a", "a"], note.objects).file().entityMappings.count == 1)
  }

  @Test func `Duplicate objects and unusable names and numbers throw errors`() {
    #expect(problem(MappingXML(listed: ["a"], note.objects + note.objects)) == .duplicateObject(identifier: "a"))
    for number in ["99999999999999999999999", "32768", "x", "1.5", "-", " "] {
      guard case .badValue? = problem(MappingXML(note.with("mappingnumber", "int16", number))) else {
        Issue.record("'\(number)' was taken")
        continue
      }
    }
    guard case .badValue? = problem(MappingXML(note.relationship("x", ("autogenerateexpression", "bool", "2")))) else {
      Issue.record("a truth value of 2 was taken")
      return
    }
    guard case .missingAttribute? = problem(MappingXML(note.attribute(""))) else {
      Issue.record("a property without a name was taken")
      return
    }
    guard case .repeatedAttribute? = problem(MappingXML(note.attribute("x", ("name", "string", "y")))) else {
      Issue.record("two names were taken")
      return
    }
  }

  @Test(
    arguments: [
      ("", .file(.malformedXML)), ("<database/>", .notAMappingModel("it holds no object of type XDDEVMAPPINGMODEL")),
      ("<model/>", .notAMappingModel("it begins with <model> instead of <database>")),
      ("<database><object id=\"a\"/></database>", .missingAttribute(object: "an object", attribute: "type")),
      ("<database><object type=\"a\"/></database>", .missingAttribute(object: "an object", attribute: "id")),
      ("<!DOCTYPE d [<!ENTITY x \"y\">]><database/>", .file(.declaresEntities)),
      (String(repeating: "<database>", count: 100), .file(.tooComplex(limit: 1_000_000))),
    ] as [(String, MappingModelFileProblem)])
  func `A file of another kind is identified`(text: String, expected: MappingModelFileProblem) {
    #expect(problem(Array(text.utf8)) == expected)
  }

  @Test func `Two mapping models in one file and bytes that are not text throw errors`() {
    var xml = MappingXML(note)
    xml.objects.append(MappingXML.object("XDDEVMAPPINGMODEL", "m2", [], []))
    #expect(problem(xml) == .severalMappingModels)
    #expect(problem([0xFF, 0x3C]) == .file(.notUTF8))
  }

  @Test func `Errors name the file and the line`() throws {
    let xml = MappingXML(note.with("mappingnumber", "int16", "x"))
    let error = try #require(throws: MappingModelFileError.self) { try xml.file() }
    let line = try #require(
      xml.text.split(separator: "\n", omittingEmptySubsequences: false)
        .firstIndex { $0.contains("mappingnumber") })
    #expect(error.line == line + 1)
    #expect("\(error)".hasPrefix("M.xml:\(line + 1): the object 'a' of type XDDEVENTITYMAPPING has 'x'"))
  }

  @Test func `A file of three megabytes is read quickly`() throws {
    let rows = (0..<4000).reduce(MappingXML.Entity("a", from: "Note", to: "Note")) { $0.attribute("p\($1)") }
    let data = Array(repeating: String(repeating: "QUJD", count: 19) + "\n", count: 33_000).joined()
    var xml = MappingXML(rows)
    xml.objects.append(MappingXML.object("XDDEVORPHAN", "o", [("data", "binary", data)], []))
    let bytes = xml.bytes
    #expect(bytes.count > 3_000_000)
    var file: MappingModelFile?
    let time = try CPUTime.measure { file = try MappingModelFile(xml: bytes) }
    #expect(file?.entityMappings[0].attributeMappings.count == 4000)
    // It takes less than a second even without optimisation; the rest is for slow machines.
    #expect(time < .seconds(10 * Sanitizer.slowness))
  }
}
