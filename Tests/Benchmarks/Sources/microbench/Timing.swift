/// How long something took, several times over.
struct Timing {
  static let rounds = 7

  /// The seconds of each round, in order of size.
  private let seconds: [Double]

  /// Measures some work, after one round that does not count.
  ///
  /// - Parameters:
  ///   - prepare: Called before each round; its time does not count.
  ///   - work: What is measured.
  init<Input>(_ prepare: () throws -> Input, _ work: (Input) throws -> Void) rethrows {
    let clock = ContinuousClock()
    var seconds: [Double] = []
    for round in 0...Self.rounds {
      let input = try prepare()
      let time = try clock.measure { try work(input) }
      if round > 0 { seconds.append(time / .seconds(1)) }
    }
    self.seconds = seconds.sorted()
  }

  init(_ work: () throws -> Void) rethrows {
    try self.init({}, work)
  }

  /// The median, the least and the greatest.
  var figures: (median: Double, least: Double, greatest: Double) {
    (seconds[seconds.count / 2], seconds.first ?? 0, seconds.last ?? 0)
  }
}
