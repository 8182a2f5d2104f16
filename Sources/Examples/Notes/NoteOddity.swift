/// The notes that a library of oddities begins with.
enum NoteOddity {
  static let all: [NoteRow] = bodies + values + images

  private static let picture = SamplePicture(width: 12, height: 8)

  /// What captions are made of: at most 80 UTF-16 units.
  private static let bodies = [
    NoteRow("A note without a body", nil, image: picture.png),
    NoteRow("A note with an empty body", "", image: picture.png),
    NoteRow("A body of 79 units", text(79), image: picture.png),
    NoteRow("A body of 80 units", text(80), image: picture.jpeg),
    NoteRow("A body of 81 units", text(81), image: picture.gif),
    NoteRow("A body with an emoji across the cut", text(79) + "😀 and on", image: picture.png),
    NoteRow("A body with an emoji before the cut", text(78) + "😀 and on", image: picture.png),
    NoteRow("A body of emoji", String(repeating: "😀", count: 60), image: picture.png),
    NoteRow("A body with a joined emoji across the cut", text(77) + "👩🏽‍🚀 and on", image: picture.png),
    NoteRow("A body with a decomposed letter across the cut", text(79) + "e\u{301} and on", image: picture.png),
    NoteRow("A body of several lines", "One\nTwo\r\n\tThree", image: picture.png),
    NoteRow("A long body", String(repeating: "All work and no play. ", count: 400), image: picture.png),
    NoteRow("A body with quotes", "It's \"quoted\"; DROP TABLE ZNOTE; --", image: picture.png),
  ]

  /// What is copied.
  private static let values: [NoteRow] = {
    var early = NoteRow("A note of before 2001", image: picture.png)
    early.dateCreated = -86_400.25
    var last = NoteRow("A note with the greatest index", image: picture.jpeg)
    last.displayIndex = .max
    var first = NoteRow("A note with the least index", image: picture.gif)
    first.displayIndex = .min
    return [early, last, first, NoteRow("", image: picture.png), NoteRow("📝 עברית", image: picture.png)]
  }()

  /// What becomes attachments, or not.
  private static let images = [
    NoteRow("No picture"),
    NoteRow("A large PNG", image: SamplePicture(width: 2000, height: 10).png),
    NoteRow("A tall JPEG", image: SamplePicture(width: 3, height: 500).jpeg),
    NoteRow("A JPEG with fill bytes and a comment", image: picture.jpegWithComment),
    NoteRow("A PNG that was cut off", image: Array(picture.png.prefix(20))),
    NoteRow("A JPEG that was cut off", image: Array(picture.jpeg.prefix(30))),
    NoteRow("A picture of no bytes", image: []),
    NoteRow("A picture that is text", image: Array("This is not a picture.".utf8)),
    NoteRow("A picture that is an archive", image: ArchivedText.bytes("a picture, once")),
  ]

  private static func text(_ count: Int) -> String {
    String("The quick brown fox jumps over the lazy dog while the cat sleeps on the warm stove all day.".prefix(count))
  }
}
