import DataModel
import Migration
import MigrationDiagnostics
import TestSupport
import Testing

struct InferenceErrorTests {
  private let old = [
    EntityDescription(
      "Track",
      attributes: [
        AttributeDescription("colour", .string), AttributeDescription("year", .string),
      ]),
    EntityDescription("Artist", relationships: [RelationshipDescription("tracks", to: "Track")]),
  ]
  private let new = [
    EntityDescription(
      "Track",
      attributes: [
        AttributeDescription("color", .string, isOptional: false), AttributeDescription("year", .date),
      ]),
    EntityDescription("Artist", relationships: [RelationshipDescription("tracks", to: "Track", maxCount: 1)]),
  ]

  private func error(_ new: [EntityDescription]? = nil) throws -> InferenceError {
    try #require(throws: InferenceError.self) {
      try MappingModel.inferred(from: TrackModels.model(old), to: TrackModels.model(new ?? self.new))
    }
  }

  @Test func `All reasons are reported at once, in order, each with advice`() throws {
    #expect(
      try error().description == """
        'Artist.tracks': the to-many relationship becomes to-one, and nothing says which destination stays; keep it \
        to-many, or write a mapping model
        'Track.color': the new attribute is required, but existing instances have no value for it; if it is 'colour' \
        under a new name, set its renaming identifier to 'colour'; otherwise give it a default value, make it \
        optional, or write a mapping model
        'Track.year': source and destination attribute types are incompatible (String and Date); keep the old type, \
        or write a mapping model
        """)
  }

  @Test func `The migration error names the store and contains all reasons`() throws {
    let error = try error().migrationError(path: "L.sqlite")
    #expect(error.code == .inferenceFailed)
    #expect(error.exitStatus == 69)
    #expect(error.subject.path == "L.sqlite")
    #expect(error.subject.entity == nil)
    let problem = ErrorMessage(error).problem
    #expect(problem.hasPrefix("'L.sqlite' cannot be migrated without a mapping model: \n  'Artist.tracks': the"))
    #expect(problem.split(separator: "\n").count == 4)
  }

  @Test func `A single reason becomes the subject of the error`() throws {
    let error = try error([old[0], new[1]]).migrationError()
    #expect(error.subject.entity == "Artist")
    #expect(error.subject.property == "tracks")
    #expect(
      ErrorMessage(error).problem.hasPrefix("'the library' cannot be migrated without a mapping model: 'Artist.tracks'")
    )
  }

  @Test(arguments: [
    InferenceError.Kind.attributeNeedsDefault, .relationshipNeedsDestination, .toManyBecomesToOne,
    .incompatibleTypes(source: .string, destination: .date), .defaultNotExpressible,
    .destinationOutside(entity: "e", destination: "d"),
    .mergedHierarchies(sourceRoots: ["r", "s"]), .ambiguousRenaming(sources: ["s"], destinations: ["d", "e"]),
  ])
  func `Every reason states the problem and gives advice`(kind: InferenceError.Kind) {
    #expect(kind.problem.contains(" ") && kind.advice.contains(" "))
    #expect(!kind.problem.hasSuffix(".") && !kind.advice.hasSuffix("."))
    #expect(!"\(kind.problem)\(kind.advice)".contains("\n"))
  }
}
