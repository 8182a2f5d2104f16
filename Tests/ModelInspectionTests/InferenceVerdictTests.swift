import DataModel
import Migration
import ModelInspection
import TestSupport
import Testing

@Suite struct InferenceVerdictTests {
  private func entity(_ attributes: AttributeDescription...) -> ManagedObjectModel {
    TrackModels.model([EntityDescription("E", attributes: attributes)])
  }

  @Test func `Equal models need no migration`() {
    let verdict = InferenceVerdict(from: TrackModels.v1, to: TrackModels.v1)
    #expect(!verdict.isMigrationNeeded)
    #expect(verdict.canInfer)
    #expect(verdict.findings.isEmpty)
  }

  @Test func `Losses are reported separately from risks`() {
    let verdict = InferenceVerdict(
      from: entity(.init("a", .string), .init("b", .string)),
      to: entity(.init("b", .string, renamingIdentifier: "never")))
    #expect(verdict.isMigrationNeeded)
    #expect(verdict.canInfer)
    #expect(verdict.losses.map(\.property) == ["a"])
    #expect(verdict.cautions.map(\.kind) == [.unknownIdentifier("never")])
  }

  @Test(arguments: [true, false]) func `Links that the other end keeps are not lost`(isKept: Bool) {
    func model(_ ofAlbum: [RelationshipDescription], inverse: String?) -> ManagedObjectModel {
      let toAlbum = RelationshipDescription("album", to: "Album", inverse: inverse, maxCount: 1)
      return TrackModels.model([
        EntityDescription("Album", attributes: [.init("title", .string)], relationships: ofAlbum),
        EntityDescription(
          "Song", attributes: [.init("title", .string)],
          relationships: isKept || inverse != nil ? [toAlbum] : []),
      ])
    }
    let verdict = InferenceVerdict(
      from: model([RelationshipDescription("songs", to: "Song", inverse: "album")], inverse: "songs"),
      to: model([], inverse: nil))
    #expect(verdict.canInfer && verdict.isMigrationNeeded)
    #expect(verdict.losses.map(\.property) == (isKept ? [] : ["songs", "album"]))
  }

  @Test func `Findings are reported even where nothing can be inferred`() {
    let verdict = InferenceVerdict(
      from: entity(.init("a", .string), .init("b", .string)),
      to: entity(.init("b", .integer64), .init("c", .string, isOptional: false)))
    #expect(!verdict.canInfer)
    #expect(verdict.reasons.map(\.property) == ["b", "c"])
    #expect(verdict.losses.map(\.property) == ["a"])
  }

  @Test func `Each version of a bundle is compared with the next, and unreadable ones are skipped`() throws {
    let folder = try TemporaryFolder()
    for (name, model) in [("M 1", TrackModels.v1), ("M 2", TrackModels.v2), ("M 10", TrackModels.v2)] {
      let path = try folder.makeFolder("M.xcdatamodeld/\(name).xcdatamodel")
      try Files.write(try model.xml(), to: path + "/contents")
    }
    try Files.write("<no", to: try folder.makeFolder("M.xcdatamodeld/M 3.xcdatamodel") + "/contents")
    let steps = VersionStep.all(in: try ModelBundle(path: folder.file("M.xcdatamodeld")))
    #expect(steps.map { [$0.sourceName, $0.destinationName] } == [["M 1", "M 2"], ["M 2", "M 10"]])
    #expect(steps.map(\.verdict.isMigrationNeeded) == [true, false])
  }
}
