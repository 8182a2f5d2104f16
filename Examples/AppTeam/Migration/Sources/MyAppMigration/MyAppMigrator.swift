import CoreData
import Migration

/// What MyApp needs to be migrated: its model, the mapping models of its project, and its policies.
public enum MyAppMigrator {
  /// The migrator; it is made anew, since its settings can be changed.
  public static func makeTool() -> MigrationTool {
    var policies = PolicyRegistry()
    policies.register(RecipeToRecipePolicy.self)
    return MigrationTool(modelPath: repository + "/MyApp.xcdatamodeld", policies: policies)
  }

  /// The folder that holds `Migration`, where this file is `Migration/Sources/MyAppMigration/MyAppMigrator.swift`.
  public static let repository: String = {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return folder.path
  }()
}
