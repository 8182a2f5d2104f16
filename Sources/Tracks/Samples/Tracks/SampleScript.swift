/// A scheme for generating names: pronounceable syllables, and names to place before or after.
///
/// A family name is a number in base 64 whose digits are syllables. No two sequences of syllables of one script read
/// the same, so different numbers are different names.
struct SampleScript: Sendable {
  /// The number of syllables, a power of two.
  static let base = 64

  let givenNames: [String]
  let syllables: [String]
  /// The syllables in the form used at the start of a name.
  let initials: [String]
  /// The possible endings of a family name.
  ///
  /// An ending has no vowel, so it is never mistaken for a syllable.
  let endings: [String]
  /// The text between a given name and a family name.
  let separator: String
  let isFamilyNameFirst: Bool
  /// Whether the script may be used for band names, which contain English words.
  let isLatin: Bool

  /// A script whose syllables are one of 16 consonants and one of four vowels.
  init(_ givenNames: String, consonants: String, vowels: String, endings: String, isLatin: Bool = false) {
    let (consonants, vowels) = (Self.words(consonants), Self.words(vowels))
    let syllables = consonants.flatMap { consonant in vowels.map { consonant + $0 } }
    self.init(givenNames, syllables: syllables, endings: endings, isFamilyNameFirst: false, isLatin: isLatin)
  }

  /// A script with signs for whole syllables.
  init(
    _ givenNames: String, syllables: [String], endings: String = "-", separator: String = " ",
    isFamilyNameFirst: Bool = true, isLatin: Bool = false
  ) {
    precondition(syllables.count == Self.base)
    self.givenNames = Self.words(givenNames)
    self.syllables = syllables
    initials = syllables.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    self.endings = Self.words(endings)
    self.separator = separator
    self.isFamilyNameFirst = isFamilyNameFirst
    self.isLatin = isLatin
  }

  /// The words of a text; a hyphen stands for an empty one.
  private static func words(_ text: String) -> [String] {
    text.split(separator: " ").map { $0 == "-" ? "" : String($0) }
  }
}

extension SampleScript {
  static let english = SampleScript(
    "Ada Ben Clara Dan Edith Finn Grace Hugo Ida Jonas Kate Leo Mira Nina Oscar Paula Rosa Sam Tess Vera Will Zoe",
    consonants: "b br d f g h k l m n r s st t v w", vowels: "a e i o", endings: "- - n r s ld nd rk", isLatin: true)

  static let accented = SampleScript(
    "Anaïs Björk Chloé Ángel Étienne Hélène Jürgen Léa Måns Noël Renée Søren Zoë Łukasz Šárka",
    consonants: "b br d f g h k l m n r s st t v z", vowels: "á é í ö", endings: "- - n r s ß ř ž", isLatin: true)

  static let cyrillic = SampleScript(
    "Анна Борис Вера Дмитрий Елена Иван Лев Мария Нина Олег Пётр Юрий",
    consonants: "б в г д ж з к л м н п р с т ф ш", vowels: "а е и о", endings: "- в н й")

  static let greek = SampleScript(
    "Άννα Γιώργος Δήμος Ελένη Ηλίας Κώστας Μαρία Νίκος Σοφία",
    consonants: "β γ δ ζ θ κ λ μ ν π ρ σ τ φ χ ψ", vowels: "α ε ι ο", endings: "- ς ν")

  static let arabic = SampleScript(
    "أحمد سلمى ليلى كريم نور يوسف فيروز عمر", consonants: "ب ت ج ح د ر ز س ش ط ع ف ق ك ل م", vowels: "ا و ي -",
    endings: "- ن")

  static let kana = SampleScript(
    "はるか ゆき けん みなと あおい そら れん さくら",
    syllables: "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワガギグゲゴザジズゼゾダデドバビブボベポパ"
      .map { String($0) },
    separator: "・")

  static let hangul = SampleScript(
    "지은 민수 서연 하늘 준호 유나",
    syllables: "가거고구나너노누다더도두라러로루마머모무바버보부사서소수아어오우자저조주차처초추카커코쿠타터토투파퍼포푸하허호후기니디리미비시이"
      .map { String($0) })

  /// Every given name is a single character, because nothing separates it from the family name.
  static let han = SampleScript(
    "明 芳 偉 靜 磊 娜 傑 雲",
    syllables: "王李張劉陳楊趙黃周吳徐孫胡朱高林何郭馬羅梁宋鄭謝韓唐馮于董蕭程曹袁鄧許傅沈曾彭呂蘇盧蔣蔡賈丁魏薛葉閻余潘杜戴夏鍾汪田任姜范方石姚"
      .map { String($0) },
    separator: "")
}
