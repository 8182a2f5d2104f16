/// How the name that turns a flag off is made from the name that turns it on.
public struct FlagInversion: Sendable, Hashable {
  enum Representation { case prefixedNo, prefixedEnableDisable }

  var representation: Representation

  /// `--index` and `--no-index`.
  public static var prefixedNo: Self { Self(representation: .prefixedNo) }

  /// `--enable-index` and `--disable-index`.
  public static var prefixedEnableDisable: Self { Self(representation: .prefixedEnableDisable) }
}

extension FlagInversion {
  /// The names that turn the flag on and off.
  ///
  /// A short name can only turn it on.
  func names(from names: [OptionName]) -> (on: [OptionName], off: [OptionName]) {
    let long = names.compactMap { if case .long(let name) = $0 { name } else { nil } }
    switch representation {
    case .prefixedNo:
      return (names, long.map { .long("no-\($0)") })
    case .prefixedEnableDisable:
      return (names.filter(\.isShort) + long.map { .long("enable-\($0)") }, long.map { .long("disable-\($0)") })
    }
  }
}
