import Testing

@testable import PersistentStore

struct KeyRangesTests {
  @Test(
    arguments: [
      (1, 0), (1, 1), (1, 1024), (1, 1025), (-5, 5), (0, 5_000_000), (1, 70_000_000), (.min, .max), (.max, .max),
      (.min, .min), (.max - 1024, .max), (1, 1 << 40),
    ] as [(Int64, Int64)])
  func `Consecutive ranges cover all keys from the least to the greatest`(least: Int64, greatest: Int64) {
    let ranges = KeyRanges(least: least, greatest: greatest)
    #expect((ranges.count == 0) == (least > greatest))
    #expect(ranges.count <= 1 << 17)
    var next = least
    for place in 0..<ranges.count {
      #expect(ranges[place].lowerBound == next)
      next = ranges[place].upperBound &+ 1
    }
    if ranges.count > 0 {
      #expect(ranges[ranges.count - 1].upperBound == greatest)
      let slices = ranges.slices.map { ranges[$0] }
      #expect(slices.first?.lowerBound == least && slices.last?.upperBound == greatest)
      #expect(zip(slices, slices.dropFirst()).allSatisfy { $0.upperBound + 1 == $1.lowerBound })
    }
  }

  @Test func `Keys without gaps are divided into ranges of one batch each`() {
    let ranges = KeyRanges(least: 1, greatest: 3000)
    #expect((0..<ranges.count).map { ranges[$0] } == [1...1024, 1025...2048, 2049...3000])
    #expect(ranges.slices.map { ranges[$0] } == [1...3000])
    #expect(ranges.keyCount == 3000)
    #expect(KeyRanges(least: .min, greatest: .max).keyCount == .max)
  }

  @Test func `The keys of several tables, of which some are empty, are divided together`() {
    #expect(KeyRanges([5...2000, nil, -3...7]) == KeyRanges(least: -3, greatest: 2000))
    #expect(KeyRanges([nil, nil]).count == 0)
    #expect(KeyRanges([]).count == 0)
  }
}
