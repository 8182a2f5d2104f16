extension SampleOddity {
  /// Ids and images that are not the usual strings.
  static let identifiers = [
    Self(
      "Id is a number beyond 2^53",
      artists: #"{"id": 9007199254740993, "name": "Numbered Nina", "imageURL": "https://i.example.com/nina.jpg"}"#),
    Self("Id is null", artists: #"{"id": null, "name": "Nullid Ned", "imageURL": "https://i.example.com/ned.jpg"}"#),
    Self("Id is missing", artists: #"{"name": "Noid Nora", "imageURL": "https://i.example.com/nora.jpg"}"#),
    Self("Image is null", artists: #"{"id": "odd-max", "name": "Imageless Max", "imageURL": null}"#),
    Self("Image is missing", artists: #"{"id": "odd-mia", "name": "Imageless Mia"}"#),
  ]

  /// What `artists` can be instead of an array of objects with names.
  static let shapes = [
    Self("Artists is missing", #"{"title": "Odd"}"#),
    Self("Artists is null", #"{"artists": null}"#),
    Self("Artists is an empty array", #"{"artists": []}"#),
    Self("Artists is a string", #"{"artists": "Stringy Stu"}"#),
    Self("Artists is a number", #"{"artists": 42}"#),
    Self("Artists is one bare object", #"{"artists": {"id": "odd-bea", "name": "Bare Bea", "imageURL": null}}"#),
    Self("An artist is a string", artists: #""Stringy Sue""#),
    Self("An artist has no name", artists: #"{"id": "odd-1"}, {"id": "odd-2", "name": "Second Sid"}"#),
    Self("The only artist has no name", artists: #"{"id": "odd-3", "imageURL": "https://i.example.com/3.jpg"}"#),
    Self("Artists of every kind", artists: #"null, 1, true, [], {}, {"id": "odd-4", "name": "Lonely Lou"}"#),
    Self("No artist anywhere", "{}").with { $0.artistName = "" },
  ]

  /// Artists that occur twice, or nearly so.
  static let doubles = [
    Self(
      "The same artist twice",
      artists: #"{"id": "odd-5", "name": "Twice Tom"}, {"id": "odd-5", "name": "Twice Tom"}"#),
    Self("Same name, first id", artists: #"{"id": "odd-6", "name": "Same Name"}"#),
    Self("Same name, second id", artists: #"{"id": "odd-7", "name": "Same Name"}"#),
    Self("Same id, first name", artists: #"{"id": "odd-8", "name": "Before Renaming"}"#),
    Self("Same id, second name", artists: #"{"id": "odd-8", "name": "After Renaming"}"#),
    Self(
      "Duplicate keys", #"{"artists": [{"id": "odd-9", "name": "First Key", "name": "Second Key"}], "artists": []}"#),
    Self("Name in NFC", artists: "{\"id\": \"odd-10\", \"name\": \"Caf\u{E9} Noir\"}"),
    Self("Name in NFD", artists: "{\"id\": \"odd-11\", \"name\": \"Cafe\u{301} Noir\"}"),
    Self("Name in small letters", artists: #"{"id": "odd-12", "name": "echo park"}"#),
    Self("Name in capitals", artists: #"{"id": "odd-13", "name": "ECHO PARK"}"#),
  ]
}
