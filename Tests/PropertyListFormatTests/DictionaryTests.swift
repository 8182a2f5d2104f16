import PropertyListFormat
import Testing

@Suite struct DictionaryTests {
  @Test func `Keys keep their order`() {
    var dictionary: PropertyListDictionary = ["b": .integer(1), "a": .integer(2), "c": .integer(3)]
    dictionary["a"] = .integer(9)
    dictionary["d"] = .integer(4)
    dictionary["b"] = nil
    dictionary["unknown"] = nil
    #expect(dictionary.keys == ["a", "c", "d"])
    #expect(dictionary.values == [.integer(9), .integer(3), .integer(4)])
    #expect(dictionary["d"] == .integer(4))
    #expect(dictionary["b"] == nil)
    #expect(dictionary.count == 3 && !dictionary.isEmpty)
  }

  @Test func `The last of two equal keys wins`() {
    let dictionary: PropertyListDictionary = ["a": .integer(1), "b": .integer(2), "a": .integer(3)]
    #expect(dictionary.keys == ["a", "b"])
    #expect(dictionary["a"] == .integer(3))
  }

  @Test func `Accessors return values of their own kind only`() {
    let values: [PropertyList] = [
      .boolean(true), .integer(2), .real(0.5), .date(3), .data([4]), .string("5"), .array([]), .dictionary([:]),
      .uid(6),
    ]
    #expect(values.map { $0.boolean != nil } == [true, false, false, false, false, false, false, false, false])
    #expect(values.map { $0.integer != nil } == [false, true, false, false, false, false, false, false, false])
    #expect(values.map { $0.real != nil } == [false, true, true, false, false, false, false, false, false])
    #expect(values.map { $0.date != nil } == [false, false, false, true, false, false, false, false, false])
    #expect(values.map { $0.data != nil } == [false, false, false, false, true, false, false, false, false])
    #expect(values.map { $0.string != nil } == [false, false, false, false, false, true, false, false, false])
    #expect(values.map { $0.array != nil } == [false, false, false, false, false, false, true, false, false])
    #expect(values.map { $0.dictionary != nil } == [false, false, false, false, false, false, false, true, false])
    #expect(values.map { $0.uid != nil } == [false, false, false, false, false, false, false, false, true])
  }
}
