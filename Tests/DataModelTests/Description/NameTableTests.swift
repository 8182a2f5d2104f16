import DataModel
import Testing

/// Names are found, however many there are.
struct NameTableTests {
  @Test(arguments: [0, 1, 5, 12, 13, 40])
  func `Each name is found at its place`(count: Int) {
    let names = (0..<count).map { "name \($0) of an attribute" }
    let table = NameTable(names)
    #expect(names.map { table.place(of: $0) } == Array(0..<count))
    for (place, name) in names.enumerated() {
      for expected in [-1, 0, place, count, Int.max] {
        #expect(table.place(of: name, expectedAt: expected) == place)
      }
    }
    #expect(table.place(of: "name") == nil)
    #expect(table.place(of: "name", expectedAt: 0) == nil)
  }

  @Test(arguments: [2, 20])
  func `Of a name that occurs twice, the first place is found`(count: Int) {
    let table = NameTable(Array(repeating: "name", count: count))
    #expect(table.place(of: "name") == 0)
  }
}
