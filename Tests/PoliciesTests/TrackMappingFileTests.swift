import Testing

/// The mapping model in `SampleData/Tracks`.
struct TrackMappingFileTests {
  @Test func `the mapping model says what the code says`() throws {
    try CommittedExample("Tracks").expectMappingModels()
  }
}
