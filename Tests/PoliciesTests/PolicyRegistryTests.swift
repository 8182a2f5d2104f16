import Migration
import MigrationDiagnostics
import Policies
import Samples
import TestSupport
import Testing

struct PolicyRegistryTests {
  @Test(arguments: [
    "Policies.BookToBookMigrationPolicy", "BookToBookMigrationPolicy", "Mine.BookToBookMigrationPolicy",
  ])
  func `A policy is found with or without its module`(className: String) throws {
    let library = try ExampleMigration(.books, count: 1)
    var mapping = BooksMapping.v1ToV2
    mapping.entityMappings[2].entityMigrationPolicyClassName = className
    try library.migrate(to: BooksModel.v2, by: mapping)
    #expect(try library.rows("SELECT ZNAME FROM ZAUTHOR") == ["Ada Vale"])
  }

  @Test(arguments: ["BookToBookMigrationPolicy2", "Policies.", "Policies", "bookToBookMigrationPolicy", ""])
  func `Any other name is an error that says so`(className: String) throws {
    let library = try ExampleMigration(.books, count: 1)
    var mapping = BooksMapping.v1ToV2
    mapping.entityMappings[2].entityMigrationPolicyClassName = className
    let error = try #require(throws: MigrationError.self) { try library.migrate(to: BooksModel.v2, by: mapping) }
    #expect(error.code == .missingPolicy)
    #expect(error.subject.name == className)
  }

  @Test func `All mapping models of the examples name existing policies`() throws {
    for file in ExampleMappingFile.all {
      for mapping in file.mappingModel.entityMappings {
        guard let name = mapping.entityMigrationPolicyClassName else { continue }
        #expect(PolicyRegistry.builtIn().makePolicy(named: name) != nil, "\(file.name)")
      }
    }
  }
}
