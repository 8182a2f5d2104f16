/// The names of the artists of a sample.
///
/// Each is derived from the artist's number, so there is no table of them, and no two artists have the same name.
struct SampleArtistNames {
  /// The script of the artists with one remainder, and which of the script's numbers they use.
  private struct Slot {
    let script: SampleScript
    let ordinal: Int
    let stride: Int
  }

  private static let bandEndings = ["Owls", "Lanterns", "Strangers", "Satellites", "Gardeners", "Pilots"]
  private static let ensembles = ["Trio", "Quartet", "Orchestra", "Collective", "Sound System"]

  private let slots: [Slot]
  private let offset: Int

  init(seed: UInt64) {
    let weights: [(SampleScript, Int)] = [
      (.english, 7), (.accented, 3), (.cyrillic, 1), (.kana, 1), (.greek, 1), (.hangul, 1), (.arabic, 1), (.han, 1),
    ]
    slots = weights.flatMap { script, weight in
      (0..<weight).map { Slot(script: script, ordinal: $0, stride: weight) }
    }
    var random = SplitMix64(seed: seed, purpose: .artist, index: -1)
    offset = random.below(1 << 40)
  }

  /// Appends the name of an artist, drawing everything except the family name from the artist's own random numbers.
  func append(artist: Int, _ random: inout SplitMix64, to bytes: inout [UInt8]) {
    // 7 is coprime to the number of slots, so artists of similar popularity use different scripts.
    let slot = slots[artist * 7 % slots.count]
    let number = artist / slots.count * slot.stride + slot.ordinal
    let script = slot.script
    let given = script.givenNames[random.below(script.givenNames.count)]
    let ending = script.endings[random.below(script.endings.count)]
    if script.isFamilyNameFirst {
      appendFamilyName(number, script, ending, to: &bytes)
      bytes.append(text: script.separator)
      bytes.append(text: given)
      return
    }
    switch script.isLatin ? random.below(16) : 15 {
    case 0: bytes.append(text: "DJ ")
    case 1, 2: break
    case 3:
      appendFamilyName(number, script, ending, to: &bytes)
      bytes.append(text: " & the ")
      return bytes.append(text: Self.bandEndings[random.below(Self.bandEndings.count)])
    case 4:
      appendFamilyName(number, script, ending, to: &bytes)
      bytes.append(text: " ")
      return bytes.append(text: Self.ensembles[random.below(Self.ensembles.count)])
    default:
      bytes.append(text: given)
      bytes.append(text: script.separator)
    }
    appendFamilyName(number, script, ending, to: &bytes)
  }

  /// The first 64² family names of a script have two syllables, the next 64³ have three, and so on.
  private func appendFamilyName(_ number: Int, _ script: SampleScript, _ ending: String, to bytes: inout [UInt8]) {
    var (rest, bits) = (number, 12)
    while rest >= 1 << bits {
      rest -= 1 << bits
      bits += 6
    }
    let digits = scrambled(rest, bits: bits)
    for shift in stride(from: bits - 6, through: 0, by: -6) {
      let digit = digits >> shift & (SampleScript.base - 1)
      bytes.append(text: shift == bits - 6 ? script.initials[digit] : script.syllables[digit])
    }
    bytes.append(text: ending)
  }

  /// Maps a number to another one with as many bits.
  ///
  /// Each step is reversible, so different numbers stay different.
  private func scrambled(_ number: Int, bits: Int) -> Int {
    let mask = 1 << bits - 1
    var mixed = (number &* 0x9E37_79B1 &+ offset) & mask
    mixed ^= mixed >> (bits / 2)
    mixed = mixed &* 0x85EB_CA6B & mask
    return mixed ^ mixed >> (bits / 2)
  }
}

/// The popularity of artists: approximately in proportion to the power 0.9 of their rank, so that a few are heard often
/// and most hardly ever.
///
/// With that power, the distribution function is a tenth root, whose inverse takes a few multiplications. It needs
/// neither a table of weights nor `pow`, whose last digit differs between C libraries.
struct SamplePopularity {
  private let count: Int
  private let low: Double
  private let span: Double

  /// Distributes over artists 0 to `count` - 1, the first being the most popular.
  init(count: Int) {
    self.count = count
    // Rank r represents the values from r - 0.5 to r + 0.5.
    low = Self.tenthRoot(0.5)
    span = Self.tenthRoot(Double(count) + 0.5) - low
  }

  /// Draws an artist.
  func draw(_ random: inout SplitMix64) -> Int {
    let root = low + random.unit() * span
    let square = root * root
    let fourth = square * square
    let rank = Int(fourth * fourth * square + 0.5)
    return min(max(rank, 1), count) - 1
  }

  /// Newton's method from above, which decreases until it converges.
  private static func tenthRoot(_ value: Double) -> Double {
    var root = 128.0
    while true {
      let square = root * root
      let fourth = square * square
      let ninth = fourth * fourth * root
      let next = root - (ninth * root - value) / (10 * ninth)
      guard next < root else { return root }
      root = next
    }
  }
}

/// The titles of the tracks of a sample.
///
/// As in real libraries, titles may occur more than once.
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
  /// No title contains a character that JSON would have to escape.
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
