import CoreDataExpressions
import DataModel
import Foundation
import MappingModels
import Migration
import MigrationTesting
import MyAppMigration
import TestSupport
import Testing

/// What rehearsals are there for goes wrong in the files of the tutorial's team, with its own policy, and is mended.
@Suite("Rehearsals of an app team's migrations")
struct AppTeamTests {
  private let folder: TemporaryFolder
  private var bundle: String { folder.file("MyApp.xcdatamodeld") }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["MyApp.xcdatamodeld", "MyApp_v1_to_v2.xcmappingmodel"] {
      try Files.copy("\(TutorialFixture.folder)/\(name)", to: folder.file(name))
    }
  }

  private func failures() throws -> [String] {
    var tool = MyAppMigrator.makeTool()
    tool.modelPath = bundle
    var rehearsal = MigrationRehearsal(tool: tool)
    rehearsal.storePaths = [TutorialFixture.store]
    let results = try rehearsal.run()
    #expect(results.map(\.version) == ["MyApp", "MyApp 2", "MyApp"])
    return results.flatMap { result in
      result.checks.compactMap { check in check.failure.map { "\(result.version), \(check.name): \($0)" } }
    }
  }

  private func map(_ source: String, _ destination: String, _ mappings: [EntityMapping], to file: String) throws {
    let models = try [source, destination].map { try ModelBundle(path: bundle).version(named: $0).model() }
    let writer = MappingModelWriter(
      source: models[0], destination: models[1], sourceModelPath: "MyApp.xcdatamodeld/\(source).xcdatamodel",
      destinationModelPath: "MyApp.xcdatamodeld/\(destination).xcdatamodel")
    try FileManager.default.createDirectory(atPath: folder.file(file), withIntermediateDirectories: true)
    try Files.write(
      try writer.xml(of: MappingModel(entityMappings: mappings)), to: folder.file("\(file)/xcmapping.xml"))
  }

  private func entity(_ name: String, _ version: String) throws -> EntityDescription {
    try #require(try TutorialFixture.model(version).entity(named: name))
  }

  @Test func `The team's migrations pass`() throws {
    #expect(try failures() == [])
  }

  @Test func `A filter that loses recipes is found, and gone without it`() throws {
    var recipes = EntityMapping.suggested(
      from: try entity("Recipe", "MyApp"), to: try entity("Recipe", "MyApp 2"), policy: "MyApp.RecipeToRecipePolicy")
    let ingredients = EntityMapping(
      mappingType: .add, source: nil, destination: try entity("Ingredient", "MyApp 2"))
    recipes.filterPredicate = try .init(format: "rating > 0")
    try map("MyApp", "MyApp 2", [recipes, ingredients], to: "MyApp_v1_to_v2.xcmappingmodel")
    let failures = try failures()
    #expect(failures.count == 2 && failures.allSatisfy { $0.contains("MyApp, planned: ") }, "\(failures)")
    #expect(failures.last?.contains("left out 1 row from 'MyApp' to 'MyApp 2'") == true, "\(failures)")
    recipes.filterPredicate = nil
    try map("MyApp", "MyApp 2", [recipes, ingredients], to: "MyApp_v1_to_v2.xcmappingmodel")
    #expect(try self.failures() == [])
  }

  @Test func `A new rule that old recipes break fails validation, until it fits`() throws {
    let path = "\(bundle)/MyApp 3.xcdatamodel/contents"
    let text = try Files.text(path)
    func rule(_ least: String) throws {
      try Files.write(
        text.replacing(#" elementID="rating""#, with: #" minValueString="\#(least)" elementID="rating""#), to: path)
    }
    try rule("1")
    let failures = try failures()
    #expect(failures.count == 3 && failures.allSatisfy { $0.contains("Recipe, stars: ") }, "\(failures)")
    try rule("-32768")
    #expect(try self.failures() == [])
  }

  @Test func `A required attribute without a value for old recipes is refused, until it has a default`() throws {
    let path = "\(bundle)/MyApp 3.xcdatamodel/contents"
    let text = try Files.text(path)
    let optional = #"<attribute name="lastCooked" optional="YES" "#
    try Files.write(text.replacing(optional, with: #"<attribute name="lastCooked" "#), to: path)
    let failures = try failures()
    #expect(failures.count == 3 && failures.allSatisfy { $0.contains("'Recipe.lastCooked'") }, "\(failures)")
    let mended = #"<attribute name="lastCooked" defaultDateTimeInterval="0" "#
    try Files.write(text.replacing(optional, with: mended), to: path)
    #expect(try self.failures() == [])
  }

  @Test func `A short cut that forgets the ingredients differs from the way of the versions`() throws {
    var direct = EntityMapping.suggested(from: try entity("Recipe", "MyApp"), to: try entity("Recipe", "MyApp 3"))
    let place = try #require(direct.attributeMappings.firstIndex { $0.name == "stars" })
    direct.attributeMappings[place].valueExpression = try .init(format: "$source.rating")
    let ingredients = EntityMapping(mappingType: .add, source: nil, destination: try entity("Ingredient", "MyApp 3"))
    try map("MyApp", "MyApp 3", [direct, ingredients], to: "MyApp_v1_to_v3.xcmappingmodel")
    let failures = try failures()
    #expect(
      failures.count == 2 && failures.allSatisfy { $0.contains("MyApp, same result: 'Ingredient' has 0 rows") },
      "\(failures)")
    try FileManager.default.removeItem(atPath: folder.file("MyApp_v1_to_v3.xcmappingmodel"))
    #expect(try self.failures() == [])
  }
}
