import PersistentStore

extension ResultOrigin {
  /// Returns how the run that made the result differs from one with other options, in words; `nil` if that one would make
  /// the same, and promise no more.
  ///
  /// - Parameter choices: The digest of what decides, besides the store, what is made of it.
  func difference(from newOptions: [String], _ choices: String) -> String? {
    let options = options ?? []
    if self.choices != choices {
      let (then, now) = (Self.choosing(options), Self.choosing(newOptions))
      guard then != now else { return "a file that its options name, or a mapping model, has changed since" }
      return "it was made \(Self.words(then)), and would now be made \(Self.words(now))"
    }
    // These refuse a migration instead of changing it.
    if let demand = Self.demands.first(where: { newOptions.contains($0) && !options.contains($0) }) {
      return "it was made without \(demand)"
    }
    return Self.permissions.first { options.contains($0) && !newOptions.contains($0) }.map { "it was made with \($0)" }
  }

  private static func words(_ options: [String]) -> String {
    options.isEmpty ? "without options" : "with \(options.joined(separator: " "))"
  }

  private static let demands = ["--strict", "--verify"]
  private static let permissions = ["--allow-loss"]

  /// The options that decide what is made, in order.
  private static func choosing(_ options: [String]) -> [String] {
    options.filter { !(demands + permissions).contains($0) }.sorted()
  }
}
