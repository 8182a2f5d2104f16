import CoreDataExpressions
import Testing

@Suite("Conversions by the properties of Foundation's values")
struct ValueConversionTests {
  @Test(
    arguments: [
      // Numbers.
      ("rating.stringValue", "5"), ("length.stringValue", "2.5"), ("liked.stringValue", "1"),
      ("rating.description", "5"),
      ("length.integerValue", 2), ("(-length).integerValue", -2), ("length.intValue", 2), ("rating.doubleValue", 5.0),
      ("rating.boolValue", true), ("(rating - 5).boolValue", false), ("length.longLongValue", 2),
      ("(2 ** 40).intValue", 2_147_483_647), ("(1e300).integerValue", .integer(.max)),
      ("(0.1).floatValue", 0.10000000149011612),
      ("(3.0).stringValue", "3"), ("CAST('12.50', 'NSDecimalNumber').integerValue", 12),
      // Decimal numbers have no exponent.
      ("CAST('1e-8', 'NSDecimalNumber').stringValue", "0.00000001"),
      ("CAST('1e20', 'NSDecimalNumber').description", "100000000000000000000"), ("price.stringValue", "1.1"),
      ("CAST('-1234.50', 'NSDecimalNumber').stringValue", "-1234.5"),
      ("CAST('-0.0', 'NSDecimalNumber').stringValue", "0"), ("cost.stringValue", "0.00000001"), ("cost", 1e-8),
      ("(1e-8).stringValue", "1e-08"),
      // Integers of other sizes.
      ("(2 ** 40).shortValue", 32767), ("(-300).charValue", -128), ("(300).unsignedCharValue", 255),
      ("(70000).unsignedShortValue", 65535), ("(2 ** 40).unsignedIntValue", 4_294_967_295),
      ("length.unsignedIntegerValue", 2), ("(-1).unsignedLongLongValue", 0),
      // The object itself.
      ("title.self", "Été"), ("rating.#self.stringValue", "5"), ("FUNCTION(rating, 'self')", 5), ("gone.#self", nil),
      // Texts.
      ("'42'.integerValue", 42), ("' -7 apples'.integerValue", -7), ("'x'.integerValue", 0), ("''.integerValue", 0),
      ("'99999999999999999999'.longLongValue", .integer(.max)), ("'99999999999'.intValue", 2_147_483_647),
      ("'2.5e1x'.doubleValue", 25.0), ("'-.5'.doubleValue", -0.5), ("'.'.doubleValue", 0.0), ("'1e'.doubleValue", 1.0),
      ("'7.9'.integerValue", 7), ("'YES'.boolValue", true), ("'true'.boolValue", true), ("'0'.boolValue", false),
      ("'-003'.boolValue", true), ("'no'.boolValue", false), ("title.description", "Été"),
      ("'hello wORLD'.capitalizedString", "Hello World"), ("title.length", 3), ("title.lowercaseString", "été"),
      ("title.uppercaseString", "ÉTÉ"),
      // Dates and others.
      ("CAST(0, 'NSDate').timeIntervalSince1970", 978_307_200.0),
      ("CAST(12.5, 'NSDate').timeIntervalSinceReferenceDate", 12.5),
      ("CAST(0, 'NSDate').description", "2001-01-01 00:00:00 +0000"),
      ("CAST(1e12, 'NSDate').description", "33689-09-27 01:46:40 +0000"),
      ("CAST(-978307200.5, 'NSDate').description", "1969-12-31 23:59:59 +0000"),
      ("CAST(-25920000000, 'NSDate').description", "1179-08-19 00:00:00 +0000"),
      ("CAST(99705600, 'NSDate').description", "2004-02-29 00:00:00 +0000"),
      ("CAST('a:b', 'NSURL').absoluteString", "a:b"),
      // nil stays nil.
      ("gone.stringValue", nil), ("noAlbum.name.integerValue", nil),
      // Calls that read a key.
      ("FUNCTION(rating, 'stringValue')", "5"), ("FUNCTION(SELF, 'valueForKey:', 'rating')", 5),
      ("FUNCTION(SELF, 'valueForKeyPath:', 'album.name')", "Blue"),
      ("FUNCTION(FUNCTION(SELF, 'valueForKey:', 'rating'), 'stringValue')", "5"),
      ("TERNARY(rating > 3, rating.stringValue, 'low')", "5"),
    ] as [(String, ExpressionValue?)])
  func `A value is converted as Foundation converts it`(_ format: String, _ expected: ExpressionValue?) throws {
    #expect(try Library.value(format) == expected ?? .null)
    let expression = try Expression(format: format)
    #expect(try Expression(format: expression.description) == expression)
  }

  @Test(arguments: [
    "title.stringValue", "CAST(1e300, 'NSDate').description", "title.shortValue", "rating.length",
    "rating.timeIntervalSince1970", "title.nonsense",
  ])
  func `A property that the class of a value does not have is an error`(_ format: String) {
    #expect(throws: EvaluationError.self) { try Library.value(format) }
  }

  @Test func `Calls of the migration's own objects stay calls`() throws {
    let call = try Expression(format: "FUNCTION($manager, 'valueForKey:', 'x')")
    #expect(call.description == #"FUNCTION($manager, "valueForKey:", "x")"#)
    #expect(try Expression(format: "FUNCTION($source, 'valueForKey:', 'x')") == .key("x", of: .variable("source")))
  }
}
