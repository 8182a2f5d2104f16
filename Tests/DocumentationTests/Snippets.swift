import CoreData
import DataModel
import Migration
import MigrationDiagnostics
import PersistentStore
import TrackLibrary

// The code in the articles and in the README, compiled here. A test checks that both are the same.

func firstSteps(_ policies: PolicyRegistry) throws {
  let tool = MigrationTool(modelPath: "MyApp.xcdatamodeld", policies: policies)
  let outcome = try tool.migrate(storeAt: "MyApp.sqlite")
  _ = outcome
}

func threeLines() throws {
  let tool = MigrationTool(modelPath: "MyApp.xcdatamodeld")
  try tool.migrate(storeAt: "MyApp-v1.sqlite", to: "MyApp.sqlite")
  let recipes = try tool.context(ofStoreAt: "MyApp.sqlite").fetch(FetchRequest(entityName: "Recipe"))
  _ = recipes
}

func fixture(_ version2: NSManagedObjectModel, _ url: URL) throws {
  let container = NSPersistentContainer(name: "Notes", managedObjectModel: version2)
  container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
  container.loadPersistentStores { _, error in precondition(error == nil) }
  let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: container.viewContext)
  note.setValue("First", forKey: "title")
  try container.viewContext.save()
}

func lightweight(_ old: ManagedObjectModel, _ new: ManagedObjectModel) throws {
  let inferred = try InferredMappingModel(from: old, to: new)
  for finding in inferred.findings where finding.isLoss { print(finding) }
}

func mappingModels(_ old: ManagedObjectModel, _ new: ManagedObjectModel) throws {
  let file = try MappingModelFile(path: "MyApp_v1_to_v2.xcmappingmodel")
  let mappingModel = try file.mappingModel(source: old, destination: new)
  _ = mappingModel
  do {
    _ = try file.mappingModel(source: old, destination: new)
  } catch {
    print(error)
  }
}

final class RecipeToRecipePolicy: NSEntityMigrationPolicy {}

func registration() {
  var policies = PolicyRegistry()
  policies.register(RecipeToRecipePolicy.self)
  let tool = MigrationTool(modelPath: "MyApp.xcdatamodeld", policies: policies)
  _ = tool
}

func wholeProgram() {
  var policies = PolicyRegistry()
  policies.register(RecipeToRecipePolicy.self)
  let tool = MigrationTool(modelPath: "MyApp.xcdatamodeld", policies: policies)
  exit(tool.run(CommandLine.arguments.dropFirst(), print: { print($0) }, printError: { print($0) }))
}

final class NoteToNotePolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let note = try manager.destinationContext.insertNewObject(forEntityName: "Note")
    note.setValue(sInstance.value(forKey: "body"), forKey: "text")
    manager.associate(sourceInstance: sInstance, withDestinationInstance: note, for: mapping)
  }
}

func policies(_ manager: MigrationManager, title: String) throws {
  let authors = manager.lookup(withKey: "authors")
  let request = FetchRequest(entityName: "Author", predicate: try .init(format: "name == 'Kafka'"))
  manager.statistics.count("recipes_without_list")
  manager.statistics.addExample(title, to: "recipes_without_list")
  _ = (authors, request)
}

func progressive(_ bundle: ModelBundle, _ search: MappingSearch, _ policies: PolicyRegistry) throws {
  var migration = StoreMigration(path: "Notes.sqlite", versions: try LoadedModelVersion.all(in: bundle))
  migration.mappings = search.mappings
  migration.policies = policies
  print(try migration.plan().steps.map(\.method.summary))
  let outcome = try migration.run()
  _ = outcome
}

func takingBack(_ other: StoreMigration) throws {
  var restoration = StoreRestoration(path: "MyApp.sqlite")
  let plan = try restoration.plan()
  print("\(plan.backupPath) takes the place of \(restoration.path)")
  restoration.waiting.limit = .seconds(30)
  let result = try restoration.run()
  _ = result
  var migration = other
  migration.waiting = WaitPolicy(limit: .seconds(60))
  migration.waiting.onWait = { print("Waiting: \(ErrorMessage($0).problem).") }
}

func trackLibrary() throws {
  let outcome = try LibraryMigration(path: "Library.sqlite").run()
  _ = outcome
}
