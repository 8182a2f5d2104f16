/// What a process and those that it waited for have used.
struct Usage: Sendable {
  /// Seconds from its start to its end.
  let wall: Double
  /// Seconds on all processors, in the program and in the system.
  let processor: Double
  /// The most memory that it had in RAM, in bytes.
  let memory: Double
  /// The size of its result, in bytes.
  var size = 0.0
}

/// What is compared of two programs.
enum Metric: Sendable {
  case wall, processor, memory, size
  /// The part of two processors that it left idle: twice the wall time, divided by the processor time.
  case idleness

  func value(of usage: Usage) -> Double {
    switch self {
    case .wall: usage.wall
    case .processor: usage.processor
    case .memory: usage.memory
    case .size: usage.size
    case .idleness: usage.wall * 2 / usage.processor
    }
  }

  func text(_ value: Double) -> String {
    switch self {
    case .memory, .size: decimal(value / 1_048_576, 1) + " MiB"
    case .idleness: decimal(value, 2)
    case .wall, .processor: value < 0.1 ? decimal(value * 1000, 1) + " ms" : decimal(value, 2) + " s"
    }
  }
}

/// A number with so many decimals.
func decimal(_ value: Double, _ places: Int) -> String {
  var scale = 1.0
  for _ in 0..<places { scale *= 10 }
  let digits = String(Int((value.magnitude * scale).rounded()))
  let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
  let sign = value < 0 ? "−" : ""
  return places == 0 ? sign + padded : "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
}
