import DataModel
import Migration
import PersistentStore
import TestSupport

/// Writes the files that Xcode and the tutorial's app would have made: a store of version 1 and the mapping model.
enum TutorialFixture {
  static let folder = Checkout.root.appending(path: "Examples/AppTeam").path(percentEncoded: false)
  static let bundle = "\(folder)/MyApp.xcdatamodeld"
  static let store = "\(folder)/Migration/Tests/Stores/MyApp-v1.sqlite"
  static let mapping = "\(folder)/MyApp_v1_to_v2.xcmappingmodel"

  static func model(_ version: String) throws -> ManagedObjectModel {
    try ModelBundle(path: bundle).version(named: version).model()
  }

  static func writeStore(to path: String) throws {
    let model = try model("MyApp")
    try StoreWriter(path: path, schema: StoreSchema(model), layout: .coreData).finish(
      metadata: .new(for: model, uuid: "7E8D3E0B-2D14-4B0C-8E7A-6F2B5C1D9A30"), greatestKeys: ["Recipe": 3])
    try Database.run(
      """
      INSERT INTO ZRECIPE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZRATING, ZINGREDIENTLIST) VALUES
        (1, 1, 1, 'Pancakes', 5, 'Flour' || char(10) || 'Milk' || char(10) || 'Eggs'),
        (2, 1, 1, 'Omelette', 4, 'Eggs' || char(10, 10) || ' Butter '), (3, 1, 1, 'Water', 0, NULL)
      """, in: path)
  }

  static func mappingXML() throws -> String {
    let (source, destination) = (try model("MyApp"), try model("MyApp 2"))
    guard let old = source.entity(named: "Recipe"), let new = destination.entity(named: "Recipe"),
      let ingredient = destination.entity(named: "Ingredient")
    else { throw MissingEntity() }
    let writer = MappingModelWriter(
      source: source, destination: destination,
      sourceModelPath: "MyApp.xcdatamodeld/MyApp.xcdatamodel",
      destinationModelPath: "MyApp.xcdatamodeld/MyApp 2.xcdatamodel")
    let mappingModel = MappingModel(entityMappings: [
      .suggested(from: old, to: new, policy: "MyApp.RecipeToRecipePolicy"),
      EntityMapping(mappingType: .add, source: nil, destination: ingredient),
    ])
    return try writer.xml(of: mappingModel)
  }

  private struct MissingEntity: Error {}
}
