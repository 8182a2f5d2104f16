import CoreData
import os.log

private let log = Logger(subsystem: "com.example.MyApp", category: "migration")

/// Makes an ingredient of each line of a recipe's list, which recipes that name the same one share.
@objc(RecipeToRecipePolicy)
class RecipeToRecipePolicy: NSEntityMigrationPolicy {
  private var ingredients: [String: NSManagedObject] = [:]

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    // The default policy makes the new recipe with the values of the attribute mappings, and associates it with the old.
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
    guard let recipe = made.first, let list = sInstance.value(forKey: "ingredientList") as? String else { return }
    for line in list.components(separatedBy: .newlines) {
      let name = line.trimmingCharacters(in: .whitespaces)
      guard !name.isEmpty else { continue }
      recipe.mutableSetValue(forKey: "ingredients").add(ingredient(name, of: sInstance, manager))
    }
  }

  private func ingredient(
    _ name: String, of sInstance: NSManagedObject, _ manager: NSMigrationManager
  ) -> NSManagedObject {
    if let known = ingredients[name] { return known }
    let new = NSEntityDescription.insertNewObject(forEntityName: "Ingredient", into: manager.destinationContext)
    new.setValue(name, forKey: "name")
    ingredients[name] = new
    log.debug("ingredient \(self.ingredients.count): \(name, privacy: .public)")
    // Whatever a policy creates it also associates, here under the mapping that has no source of its own. What is
    // forgotten is reported.
    if let mapping = manager.mappingModel.entityMappingsByName["Ingredient"] {
      manager.associate(sourceInstance: sInstance, withDestinationInstance: new, for: mapping)
    }
    return new
  }
}
