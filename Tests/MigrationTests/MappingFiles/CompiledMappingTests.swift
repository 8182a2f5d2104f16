import CoreDataExpressions
import DataModel
import PropertyListFormat
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

struct CompiledMappingTests {
  private let note = NoteModels.source.entity(named: "Note")
  private let newNote = NoteModels.destination.entity(named: "Note")

  private func resolved(_ mapping: CompiledMapping.Entity) throws -> EntityMapping {
    let model = try CompiledMapping(mappings: [mapping]).file()
      .mappingModel(source: NoteModels.source, destination: NoteModels.destination)
    return model.entityMappings[0]
  }

  private func problem(_ mapping: CompiledMapping.Entity) throws -> MappingModelFileProblem? {
    do {
      _ = try CompiledMapping(mappings: [mapping]).file()
      return nil
    } catch let error as MappingModelFileError {
      return error.problem
    }
  }

  @Test func `A compiled entity mapping keeps its filter, expressions, hashes and type`() throws {
    var mapping = CompiledMapping.Entity(filter: "title != nil")
    mapping.name = "Mine"
    mapping.type = 5
    mapping.sourceHash = note?.versionHash.bytes
    mapping.destinationHash = newNote?.versionHash.bytes
    mapping.attributes = [("title", .source("body")), ("body", nil), ("caption", .constant(.real(2)))]
    let result = try resolved(mapping)
    #expect(result.name == "Mine")
    #expect(result.mappingType == .transform)
    #expect(result.filterPredicate == (try Predicate(format: "title != nil")))
    #expect(result.sourceEntityVersionHash == note?.versionHash)
    #expect(
      result.attributeMappings == [
        PropertyMapping(name: "body", valueExpression: nil),
        PropertyMapping(name: "caption", valueExpression: .constant(.real(2))),
        PropertyMapping(name: "title", valueExpression: .source("body")),
      ])
    #expect(try resolved(CompiledMapping.Entity()).filterPredicate == nil)
  }

  @Test func `A mismatched hash is explained by the entity, the side and both hashes`() throws {
    let wrong = [UInt8](repeating: 7, count: 32)
    let mapping = CompiledMapping.Entity(sourceHash: wrong, destinationHash: wrong)
    let error = try #require(throws: MappingModelFileError.self) { try resolved(mapping) }
    let expected: [MappingModelFinding.Kind] = [
      .versionHashMismatch(
        entity: "Note", .source, file: VersionHash(bytes: wrong), model: try #require(note).versionHash),
      .versionHashMismatch(
        entity: "Note", .destination, file: VersionHash(bytes: wrong), model: try #require(newNote).versionHash),
    ]
    guard case .unusable(let findings) = error.problem else {
      Issue.record("another problem: \(error)")
      return
    }
    #expect(findings.map(\.kind) == expected)
    #expect("\(error)".contains(String(repeating: "07", count: 32)))
  }

  @Test func `An unsupported key of an entity mapping is an error that names it`() throws {
    for key in ["NSUserInfo", "NSPropertyTransforms"] {
      let mapping = CompiledMapping.Entity(attributes: [("title", nil)], propertyOthers: [(key, .string("x"))])
      guard case .unrepresentable("NoteToNote, title", key, _)? = try problem(mapping) else {
        Issue.record("no error for \(key)")
        continue
      }
    }
    guard case .unrepresentable("NoteToNote", "NSNew", _)? = try problem(.init(others: [("NSNew", .integer(1))])) else {
      Issue.record("no error")
      return
    }
    #expect(try problem(.init(others: [("NSNew", .uid(0))])) == nil)
  }

  @Test func `A source expression that is not a filter of the source entity throws an error`() throws {
    let count = Expression.fetch(
      request: .variable("x"), context: .key("sourceContext", of: .variable("manager")), countOnly: false)
    for expression in [Expression.variable("x"), count] {
      guard
        case .unrepresentable("NoteToNote", "NSSourceExpression", _)? = try problem(.init(sourceExpression: expression))
      else {
        Issue.record("no error for \(expression)")
        continue
      }
    }
    // Of another entity.
    guard case .unrepresentable? = try problem(.init(source: "File", sourceExpression: CompiledMapping.Entity().fetch))
    else {
      Issue.record("no error")
      return
    }
    let missing = CompiledMapping.Entity(others: [("NSSourceExpression", .uid(0))])
    #expect(
      try problem(missing)
        == .file(.badArchivedValue(subject: "NoteToNote", key: "NSSourceExpression", expected: "an expression")))
    #expect(try problem(.init(type: 3, destination: nil, others: [("NSSourceExpression", .uid(0))])) == nil)
  }

  @Test func `Values of the wrong kind throw errors`() throws {
    #expect(try problem(.init(type: 6)) != nil)
    #expect(try problem(.init(type: .max)) != nil)
    #expect(try problem(.init(sourceHash: [1])) != nil)
    #expect(try problem(.init(others: [("NSAttributeMappings", .integer(1))])) != nil)
    #expect(try problem(.init(others: [("NSMappingName", .integer(1))])) != nil)
    #expect(try problem(.init(others: [("NSUserInfo", .integer(1))])) != nil)
    let other = try #require(throws: MappingModelFileError.self) {
      try CompiledMapping(mappings: [], rootClass: "NSManagedObjectModel").file()
    }
    #expect(other.problem == .notAMappingModel("it holds an object of class NSManagedObjectModel"))
  }

  @Test func `Damage to a compiled file causes at worst an error`() throws {
    var mapping = CompiledMapping.Entity(filter: "title != nil")
    mapping.attributes = [("title", .source("body"))]
    let bytes = try CompiledMapping(mappings: [mapping]).bytes()
    var random = SeededGenerator(seed: 5)
    var failures = 0
    let rounds = Rounds.count(100)
    for _ in 0..<rounds {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { damaged.removeLast(Int.random(in: 1..<damaged.count, using: &random)) }
      do { _ = try MappingModelFile(archive: damaged) } catch { failures += 1 }
    }
    #expect(failures > rounds / 2)
  }
}
