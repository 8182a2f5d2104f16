/// The numbers by which Core Data keeps the order of a relationship's destinations.
package enum OrderKey {
  /// The number for a place: 2048 for the first, and 1024 more for each that follows.
  package static func key(at place: Int) -> Int64 { 2048 + 1024 * Int64(place) }
}
