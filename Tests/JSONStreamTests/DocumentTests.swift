import JSONStream
import SystemC
import Testing

@Suite struct DocumentTests {
  @Test(arguments: ValidDocuments.all)
  func `Every document that the grammar allows is accepted`(_ example: JSONCase) {
    #expect(Outcome.whole(example.document).description == example.outcome)
    #expect(ReferenceReader.events(of: example.document) == example.outcome)
  }

  @Test(arguments: InvalidDocuments.all)
  func `Every other document is refused at the right offset`(_ example: JSONCase) {
    #expect(Outcome.whole(example.document).description.trimmingPrefix(" ") == example.outcome)
    #expect(ReferenceReader.events(of: example.document) == nil)
  }

  @Test(arguments: ValidDocuments.all + InvalidDocuments.all)
  func `A document gives the same events however it is cut`(_ example: JSONCase) {
    let whole = Outcome.whole(example.document)
    for cuts in Outcome.allCuts(example.document.count) {
      #expect(Outcome.pieces(example.document, cuts: cuts) == whole, "cuts: \(cuts)")
    }
  }

  @Test(arguments: ValidDocuments.structures + ValidDocuments.strings)
  func `Every prefix of a document is truncated`(_ example: JSONCase) {
    for length in 1..<example.document.count {
      let error = Outcome.whole(Array(example.document.prefix(length))).error
      #expect(error == JSONStreamError(.truncated, byteOffset: length))
    }
  }

  @Test(arguments: ValidDocuments.all)
  func `A byte-order mark only shifts the offsets`(_ example: JSONCase) {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    guard !example.document.starts(with: mark) else { return }
    #expect(Outcome.whole(mark + example.document).description == example.outcome)
    let broken = Outcome.whole(mark + example.document + [0x5d])
    #expect(broken.error?.code == .trailingBytes)
    #expect(broken.error?.byteOffset == example.document.count + 3)
  }

  @Test func `The lists contain more than 250 documents`() {
    #expect(ValidDocuments.all.count + InvalidDocuments.all.count > 250)
  }

  @Test(arguments: ["x", "é", "\\n", "😀", "\\u00e9"])
  func `The parser reads nothing past the end of its input`(_ part: String) throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let memory = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    defer { munmap(memory, 2 * page) }
    // A read past the end crashes the process.
    try #require(mprotect(memory + page, page, PROT_NONE) == 0)
    for count in 0...150 {
      let document = Array("[\"\(String(repeating: part, count: count))\"]".utf8)
      let start = memory + (page - document.count)
      start.copyMemory(from: document, byteCount: document.count)
      let recorder = EventRecorder()
      try JSONStreamParser(visitor: recorder).parse(UnsafeRawBufferPointer(start: start, count: document.count))
      #expect(recorder.text == Outcome.whole(document).description)
    }
  }
}
