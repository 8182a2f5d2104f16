import CoreDataExpressions
import TestSupport

/// Makes random predicates about tracks, as text: most make sense, some mix kinds that do not go together.
struct RandomCondition {
  var random: SeededGenerator
  let texts: [String]
  /// Whether LIKE occurs: SQLite's GLOB reads text up to a NUL only.
  let hasPatterns: Bool

  mutating func condition(_ depth: Int) -> String {
    if depth > 0, random.chance(oneIn: 2) {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return "NOT (\(condition(depth - 1)))"
      case 1: return "(\(condition(depth - 1))) AND (\(condition(depth - 1)))"
      default: return "(\(condition(depth - 1))) OR (\(condition(depth - 1)))"
      }
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: return "\(number()) \(comparison()) \(number())"
    case 2: return "\(number()) IN \(list { $0.numberLiteral() })"
    case 3: return "\(number()) BETWEEN {\(number()), \(number())}"
    case 4: return "\(date()) \(comparison()) \(date())"
    case 5, 6, 7: return "\(text()) \(textOperator()) \(text())"
    case 8: return "\(text()) IN\(options()) \(list { $0.textLiteral() })"
    case 9: return quantified()
    case 10: return related()
    default:
      return "\(random.pick([number(), text(), date()])) \(comparison()) \(random.pick([number(), text(), date()]))"
    }
  }

  private mutating func quantified() -> String {
    let word = random.pick(["ANY", "ALL", "NONE", "SOME"])
    if random.chance(oneIn: 2) {
      let path = random.pick([
        "artists.name", "album.tracks.title", "album.tracks.album.name", "album.label.albums.name",
      ])
      return random.chance(oneIn: 4)
        ? "\(word) \(path) IN\(options()) \(list { $0.textLiteral() })" : "\(word) \(path) \(textOperator()) \(text())"
    }
    let path = random.pick(["artists.age", "album.tracks.rating", "album.tracks.plays", "album.tracks.album.year"])
    return random.chance(oneIn: 4)
      ? "\(word) \(path) IN \(list { $0.numberLiteral() })" : "\(word) \(path) \(comparison()) \(number())"
  }

  private mutating func related() -> String {
    random.pick([
      "album == nil", "album != nil", "album.label == nil", "SELF IN album.tracks", "album IN album.label.albums",
      "ANY artists.tracks == SELF", "artists.name CONTAINS\(options()) \(text())", "\(text()) IN artists.name",
      "\(number()) IN album.tracks.rating", "nil IN artists.age", "artists.@count == album.tracks.@count",
      "price == nil", "code == CAST('01010101-0101-0101-0101-010101010101', 'NSUUID')", "code != nil",
      "album == SELF", "CAST(added, 'NSNumber') / 2 == 2.5", "ANY artists == nil", "ALL album.tracks.album == album",
    ])
  }

  private mutating func number(_ depth: Int = 2) -> String {
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: return numberLiteral()
    case 2 where depth > 0:
      return
        "(\(number(depth - 1)) \(random.pick(["+", "-", "*", "/", "&", "|", "^", "<<", ">>"])) \(number(depth - 1)))"
    case 3 where depth > 0: return "\(random.pick(["-", "~"]))(\(number(depth - 1)))"
    case 4:
      return random.pick([
        "artists.@count", "album.tracks.@count", "artists.@sum.age", "artists.@avg.age", "artists.@min.age",
        "album.tracks.@max.rating", "album.tracks.@sum.plays", "album.tracks.@avg.length", "count:(artists)",
        "count:(album.tracks)", "album.label.albums.@count", "album.tracks.@max.album.year",
      ])
    case 5:
      return random.pick([
        "SUBQUERY(artists, $x, $x.age > \(number(0))).@count",
        "SUBQUERY(album.tracks, $t, $t.rating \(comparison()) rating).@count",
        "SUBQUERY(album.tracks, $t, ANY $t.artists.name \(textOperator()) title).@max.rating",
        "TERNARY(liked == YES, rating, \(number(0)))", "CAST(added, 'NSNumber')",
      ])
    default: return random.pick(["rating", "plays", "length", "liked", "album.year", "album.score", "rating"])
    }
  }

  private mutating func numberLiteral() -> String {
    random.pick([
      "nil", "0", "1", "-1", "2", "5", "20", "1970", "2.5", "0.0", "-0.75", "1e3", "9223372036854775807", "YES",
    ])
  }

  private mutating func date() -> String {
    random.pick([
      "added", "added", "CAST(5, 'NSDate')", "CAST(700000000.25, 'NSDate')", "album.tracks.@max.added", "nil",
    ])
  }

  private mutating func text() -> String {
    random.chance(oneIn: 2)
      ? textLiteral() : random.pick(["title", "title", "album.name", "album.label.name", "artists.@min.name"])
  }

  private mutating func textLiteral() -> String {
    if random.chance(oneIn: 10) { return "nil" }
    let text =
      random.chance(oneIn: 4) ? random.pick(texts) + random.pick(["*", "?", "", "b", "\\"]) : random.pick(texts)
    return FormatArgument.string(text).expression.description
  }

  private mutating func list(_ element: (inout Self) -> String) -> String {
    let count = Int.random(in: 0...4, using: &random)
    return "{\((0..<count).map { _ in element(&self) }.joined(separator: ", "))}"
  }

  private mutating func comparison() -> String {
    random.pick(["==", "!=", "<", "<=", ">", ">="])
  }

  private mutating func textOperator() -> String {
    var operators = ["==", "!=", "<", "<=", ">", ">=", "CONTAINS", "BEGINSWITH", "ENDSWITH", "IN"]
    if hasPatterns { operators += ["LIKE", "LIKE"] }
    return random.pick(operators) + options()
  }

  private mutating func options() -> String {
    random.pick(["", "", "[c]", "[d]", "[cd]", "[n]"])
  }
}
