import Foundation
import Migration
import MigrationTesting
import MyAppMigration
import Testing

struct MigrationTests {
  let tool = MyAppMigrator.makeTool()
  let stores = MyAppMigrator.repository + "/Migration/Tests/Stores"

  @Test func everyPolicyIsRegistered() throws {
    #expect(try tool.unregisteredPolicyNames() == [])
  }

  @Test func everyStoreCanBeMigrated() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: stores).filter { $0.hasSuffix(".sqlite") }
    #expect(!names.isEmpty)
    for name in names {
      #expect(try tool.plan(forStoreAt: "\(stores)/\(name)").steps.isEmpty == false)
    }
  }

  @Test(arguments: ["MyApp", "MyApp 2"])
  func storesOfEveryVersionCanBeMigrated(version: String) throws {
    #expect(try tool.migrates(from: version))
  }

  @Test func recipesShareTheirIngredients() throws {
    // Migrating to a new file leaves the store of the old version alone.
    let output = FileManager.default.temporaryDirectory.path + "/MyApp-\(UUID().uuidString).sqlite"
    defer { try? FileManager.default.removeItem(atPath: output) }
    try tool.migrate(storeAt: "\(stores)/MyApp-v1.sqlite", to: output)

    let context = try tool.context(ofStoreAt: output)
    let recipes = try context.fetch(FetchRequest(entityName: "Recipe"))
    #expect(recipes.map { $0.value(forKey: "title") } == [.string("Pancakes"), .string("Omelette"), .string("Water")])
    #expect(recipes.map { $0.value(forKey: "stars") } == [.integer(5), .integer(4), .integer(0)])
    #expect(recipes.map { $0.instances(forKey: "ingredients").count } == [3, 2, 0])

    let eggs = try context.fetch(FetchRequest(entityName: "Ingredient", predicate: .init(format: "name == 'Eggs'")))
    #expect(eggs.count == 1)
    #expect(eggs.first?.instances(forKey: "recipes").count == 2)
  }
}
