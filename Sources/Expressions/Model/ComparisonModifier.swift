/// Whether the left side of a comparison is one value or a collection of them.
///
/// `SOME` is another word for `ANY`, and `NONE` is `NOT ANY`.
public enum ComparisonModifier: String, Sendable, Hashable {
  case direct = ""
  case any = "ANY"
  case all = "ALL"
}
