import CoreDataExpressions
import DataModel
import Foundation
import PropertyListFormat
import TestSupport
import Testing

@testable import MappingModels
@testable import Migration

/// Mapping models that Apple's tools wrote.
@Suite(.enabled(if: Checkout.hasCorpus)) struct MappingCorpusTests {
  private static let sample = "\(Checkout.corpus)/coredataplus-SampleModel/SampleModel"
  private static let books = "\(Checkout.corpus)/objcio-BookMigration"

  private func sampleModel(_ version: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(contentsOfFile: "\(Self.sample)/SampleModel.xcdatamodeld/\(version).xcdatamodel")
  }

  private func bookModel(_ number: Int) throws -> ManagedObjectModel {
    try ManagedObjectModel(contentsOfFile: "\(Self.books)/Model.xcdatamodeld/Model\(number).xcdatamodel")
  }

  private static var sampleSource: String { "\(sample)/MappingModels/V2toV3.xcmappingmodel" }

  @Test func `The source resolves to the same mapping model that Xcode compiled from it`() throws {
    let (source, destination) = (try sampleModel("SampleModel2"), try sampleModel("SampleModel3"))
    let own = try MappingModelFile(path: Self.sampleSource).resolve(source: source, destination: destination)
    let compiled = try MappingModelFile(path: "\(Self.sample)/Fixtures/V2toV3.cdm")
    let apples = try compiled.resolve(source: source, destination: destination)
    #expect(compiled.isCompiled)
    #expect(own.mappingModel == apples.mappingModel)
    #expect(own.findings.isEmpty)
    #expect(apples.findings.isEmpty)
    #expect(
      own.mappingModel.entityMappings.map(\.name)
        == ["CarToCar", "LuxuryCarToLuxuryCar", "PersonToPerson", "SportCarToSportCar", "Maker"])
    #expect(own.mappingModel.entityMappings.map(\.mappingType) == [.custom, .custom, .copy, .custom, .add])
    #expect(
      own.mappingModel.entityMappings.flatMap(\.relationshipMappings).count(where: { $0.valueExpression != nil }) == 8)
  }

  @Test func `A compiled mapping model does not fit other versions and explains why`() throws {
    let compiled = try MappingModelFile(path: "\(Self.sample)/Fixtures/V2toV3.cdm")
    let model = try sampleModel("SampleModel2")
    let error = try #require(throws: MappingModelFileError.self) {
      try compiled.mappingModel(source: model, destination: model)
    }
    guard case .unusable(let findings) = error.problem else {
      Issue.record("another problem")
      return
    }
    let wrong = findings.filter {
      if case .versionHashMismatch(_, .destination, _, _) = $0.kind { true } else { false }
    }
    #expect(
      wrong.map(\.entityMappingName) == ["CarToCar", "LuxuryCarToLuxuryCar", "PersonToPerson", "SportCarToSportCar"])
    #expect(findings.last?.kind == .missingEntity("Maker", .destination, nearest: nil))
  }

  @Test func `The versions are found by name or by hash`() throws {
    let versions = try ["SampleModel", "SampleModel2", "SampleModel3"].map { ($0, try sampleModel($0)) }
    let pair = [ModelVersionPair(source: "SampleModel2", destination: "SampleModel3")]
    #expect(try MappingModelFile(path: Self.sampleSource).versionPairs(among: versions) == pair)
    #expect(try MappingModelFile(path: "\(Self.sample)/Fixtures/V2toV3.cdm").versionPairs(among: versions) == pair)
  }

  @Test(
    arguments: [
      ("Model1_to_Model2", 1, ["UserToUser", "Author", "BookToBook"], 0),
      ("Model2_to_Model3", 2, ["File", "BookToBook", "AuthorToAuthor"], 1),
      ("Model2_to_Model3_User", 2, ["UserToUser"], 3),
    ])
  func `Unlisted objects are not part of the mapping model`(
    name: String, version: Int, mappings: [String], orphans: Int
  ) throws {
    let file = try MappingModelFile(path: "\(Self.books)/\(name).xcmappingmodel")
    #expect(file.entityMappings.map(\.name) == mappings)
    #expect(file.findings.count(where: { $0.kind == .orphanEntityMapping }) == orphans)
    #expect(file.sourceModelBundleName == "Model.xcdatamodeld")
    #expect(file.sourceModelVersionName == "Model\(version)")
    #expect(file.destinationModelVersionName == "Model\(version + 1)")
    let model = try file.mappingModel(source: bookModel(version), destination: bookModel(version + 1))
    #expect(model.entityMappings.map(\.name) == mappings)
  }

  @Test func `User info and policies of the book library's mapping models are read`() throws {
    func mapping(_ file: String, _ name: String) throws -> EntityMappingEntry? {
      try MappingModelFile(path: "\(Self.books)/\(file).xcmappingmodel").entityMappings.first { $0.name == name }
    }
    let first = try mapping("Model1_to_Model2", "BookToBook")
    #expect(first?.userInfo == ["modelVersion": "2"])
    #expect(first?.entityMigrationPolicyClassName == "MHWBookToBookPolicy")
    #expect(try mapping("Model1_to_Model2", "Author")?.userInfo == [:])
    #expect(try mapping("Model2_to_Model3", "BookToBook")?.userInfo == ["modelVersion": "3"])
  }

  /// The base64 of every attribute of a name, in the order of a file.
  private func archives(_ attribute: String, in text: String) -> [String] {
    text.components(separatedBy: "<attribute name=\"\(attribute)\" type=\"binary\">").dropFirst()
      .map { String($0.prefix { $0 != "<" }) }
  }

  @Test func `Archives match Xcode's object for object`() throws {
    let expressions = archives("valueexpressiondata", in: try Files.text("\(Self.sampleSource)/xcmapping.xml"))
    #expect(expressions.count == 4)
    for text in expressions {
      let bytes = try #require([UInt8](base64: text))
      // Apple's own bytes hold some class names twice; the objects and their order are the same.
      let own = try Expression(archive: bytes).archive()
      #expect(try PropertyList(contentsOf: own) == PropertyList(contentsOf: bytes))
    }
    let infos = archives(
      "userinfodata", in: try Files.text("\(Self.books)/Model1_to_Model2.xcmappingmodel/xcmapping.xml"))
    #expect(infos.count == 1)
    for text in infos {
      let bytes = try #require([UInt8](base64: text))
      #expect(UserInfoArchive.bytes(try UserInfoArchive(archive: bytes).texts) == bytes)
    }
  }

  /// The text of a document with all that differs from one mapping model to another cut out.
  private func layout(_ text: String) -> Set<String> {
    let lines = text.split(separator: "\n").map {
      $0.replacing(#/idrefs="[^"]*"|id="z[0-9]+"/#, with: "").replacing(#/>[^<>]+</#, with: "><")
        .replacing(#/<attribute name="[a-z]*data" .*/#, with: "")
    }
    return Set(lines.map(String.init).filter { $0.contains("<") })
  }

  @Test func `A written mapping model matches Xcode's line for line`() throws {
    let apples = try Files.text("\(Self.sampleSource)/xcmapping.xml")
    let (source, destination) = (try sampleModel("SampleModel2"), try sampleModel("SampleModel3"))
    let file = try MappingModelFile(path: Self.sampleSource)
    let writer = MappingModelWriter(
      source: source, destination: destination, sourceModelPath: file.sourceModelPath ?? "",
      destinationModelPath: file.destinationModelPath ?? "")
    let own = try writer.xml(of: file.mappingModel(source: source, destination: destination))
    // Only the key path form of a relationship has lines that Xcode did not need here.
    #expect(
      layout(own).subtracting(layout(apples)).allSatisfy {
        $0.contains("sourcekeypath") || $0.contains("sourcemappingname")
      })
    #expect(layout(apples).subtracting(layout(own)).isEmpty)
    func header(_ text: String) -> String {
      text.components(separatedBy: "    <object").first?
        .replacing(#/UUID>[^<]*/#, with: "") ?? ""
    }
    #expect(header(own) == header(apples))
    #expect(own.hasSuffix("    </object>\n</database>"))
    let again = try MappingModelFile(xml: Array(own.utf8))
    #expect(
      try again.mappingModel(source: source, destination: destination)
        == file.mappingModel(source: source, destination: destination))
    #expect(again.findings.isEmpty)
  }
}
