import Testing

/// Files with every order of imports, which must compile and mean the same.
struct ImportTests {
  @Test func `Predicates and requests mean the same whatever else is imported`() {
    let results = [ImportedAlone.isTrue("x"), ImportedFirst.isTrue("x"), ImportedLast.isTrue("x")]
    #expect(results == [true, true, true])
    #expect([ImportedAlone.isTrue("y"), ImportedFirst.isTrue("y"), ImportedLast.isTrue("y")] == [false, false, false])
  }
}
