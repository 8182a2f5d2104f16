internal import SystemC

/// The functions of C's mathematics that Swift has no own ones for.
enum CMath {
  static func exp(_ value: Double) -> Double { _exp(value) }
  static func log(_ value: Double) -> Double { _log(value) }
  static func log10(_ value: Double) -> Double { _log10(value) }
  static func pow(_ base: Double, _ exponent: Double) -> Double { _pow(base, exponent) }
}

// Inside the type the short names would mean its own functions.
private func _exp(_ value: Double) -> Double { exp(value) }
private func _log(_ value: Double) -> Double { log(value) }
private func _log10(_ value: Double) -> Double { log10(value) }
private func _pow(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
