/// The titles of the tracks of a sample.
///
/// Titles may occur twice, as they do.
enum SampleTitles {
  private static let adjectives = words(
    "Blue Broken Distant Electric Endless Faded Golden Hidden Hollow Lonely Lost Midnight Paper Quiet Restless Silver "
      + "Sleeping Slow Strange Summer Velvet Wandering Wild Winter")
  private static let nouns = words(
    "Avenue Bird Bridge Clock Dream Echo Fire Garden Harbour Heart Letter Light Machine Mirror Moon Mountain Ocean Rain "
      + "River Road Shadow Signal Star Stone Storm Train Window")
  private static let places = words(
    "Attic City Desert Distance Forest Kitchen Morning North Orchard Station Suburbs Valley")
  private static let verbs = words("Calling Chasing Counting Crossing Following Forgetting Leaving Painting")
  private static let remarks = ["Live", "Acoustic", "Radio Edit", "Remastered 2011", "Demo", "Instrumental"]
  private static let others = [
    "Château d’été", "Déjà vu à Orléans", "Straße im März", "Die schöne Müllerin", "Canción del niño", "Ночь над рекой",
    "Белые ночи", "東京の夜", "桜の下で", "夏の終わり", "밤하늘의 별", "비 오는 거리", "月亮代表我的心", "Η θάλασσα", "ليلة صيف",
    "Ljuset över fjällen",
    "Łódź nocą", "Žluté léto", "Saudação", "Gökyüzü", "Đêm mưa", "שיר הערב",
  ]

  /// Appends a title.
  ///
  /// None holds anything that JSON would have to escape.
  static func append(_ random: inout SplitMix64, to bytes: inout [UInt8]) {
    switch random.below(8) {
    case 0, 1: append([pick(adjectives, &random), " ", pick(nouns, &random)], to: &bytes)
    case 2: append([pick(nouns, &random), " in the ", pick(places, &random)], to: &bytes)
    case 3: append(["The ", pick(nouns, &random), " and the ", pick(nouns, &random)], to: &bytes)
    case 4: append([pick(verbs, &random), " the ", pick(nouns, &random)], to: &bytes)
    case 5: append([pick(adjectives, &random), " ", pick(places, &random)], to: &bytes)
    case 6: append([pick(nouns, &random), " (", pick(remarks, &random), ")"], to: &bytes)
    default: append([pick(others, &random)], to: &bytes)
    }
  }

  private static func append(_ parts: [String], to bytes: inout [UInt8]) {
    for part in parts { bytes.append(text: part) }
  }

  private static func pick(_ list: [String], _ random: inout SplitMix64) -> String {
    list[random.below(list.count)]
  }

  private static func words(_ text: String) -> [String] { text.split(separator: " ").map { String($0) } }
}
