import Foundation
import Migration
import MigrationDiagnostics
import MyAppMigration
import TestSupport
import Testing

@Suite("An app's own migration tool")
struct MigrationToolTests {
  private let folder: TemporaryFolder
  private let store: String
  private let tool = MyAppMigrator.makeTool()

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("MyApp.sqlite")
    try Files.write(try Files.bytes(TutorialFixture.store), to: store)
  }

  /// Returns the output and the exit status of a program with these arguments.
  private func run(_ arguments: String..., tool: MigrationTool? = nil) -> (lines: [String], status: Int32) {
    var lines: [String] = []
    let status = (tool ?? self.tool).run(
      arguments, print: { lines.append($0) }, printError: { lines.append("error stream: \($0)") })
    return (lines, status)
  }

  @Test func `A run replaces a store and keeps the old one, and the next run does nothing`() throws {
    let before = try Files.bytes(store)
    let result = run(store)
    #expect(
      result.lines == [
        "Migrated '\(store)' from 'MyApp' to 'MyApp 3'.",
        "  'MyApp' to 'MyApp 2', by 'MyApp_v1_to_v2.xcmappingmodel':",
        "    Ingredient: 4", "    Recipe: 3", "  'MyApp 2' to 'MyApp 3', by inference (lightweight):",
        "    Ingredient: 4", "    Recipe: 3", "Backup: \(store).MyApp-backup",
      ])
    #expect(result.status == 0)
    #expect(try Files.bytes(store + ".MyApp-backup") == before)
    #expect(
      try Database.rows(
        """
        SELECT r.ZTITLE, group_concat(i.ZNAME) FROM ZRECIPE r LEFT JOIN Z_1RECIPES j ON j.Z_2RECIPES = r.Z_PK
        LEFT JOIN ZINGREDIENT i ON i.Z_PK = j.Z_1INGREDIENTS GROUP BY 1 ORDER BY 1
        """, in: store)
        == ["Omelette|Eggs,Butter", "Pancakes|Flour,Milk,Eggs", "Water|NULL"])
    #expect(run(store).lines == ["'\(store)' has the version 'MyApp 3' already; nothing to do."])
  }

  @Test(.enabled(if: Files.exists(program), "needs the program of the tutorial"))
  func `The tool reads its arguments byte for byte`() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", #""$0" "$(printf 'L\351.sqlite')""#, Self.program]
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.contains(#"there is no file 'L\xE9.sqlite'."#), "\(text)")
  }

  /// The tutorial's program, which is in the folder of the test executable.
  private static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appending(path: "myapp-migrate").path(percentEncoded: false)

  @Test func `The option --plan prints the plan and changes nothing`() throws {
    let before = try folder.snapshot()
    let result = run("--plan", store)
    #expect(
      result.lines == [
        "'\(store)' goes from 'MyApp' to 'MyApp 3' in 2 hops:",
        "  1. 'MyApp' to 'MyApp 2', by 'MyApp_v1_to_v2.xcmappingmodel'",
        "     instance by instance, since mapping 'RecipeToRecipe' has the policy 'MyApp.RecipeToRecipePolicy'",
        "  2. 'MyApp 2' to 'MyApp 3', by inference (lightweight)",
        "     with statements on whole tables, since no policy needs instances and SQL gives every value",
      ])
    #expect(result.status == 0)
    #expect(try folder.snapshot() == before)
  }

  @Test func `A run with an output leaves the store alone`() throws {
    let before = try Files.bytes(store)
    #expect(run(store, folder.file("New.sqlite")).status == 0)
    #expect(try Files.bytes(store) == before)
    #expect(try folder.listing() == ["MyApp.sqlite", "New.sqlite"])
  }

  @Test func `The option --verify re-reads both stores and names what it cannot judge`() throws {
    let result = run("--verify", store)
    #expect(result.status == 0)
    #expect(result.lines.contains { $0.hasPrefix("Verified: ") }, "\(result.lines)")
  }

  @Test func `An unregistered policy is reported before any work`() throws {
    let tool = MigrationTool(modelPath: TutorialFixture.bundle)
    #expect(try tool.unregisteredPolicyNames() == ["MyApp.RecipeToRecipePolicy"])
    let before = try folder.snapshot()
    let result = run(store, tool: tool)
    #expect(result.status == 78)
    #expect(result.lines.first?.contains("'MyApp.RecipeToRecipePolicy', which is not registered") == true)
    #expect(try folder.snapshot() == before)
  }

  @Test func `Mapping models and the destination version can be named`() throws {
    var tool = tool
    tool.mappingModelPaths = [TutorialFixture.mapping]
    tool.destinationVersionName = "MyApp"
    #expect(try tool.plan(forStoreAt: store).steps.isEmpty)
    tool.destinationVersionName = "MyApp 4"
    #expect(throws: MigrationError.self) { try tool.plan(forStoreAt: store) }
    tool.destinationVersionName = nil
    tool.mappingModelPaths = [folder.file("Nothing.xcmappingmodel")]
    #expect(throws: MigrationError.self) { try tool.plan(forStoreAt: store) }
  }

  @Test func `An unreadable version only stops a migration that needs it`() throws {
    var tool = tool
    tool.modelPath = folder.file("MyApp.xcdatamodeld")
    tool.mappingModelPaths = [TutorialFixture.mapping]
    try Files.copy(TutorialFixture.bundle, to: tool.modelPath)
    _ = try folder.makeFolder("MyApp.xcdatamodeld/MyApp 0.xcdatamodel")
    try folder.write(Array("<model>".utf8), to: "MyApp.xcdatamodeld/MyApp 0.xcdatamodel/contents")
    #expect(try tool.plan(forStoreAt: store).steps.count == 2)
    #expect(try tool.migration(ofStoreAt: store).unreadableVersions.map(\.name) == ["MyApp 0"])
    tool.destinationVersionName = "MyApp 0"
    let error = #expect(throws: MigrationError.self) { try tool.plan(forStoreAt: store) }
    #expect(error?.code == .unusableModel)
  }

  @Test func `The name of a join table can be chosen only where Core Data leaves a choice`() throws {
    var tool = tool
    tool.joinTableRelationships = ["Recipe.ingredients"]
    let error = #expect(throws: MigrationError.self) { try tool.migrate(storeAt: store) }
    #expect(error?.code == .invalidJoinTable && error?.detail?.contains("'Ingredient.recipes'") == true)
    tool.joinTableRelationships = ["Ingredient.recipes"]
    try tool.migrate(storeAt: store)
    #expect(try Database.rows("SELECT count(*) FROM Z_1RECIPES", in: store) == ["5"])
    tool.joinTableRelationships = ["Recipe.title"]
    tool.destinationVersionName = "MyApp"
    try Files.write(try Files.bytes(TutorialFixture.store), to: store)
    #expect(try tool.plan(forStoreAt: store).steps.isEmpty, "nothing to do")
  }

  @Test func `A store without its mapping models loses data, and the tool reports it`() throws {
    var tool = tool
    tool.allowsInference = true
    tool.mappingModelPaths = [try folder.makeFolder("Empty")]
    #expect(throws: MigrationError.self) { try tool.plan(forStoreAt: store) }
    tool.modelPath = folder.file("MyApp.xcdatamodeld")
    tool.mappingModelPaths = []
    try Files.copy(TutorialFixture.bundle, to: tool.modelPath)
    let remarks = try tool.plan(forStoreAt: store).steps.flatMap(\.remarks)
    #expect(remarks.contains { $0.contains("ingredientList") })
    tool.allowsInference = false
    #expect(throws: MigrationError.self) { try tool.plan(forStoreAt: store) }
  }

  @Test func `An entity with rows is removed only when that is allowed`() throws {
    #expect(run(store).status == 0)
    var back = tool
    back.destinationVersionName = "MyApp"
    // There are no mapping models beside it.
    back.modelPath = folder.file("MyApp.xcdatamodeld")
    try Files.copy(TutorialFixture.bundle, to: back.modelPath)
    let before = try Files.bytes(store)
    let refused = run(store, tool: back)
    #expect(refused.status == 65)
    // Warnings about values that are dropped come before it.
    #expect(
      refused.lines.contains { $0.contains("would be dropped: 'Ingredient' (4 rows), from 'MyApp 3' to 'MyApp'.") },
      "\(refused)")
    #expect(
      run("--plan", store, tool: back).lines.last == "     'Ingredient': 4 rows would be lost (needs --allow-loss)")
    #expect(try Files.bytes(store) == before)
    #expect(run("--allow-loss", store, tool: back).status == 0)
    #expect(try Database.rows("SELECT count(*) FROM ZRECIPE", in: store) == ["3"])
  }

  @Test func `A store of any version can be opened for reading`() throws {
    let before = try folder.snapshot()
    let old = try tool.context(ofStoreAt: store)
    #expect(try old.count(for: FetchRequest(entityName: "Recipe")) == 3)
    #expect(throws: MigrationError.self) { try old.count(for: FetchRequest(entityName: "Ingredient")) }
    #expect(throws: MigrationError.self) { try old.insertNewObject(forEntityName: "Recipe") }
    #expect(try folder.snapshot() == before)
  }

  @Test(arguments: [[], ["--plan"], ["a", "b", "c"], ["--plan", "a", "b"], ["--force", "a"], [""], ["-"]])
  func `Wrong arguments are reported with the help`(arguments: [String]) throws {
    var (lines, errors): ([String], [String]) = ([], [])
    let status = tool.run(arguments, print: { lines.append($0) }, printError: { errors.append($0) })
    #expect(status == 64)
    #expect(lines.isEmpty)
    #expect(errors.last == MigrationTool.help)
    #expect(errors.first?.hasPrefix("error: ") == true)
  }

  @Test func `An error has a message and a status and cannot control the terminal`() throws {
    let result = run("--", "--nothing\u{1B}[2J")
    #expect(result.status == 66)
    #expect(result.lines.count == 1)
    #expect(result.lines.first?.hasPrefix(#"error stream: error: there is no file '--nothing\u{1B}[2J'. "#) == true)
    #expect(run("--help").lines == [MigrationTool.help])
  }
}
