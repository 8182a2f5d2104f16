import SwiftData

/// The way of a store of any version to the current one.
enum LibraryMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibrarySchemaV1.self, LibrarySchemaV2.self, LibrarySchemaV3.self] }
  static var stages: [MigrationStage] { [renameToTitle, setProgress] }

  static let renameToTitle = MigrationStage.lightweight(
    fromVersion: LibrarySchemaV1.self, toVersion: LibrarySchemaV2.self)

  static let setProgress = MigrationStage.custom(
    fromVersion: LibrarySchemaV2.self, toVersion: LibrarySchemaV3.self, willMigrate: nil,
    didMigrate: { context in
      for book in try context.fetch(FetchDescriptor<LibrarySchemaV3.Book>()) {
        book.progress = book.finished ? .finished : .waiting
      }
      try context.save()
    })
}
