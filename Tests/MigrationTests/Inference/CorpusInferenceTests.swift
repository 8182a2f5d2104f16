import DataModel
import Migration
import TestSupport
import Testing

/// Inference between consecutive versions of public models.
@Suite(.enabled(if: Checkout.hasCorpus))
struct CorpusInferenceTests {
  private func version(_ path: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(contentsOfFile: "\(Checkout.corpus)/\(path).xcdatamodel")
  }

  private func infer(_ folder: String, _ old: String, _ new: String) throws -> InferredMappingModel {
    try InferredMappingModel(from: version("\(folder)/\(old)"), to: version("\(folder)/\(new)"))
  }

  private func names(_ inferred: InferredMappingModel) -> [String] {
    inferred.mappingModel.entityMappings.map { String($0.name.dropFirst(4)) }
  }

  @Test func `TestModel gains an entity`() throws {
    let inferred = try infer("bignerdranch-TestModel/Sample.xcdatamodeld", "TestModel", "TestModel 2")
    #expect(names(inferred) == ["Copy_Author", "Transform_Book", "Add_Publisher"])
    #expect(inferred.findings.isEmpty)
  }

  @Test func `SampleModel renames an entity three generations down and loses attributes`() throws {
    let folder = "coredataplus-SampleModel/SampleModel/SampleModel.xcdatamodeld"
    let second = try infer(folder, "SampleModel", "SampleModel2")
    #expect(names(second) == ["Transform_Car", "Transform_LuxuryCar", "Transform_Person", "Transform_SportCar"])
    #expect(
      second.mappingModel.entityMapping(named: "IEM_Transform_LuxuryCar")?.sourceEntityName == "ExpensiveSportCar")
    #expect(second.findings.map { "\($0.entity).\($0.property ?? "")" } == ["Car.color", "Person.id"])
    let third = try infer(folder, "SampleModel2", "SampleModel3")
    #expect(
      names(third) == [
        "Transform_Car", "Transform_LuxuryCar", "Add_Maker", "Transform_Person", "Transform_SportCar",
      ])
    #expect(third.findings.map { "\($0.entity).\($0.property ?? "")" } == ["Car.maker"])
    let both = try infer(folder, "SampleModel", "SampleModel3")
    #expect(both.mappingModel.entityMapping(named: "IEM_Transform_LuxuryCar")?.sourceEntityName == "ExpensiveSportCar")
  }

  @Test func `SampleModel3 moves a name into its own entity, which inference does not reproduce`() throws {
    let folder = "coredataplus-SampleModel/SampleModel3/SampleModel3.xcdatamodeld"
    let second = try infer(folder, "SampleModel3", "SampleModel3_v2")
    #expect(names(second) == ["Add_Pet", "Transform_User"])
    #expect(second.findings.isEmpty)
    let third = try infer(folder, "SampleModel3_v2", "SampleModel3_v3")
    #expect(names(third) == ["Copy_Pet", "Transform_User"])
    #expect(third.findings.map(\.kind) == [.attributeRemoved(likelyNewName: nil)])
  }

  @Test func `Inference loses the data that the Books example's policies would keep`() throws {
    let folder = "objcio-BookMigration/Model.xcdatamodeld"
    let second = try infer(folder, "Model1", "Model2")
    #expect(names(second) == ["Add_Author", "Transform_Book", "Transform_User"])
    #expect(
      second.findings.map { "\($0.entity).\($0.property ?? "") \($0.kind)" } == [
        "Book.authorName the attribute is removed with all its values",
        "Book.user the relationship is removed with all its links; if it became 'users', set the renaming identifier "
          + "of that, or they are lost",
      ])
    let third = try infer(folder, "Model2", "Model3")
    #expect(names(third) == ["Copy_Author", "Transform_Book", "Add_File", "Transform_User"])
    #expect(third.findings.map(\.property) == ["fileURL", "users", "books"])
  }

  @Test func `Bookmarks survive the stray identifier of their entity`() throws {
    let inferred = try infer("duckduckgo-Bookmarks", "BookmarksModel 3", "BookmarksModel 4")
    #expect(names(inferred) == ["Transform_BookmarkEntity"])
    #expect(
      inferred.findings.map(\.kind) == [
        .unknownIdentifier("favoriteFolder"), .relationshipRemoved(likelyNewName: "favoriteFolders"),
      ])
    let links = Inference.lines(inferred.mappingModel).filter { $0.contains("->") }
    #expect(
      links == [
        "IEM_Transform_BookmarkEntity.children -> {children}", "IEM_Transform_BookmarkEntity.favoriteFolders -> -",
        "IEM_Transform_BookmarkEntity.favorites -> {favorites}", "IEM_Transform_BookmarkEntity.parent -> {parent}",
      ])
  }
}
