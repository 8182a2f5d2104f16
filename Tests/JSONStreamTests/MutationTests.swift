import JSONStream
import TestSupport
import Testing

@Suite struct MutationTests {
  @Test(arguments: UInt64(1)...16)
  func `Plain documents are read as yajl reads them, and all others by yajl`(_ seed: UInt64) {
    var random = RandomDocument(seed: seed)
    var differences = 0
    let rounds = Rounds.count(400)
    for round in 0..<rounds {
      let document = random.next()
      for document in [document, random.mutation(of: document)] {
        let outcome = Outcome.whole(document)
        guard outcome.events.hasPrefix("by yajl") else { continue }
        differences += 1
        Issue.record("seed \(seed), round \(round): \(EventRecorder.printable(document)): \(outcome)")
      }
    }
    print("differential: documents, seed \(seed): \(2 * rounds) cases, \(differences) differences")
  }

  @Test(arguments: UInt64(1)...16)
  func `The parser agrees with the reference on mutated documents`(_ seed: UInt64) {
    var random = RandomDocument(seed: seed)
    for round in 0..<Rounds.count(100) {
      let document = random.next()
      let reference = ReferenceReader.events(of: document)
      #expect(reference != nil && Outcome.whole(document).description == reference, "seed \(seed), round \(round)")

      let mutation = random.mutation(of: document)
      let outcome = Outcome.whole(mutation)
      let expected = ReferenceReader.events(of: mutation)
      let note: Comment = "seed \(seed), round \(round): \(EventRecorder.printable(mutation))"
      #expect((outcome.error == nil ? outcome.events : nil) == expected, note)
      #expect((0...mutation.count).contains(outcome.error?.byteOffset ?? 0), note)
    }
  }

  @Test(arguments: UInt64(1)...16)
  func `Cuts and limits do not change the result`(_ seed: UInt64) {
    var random = RandomDocument(seed: seed)
    for round in 0..<Rounds.count(100) {
      let document = random.next()
      let mutation = random.mutation(of: document)
      let cuts = random.cuts(mutation.count)
      let note: Comment = "seed \(seed), round \(round), cuts \(cuts): \(EventRecorder.printable(mutation))"
      let whole = Outcome.whole(mutation)
      #expect(Outcome.pieces(mutation, cuts: cuts) == whole, note)

      let limits = JSONStreamLimits(maximumDepth: 4, maximumTokenBytes: random.number(below: 12))
      let limited = Outcome.whole(mutation, limits: limits)
      #expect(Outcome.pieces(mutation, cuts: cuts, limits: limits) == limited, note)
      if limited.error?.code != .tooLong, limited.error?.code != .tooDeep {
        // The offset may differ: if a string is cut, a misplaced token may be found before a malformed one.
        #expect((limited.error == nil) == (whole.error == nil), note)
      }
    }
  }
}
