import PersistentStore
import Testing

/// Work of several threads, whose results come in order.
struct OrderedPipelineTests {
  @Test(arguments: [(1, 1), (1, 4), (4, 1), (4, 3), (100, 8)])
  func `Results come in order, whichever thread is faster`(capacity: Int, threadCount: Int) {
    let pipeline = OrderedPipeline<Int, Int>(capacity: capacity, Array(repeating: { $0 * 2 }, count: threadCount))
    #expect(pipeline.take() == nil)
    var (next, results) = (0, [Int]())
    while results.count < 500 {
      while next < 500, !pipeline.isFull {
        pipeline.put(next)
        next += 1
      }
      #expect(next == 500 || next == results.count + capacity)
      results += pipeline.take().map { [$0] } ?? []
    }
    #expect(results == (0..<500).map { $0 * 2 })
    #expect(pipeline.take() == nil)
  }

  @Test func `Work whose results are not taken ends`() {
    for count in 0..<8 {
      let pipeline = OrderedPipeline<Int, Int>(capacity: 8, Array(repeating: { $0 }, count: 3))
      for number in 0..<count { pipeline.put(number) }
      if count.isMultiple(of: 2) { pipeline.stop() }
    }
  }
}
