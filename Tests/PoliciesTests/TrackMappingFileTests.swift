import Testing

/// The mapping model in `SampleData/Tracks`.
struct TrackMappingFileTests {
  @Test func `The mapping model file agrees with the code`() throws {
    try CommittedExample("Tracks").expectMappingModels()
  }
}
