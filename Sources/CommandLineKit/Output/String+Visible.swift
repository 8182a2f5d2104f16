extension String {
  /// This text with everything that a terminal would obey instead of showing made visible, such as `\n` or `\u{1B}`.
  public var visible: String { VisibleText.of(self) }
}
