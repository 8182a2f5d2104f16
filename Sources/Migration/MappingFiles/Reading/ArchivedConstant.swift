internal import DataModel
internal import Expressions
internal import PropertyList

/// The values of archived constants.
enum ArchivedConstant {
  static func expression(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    if let text = try object.archive.text(object.fields["NSConstantValue"]) { return .constant(.string(text)) }
    switch try object.value("NSConstantValue") {
    case .integer(let number): return .constant(.integer(number))
    case .boolean(let value): return .constant(.boolean(value))
    case .real(let number): return .constant(.real(number))
    case .date(let seconds): return date(seconds)
    case nil:
      // A class is no value, only the owner of functions.
      if let name = try object.optional("NSConstantValueClassName") { throw unsupported(object, "class \(name)") }
      return .null
    default: return try value(object)
    }
  }

  /// A constant of a class that is archived as an object.
  private static func value(_ object: ArchivedObject) throws(ModelFileProblem) -> Expression {
    guard let constant = try object.object("NSConstantValue") else {
      throw unsupported(object, "a constant")
    }
    switch constant.kind(of: ["NSNull", "NSDate"]) {
    case "NSNull": return .null
    case "NSDate":
      guard let seconds = try constant.value("NS.time")?.real else { throw constant.unexpected("NS.time", "a number") }
      return date(seconds)
    default: throw unsupported(object, constant.className)
    }
  }

  private static func date(_ seconds: Double) -> Expression { .cast(.constant(.real(seconds)), type: "NSDate") }

  private static func unsupported(_ object: ArchivedObject, _ className: String) -> ModelFileProblem {
    .unsupportedExpression(subject: object.subject, className: className)
  }
}
