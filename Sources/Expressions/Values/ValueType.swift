/// The classes that `CAST` knows, under the names that Core Data gives them.
enum ValueType: String, CaseIterable {
  case date = "NSDate"
  case number = "NSNumber"
  case decimal = "NSDecimalNumber"
  case string = "NSString"
  case uuid = "NSUUID"
  case url = "NSURL"
  case data = "NSData"
}
