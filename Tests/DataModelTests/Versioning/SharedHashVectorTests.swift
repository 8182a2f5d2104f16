import DataModel
import Foundation
import TestSupport
import Testing

/// One entity whose hash Apple's tools computed, with a model that contains it.
struct HashVector: Decodable, Sendable, CustomTestStringConvertible {
  let source: String
  let entity: String
  let hash: String
  let contents: String

  var testDescription: String { "\(entity) \(hash.prefix(8))" }

  static let all: [HashVector] =
    (try? JSONDecoder().decode([HashVector].self, from: Data(contentsOf: SharedFolder.vectors))) ?? []
}

@Suite(.enabled(if: SharedFolder.hasVectors, "needs ../shared/hash-vectors.json"))
struct SharedHashVectorTests {
  @Test func `All shared hash vectors are present`() {
    #expect(HashVector.all.count >= 104)
  }

  @Test(arguments: HashVector.all)
  func `Hashes equal Apple's`(vector: HashVector) throws {
    let model = try ManagedObjectModel(xml: Array(vector.contents.utf8), file: vector.source)
    let entity = try #require(model.entity(named: vector.entity))
    #expect(entity.versionHash.description == vector.hash)
  }

  @Test(arguments: HashVector.all)
  func `A model that is written again has the same hashes`(vector: HashVector) throws {
    let model = try ManagedObjectModel(xml: Array(vector.contents.utf8), file: vector.source)
    let again = try ManagedObjectModel(xml: Array(model.xml().utf8))
    #expect(again == model)
    #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
  }
}
