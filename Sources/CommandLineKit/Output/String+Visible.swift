internal import SystemC

extension String {
  /// This text with everything that a terminal would obey instead of showing made visible, such as `\n` or `\u{1B}`, and
  /// so the bytes of paths that are not UTF-8, such as `\xE9`.
  public var visible: String { VisibleText.of(spellingPathBytes) }
}
