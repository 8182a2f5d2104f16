/// A program in the comparison, with its work.
struct Contender {
  /// What tells it from the others of its group.
  let name: String
  let words: [String]
  /// How many processors it may use.
  var cores = 2
  /// Why it cannot take part.
  var absence: String?
  /// What its result must agree with.
  var check: Check?

  /// How results are compared; those of one subject must be equal.
  struct Check {
    let subject: String
    /// The command that prints what is compared, while the result is there.
    let words: [String]
    /// What it must print, where that is known beforehand.
    var expected: String?
  }
}
