import Foundation
import SystemC
import Testing

@Suite("Days of the Gregorian calendar")
struct GregorianDayTests {
  @Test(arguments: [
    (2001, 1, 1, 0), (2000, 12, 31, -1), (1970, 1, 1, -11_323), (2000, 2, 29, -307), (1900, 3, 1, -36_831),
    (1, 1, 1, -730_485), (0, 12, 31, -730_486), (9999, 12, 31, 2_921_573), (2024, 2, 29, 8459),
  ])
  func `A date has its number`(year: Int, month: Int, day: Int, number: Int) {
    #expect(GregorianDay.daysSince2001(year: year, month: month, day: day) == number)
  }

  @Test func `Each day of eight hundred years follows the one before`() {
    var others: [String] = []
    var number = GregorianDay.daysSince2001(year: -400, month: 1, day: 1)
    for year in -400..<400 {
      for month in 1...12 {
        for day in 1...GregorianDay.count(inMonth: month, of: year) {
          if GregorianDay.daysSince2001(year: year, month: month, day: day) != number {
            others.append("\(year)-\(month)-\(day)")
          }
          number += 1
        }
      }
    }
    #expect(others == [])
  }
}
