/// The names of what the book policy counts, in `MigrationStatistics`.
public enum BookCounter {
  /// Books without an `authorName`, for which no author is made.
  public static let booksWithoutAuthor = "books_without_author"
  /// Books whose `fileURL` is lost because nobody has them: a file belongs to a book and a user.
  public static let lostFileURLs = "lost_file_urls"
  /// Files whose user shares its `userId` with others, so that the id alone does not tell which one is meant.
  public static let sharedUserIDs = "shared_user_ids"
  /// Files that are left without a user, because no user of the destination is the one that has the book.
  public static let filesWithoutUser = "files_without_user"
}
