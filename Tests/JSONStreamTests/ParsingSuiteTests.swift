import JSONStream
import TestSupport
import Testing

@Suite("The public JSON parsing test suite")
struct ParsingSuiteTests {
  @Test(arguments: SuiteDocument.all)
  func `Each file is read or refused at the faulty byte`(document: SuiteDocument) {
    let whole = Outcome.whole(document.bytes)
    #expect(whole.error.map { "\($0.code.rawValue)@\($0.byteOffset)" } == document.fault)
    // The reference is recursive, and every cut reads the document again.
    guard document.bytes.count < 2000 else { return }
    #expect((ReferenceReader.events(of: document.bytes) == nil) == (document.fault != nil))
    for cuts in Outcome.allCuts(document.bytes.count) {
      #expect(Outcome.pieces(document.bytes, cuts: cuts) == whole, "cuts: \(cuts)")
    }
  }

  @Test(arguments: SuiteDocument.all)
  func `A value in a track's JSON is read or refused like the file`(document: SuiteDocument) {
    // A byte-order mark counts as one only at the very beginning.
    let isReadable = document.fault == nil && !document.bytes.starts(with: [0xEF, 0xBB, 0xBF])
    #expect((Outcome.whole(document.inTrack).error == nil) == isReadable)
  }

  @Test func `The suite is complete and its file names match the expected results`() {
    let counts = Dictionary(grouping: SuiteDocument.all) { $0.name.prefix(2) }.mapValues(\.count)
    #expect(counts == ["y_": 95, "n_": 188, "i_": 35])
    #expect(Set(SuiteDocument.all.map(\.name)).count == 318)
    for document in SuiteDocument.all where !document.name.hasPrefix("i_") {
      #expect((document.fault == nil) == document.name.hasPrefix("y_"), "\(document)")
    }
  }
}
