/// Keeps count of the answers to a question whose condition SQL cannot apply.
struct AnswerCounter {
  private let limit: Int64
  private let matches: ((Int64) throws -> Bool)?
  private var count: Int64 = 0

  init(limit: Int64?, _ application: LibraryFilter.Application?) {
    matches = application?.matches
    // What SQL can do it also limits.
    self.limit = matches == nil ? .max : limit ?? .max
  }

  /// Whether there are as many answers as are wanted.
  var isDone: Bool { count >= limit }

  /// Whether a row is an answer.
  mutating func accepts(_ primaryKey: Int64) throws -> Bool {
    guard try matches?(primaryKey) != false else { return false }
    count += 1
    return true
  }
}
