/// The forms of a feed.
package enum FeedFormat {
  /// The greatest length of a line in bytes: a longer one is most likely not one of many.
  package static let longestLine = 512 << 20
}
