/// The names of the artists of a sample.
///
/// Each follows from the artist's number, so there is no table of them, and no two artists have the same.
struct SampleArtistNames {
  /// Which script the artists of one remainder have, and which of its numbers are theirs.
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

  /// Appends the name of an artist, taking what is not its family name from the artist's own random numbers.
  func append(artist: Int, _ random: inout SplitMix64, to bytes: inout [UInt8]) {
    // 7 is coprime to the number of slots: neighbours in popularity are written differently.
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

  /// Another number of as many bits.
  ///
  /// Each step can be undone, so different numbers stay different.
  private func scrambled(_ number: Int, bits: Int) -> Int {
    let mask = 1 << bits - 1
    var mixed = (number &* 0x9E37_79B1 &+ offset) & mask
    mixed ^= mixed >> (bits / 2)
    mixed = mixed &* 0x85EB_CA6B & mask
    return mixed ^ mixed >> (bits / 2)
  }
}
