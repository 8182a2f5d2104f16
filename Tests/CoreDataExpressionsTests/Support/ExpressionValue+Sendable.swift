import CoreDataExpressions

/// The values in the tables of tests hold no objects, which is what keeps values in general from being `Sendable`.
extension ExpressionValue: @unchecked Sendable {}
