/// The names of what the policies of notes count, in `MigrationStatistics`.
public enum NoteCounter {
  /// Attachments whose width and height are left at their defaults for this reason.
  public static func unknownSize(_ problem: PictureProblem) -> String { "unknown_size.\(problem.rawValue)" }

  /// Captions that are shorter than the body that they begin.
  public static let shortenedCaptions = "shortened_captions"
}
