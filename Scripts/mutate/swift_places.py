"""Finds places in Swift sources that can be changed, without a parser: tokens, brackets, and where expressions end."""

import re

TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+)|(?P<newline>\n)|(?P<comment>//[^\n]*)|(?P<word>[A-Za-z_$@\#][A-Za-z0-9_]*|`[^`]+`)
    |(?P<number>0x[0-9A-Fa-f_]+|0b[01_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?)
    |(?P<bracket>[()\[\]{}])|(?P<mark>[,;:])|(?P<operator>[-+*/%=<>!&|^~?.]+)|(?P<other>.)""",
    re.VERBOSE,
)
PAIRS = {")": "(", "]": "[", "}": "{"}
TYPES = {"struct", "class", "enum", "extension", "protocol", "actor"}
# Words that an expression cannot reach beyond, to the left or to the right.
LEFT_ENDS = {"return", "guard", "if", "while", "in", "where", "case", "throw", "try", "await", "else", "is", "as"}
RIGHT_ENDS = {"else", "where", "in", "throws"}
KEYWORDS = LEFT_ENDS | RIGHT_ENDS | TYPES | set(
    "let var func init deinit for repeat do catch switch default break continue defer import static private public "
    "internal package fileprivate mutating nonisolated lazy override final typealias subscript get set willSet didSet "
    "fallthrough indirect open unowned weak associatedtype precedencegroup operator convenience required throws some "
    "any isolated borrowing consuming".split()
)
# What can go wrong in a statement of SQL.
SQL_WORD = re.compile(r"\b(SELECT|UPDATE|INSERT|DELETE|WHERE|PRAGMA|COUNT|count|max|IFNULL|AND|ORDER BY)\b")
SQL_CHANGES = [
    (r" \+ 1\b", " - 1"), (r" - 1\b", " + 1"), (r" = ", " <> "), (r" AND ", " OR "), (r"\bmax\(", "min("),
    (r" NOT NULL\b", " IS NULL"), (r" IS NULL\b", " IS NOT NULL"), (r" < ", " <= "), (r" > ", " >= "),
    (r" ORDER BY [^\"\\]+(?=\"$)", ""), (r"\bNEW\b", "OLD"), (r" IN ", " NOT IN "), (r" DISTINCT ", " "),
]
COMPARISONS = {"==", "!=", "<", "<=", ">", ">=", "===", "!=="}


class Token:
    __slots__ = ("kind", "text", "start", "end", "spaced_left", "spaced_right", "first", "match", "scope")

    def __init__(self, kind, text, start, end):
        self.kind, self.text, self.start, self.end = kind, text, start, end
        self.spaced_left = self.spaced_right = self.first = False
        self.match = self.scope = None

    def __repr__(self):
        return f"{self.kind}:{self.text}"


class Place:
    """A change to a file: the text between two offsets becomes a switch between itself and another text."""

    def __init__(self, kind, start, end, before, after, new):
        self.kind, self.start, self.end, self.before, self.after, self.new = kind, start, end, before, after, new


def string_end(text, start):
    """Where a string ends that begins at an offset, with all that is interpolated into it."""
    hashes = 0
    while text[start + hashes] == "#":
        hashes += 1
    place = start + hashes
    quote = '"""' if text.startswith('"""', place) else '"'
    place += len(quote)
    close, escape = quote + "#" * hashes, "\\" + "#" * hashes
    while place < len(text):
        if text.startswith(close, place):
            return place + len(close)
        if text.startswith(escape, place):
            place += len(escape)
            if text[place : place + 1] == "(":
                depth = 0
                while place < len(text):
                    if text[place] == '"':
                        place = string_end(text, place)
                        continue
                    depth += {"(": 1, ")": -1}.get(text[place], 0)
                    place += 1
                    if depth == 0:
                        break
            else:
                place += 1
            continue
        place += 1
    return place


def tokens(text):
    found, place, is_first = [], 0, True
    spaced = True
    while place < len(text):
        if text[place] == '"' or re.match(r'#+"', text[place:place + 8]):
            end = string_end(text, place)
            token = Token("string", text[place:end], place, end)
        elif text.startswith("/*", place):
            depth, end = 1, place + 2
            while end < len(text) and depth:
                if text.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif text.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                else:
                    end += 1
            place, spaced = end, True
            continue
        else:
            match = TOKEN.match(text, place)
            kind, end = match.lastgroup, match.end()
            if kind == "word" and match.group() in ("#if", "#elseif", "#else", "#endif"):
                # The whole line: whatever is between is another matter.
                end = text.find("\n", place)
                token = Token("directive", match.group(), place, end)
                found.append(token)
                place, spaced = end, True
                continue
            if kind in ("space", "newline", "comment"):
                if kind == "newline":
                    is_first = True
                place, spaced = end, True
                if found:
                    found[-1].spaced_right = True
                continue
            token = Token(kind, match.group(), place, end)
        token.spaced_left, token.first = spaced, is_first
        found.append(token)
        place, spaced, is_first = end, False, False
    return found


class Scope:
    """What is between two braces."""

    def __init__(self, parent, kind, start):
        self.parent, self.kind, self.start = parent, kind, start
        self.returns_optional = False
        self.is_loop = False

    def any(self, test):
        scope = self
        while scope:
            if test(scope):
                return True
            scope = scope.parent
        return False


class Source:
    def __init__(self, text):
        self.text = text
        self.all = tokens(text)
        self.link()

    def link(self):
        """Finds the other end of each bracket, and what each brace is for."""
        stack, scope = [], Scope(None, "file", 0)
        declared, inlinable, directives = None, False, 0
        for index, token in enumerate(self.all):
            token.scope = scope
            if token.kind == "directive":
                directives += {"#if": 1, "#endif": -1}.get(token.text, 0)
            if directives:
                token.kind = "directive"
                if token.text not in "{}":
                    continue
            before = self.all[index - 1] if index else None
            if token.kind == "word":
                if token.text in ("@inlinable", "@_transparent", "@inline"):
                    inlinable = True
                follows = self.all[index + 1].text if index + 1 < len(self.all) else ""
                if token.text in TYPES and (not before or before.text not in (".", ":")) and follows not in (
                    "func", "var", "let", "subscript", "}", ")", ",", "override",
                ):
                    declared = len(stack)
            if token.text in ("(", "[", "{") and token.kind in ("bracket", "directive"):
                stack.append(index)
                if token.text == "{":
                    is_type = declared is not None and declared == len(stack) - 1
                    inner = Scope(scope, "type" if is_type else "skip" if inlinable else "code", index)
                    if is_type:
                        declared = None
                    else:
                        inner.returns_optional = self.returns_optional(index)
                        inner.is_loop = self.is_loop(index)
                    inlinable = False
                    scope = inner
            elif token.text in PAIRS and token.kind in ("bracket", "directive") and stack:
                other = stack.pop()
                token.match, self.all[other].match = other, index
                if token.text == "}":
                    scope = scope.parent or scope
                    token.scope = scope

    def returns_optional(self, index):
        before = self.all[index - 1]
        return before.text.endswith("?") and any(
            token.text == "->" for token in self.all[max(0, index - 12) : index])

    def is_loop(self, index):
        place = index - 1
        while place > 0 and not self.all[place].first:
            place -= 1
        return self.all[place].text in ("for", "while", "repeat")

    # --- Where expressions end ---

    def left(self, index, ends):
        """The first token of the operand on the left of an operator."""
        place = index - 1
        while place >= 0:
            token = self.all[place]
            if token.kind == "directive" or token.text in ("{", ";", ",", ":", "(", "[") or token.text in ends:
                break
            if token.kind == "word" and token.text in LEFT_ENDS:
                break
            if token.kind == "operator" and token.text in {"=", "?", "->"} | ASSIGNMENTS and token.spaced_left:
                break
            if token.text in PAIRS and token.match is not None:
                place = token.match
                if self.all[place].text == "{":
                    return None
                token = self.all[place]
            if token.first and not token.text.startswith(".") and not (
                token.kind == "operator" and token.spaced_right
            ) and self.ends_statement(place - 1):
                return place
            place -= 1
        return place + 1 if place + 1 < index else None

    def right(self, index, ends):
        """The token after the operand on the right of an operator."""
        place = index + 1
        while place < len(self.all):
            token = self.all[place]
            if token.kind == "directive" or token.text in (")", "]", "}", "{", ",", ";", ":") or token.text in ends:
                break
            if token.kind == "word" and token.text in RIGHT_ENDS:
                break
            if token.kind == "operator" and token.text in {"?", "="} | ASSIGNMENTS and token.spaced_left:
                break
            if place > index + 1 and token.first and self.ends_statement(place - 1) and not (
                token.kind == "operator" and (token.spaced_right or token.text.startswith("."))
            ):
                break
            place = token.match + 1 if token.text in ("(", "[") and token.match is not None else place + 1
        # A closure behind a call is part of it; where that is, is a question for a parser.
        if place < len(self.all) and self.all[place].text == "{" and not self.is_header(place):
            return None
        return place if place > index + 1 else None

    def ends_statement(self, index):
        token = self.all[index]
        if token.kind == "operator":
            # `x!` and `x?` end a statement, `x +` does not.
            return not token.spaced_left and token.text[-1] in "!?"
        return token.text not in (",", "(", "[", ":") and token.text not in ("return", "in", "=")

    def is_header(self, brace):
        """Whether a brace begins the body of a statement, rather than a closure."""
        place, start = brace - 1, None
        while place >= 0:
            token = self.all[place]
            if token.text in PAIRS and token.match is not None:
                place = token.match - 1
                continue
            if token.text in ("{", "(", "[", ";"):
                return False
            if token.kind == "word" and token.text in ("if", "while", "guard", "for", "switch"):
                return True
            if token.kind == "word" and token.text in ("let", "var", "return", "case") and token.first:
                return False
            place -= 1
        return False

    def code(self, start, end):
        """The text of the tokens from one up to another."""
        return self.text[self.all[start].start : self.all[end - 1].end]

    def is_code(self, index):
        """Whether a token is executed: not a declaration's, and not what is compiled into other modules."""
        scope = self.all[index].scope
        return (
            self.all[index].kind != "directive" and scope.any(lambda one: one.kind == "code")
            and not scope.any(lambda one: one.kind == "skip"))


ASSIGNMENTS = {"+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "&+=", "&-="}


class Finder:
    """All places of a file."""

    def __init__(self, text):
        self.source = Source(text)
        self.all = self.source.all
        self.places = []
        self.constant_lines = set()

    def add(self, kind, start, end, after, new=None):
        """A place from one token up to another. `new` has `@` for the condition that switches."""
        before = self.source.code(start, end)
        if new is None:
            if "\n" in before or "\n" in after or "{" in before or len(before) > 140:
                return
            new = f"(@ ? ({after}) : ({before}))"
        self.places.append(Place(kind, self.all[start].start, self.all[end - 1].end, before, after, new))

    def find(self):
        patterns = self.patterns()
        for index, token in enumerate(self.all):
            if not self.source.is_code(index) or index in patterns:
                continue
            if token.kind == "operator":
                self.operator(index)
            elif token.kind == "number":
                self.number(index)
            elif token.kind == "word":
                self.word(index)
            elif token.kind == "string":
                self.string(index)
            if token.first or self.all[index - 1].text == "{" and self.is_body(index - 1):
                self.statement(index)
        return self.places

    def patterns(self):
        """The tokens of patterns, which are no expressions, and of attributes and types that look like some."""
        found, place = set(), 0
        while place < len(self.all):
            token = self.all[place]
            if token.kind == "word" and token.text == "case":
                stop = "=" if place and self.all[place - 1].text in ("if", "guard", "while", ",", "for") else ":"
                while place < len(self.all) and self.all[place].text not in (stop, "in" if stop == "=" else ":"):
                    found.add(place)
                    match = self.all[place].match
                    if self.all[place].text in ("(", "[") and match:
                        found.update(range(place, match))
                        place = match
                    else:
                        place += 1
                continue
            # Declared default values of parameters are seen by other modules.
            if token.kind == "word" and token.text in ("func", "init", "subscript") and (
                not place or self.all[place - 1].text != "."
            ):
                while place < len(self.all) and self.all[place].text != "(" and not self.all[place + 1].first:
                    place += 1
                if place < len(self.all) and self.all[place].match:
                    found.update(range(place, self.all[place].match))
            if token.kind == "word" and token.text.startswith(("@", "#")) and self.all[place + 1].text == "(":
                found.update(range(place, self.all[place + 1].match or place))
            place += 1
        return found

    def operator(self, index):
        token = self.all[index]
        text = token.text
        if text == "!" and not token.spaced_right and (token.spaced_left or self.all[index - 1].text in ("(", "[")):
            end = self.postfix_end(index + 1)
            if end:
                self.add("not", index, end, self.source.code(index + 1, end))
            return
        if not (token.spaced_left and token.spaced_right):
            return
        if text in COMPARISONS:
            start = self.source.left(index, {"&&", "||", "?"} | COMPARISONS)
            end = self.source.right(index, {"&&", "||"} | COMPARISONS)
            others = {
                "==": ["!="], "!=": ["=="], "===": ["!=="], "!==": ["==="], "<": ["<=", ">="], "<=": ["<", ">"],
                ">": [">=", "<="], ">=": [">", "<"],
            }[text]
        elif text in ("&&", "||"):
            start = self.source.left(index, {"||", "?"} if text == "&&" else {"?"})
            end = self.source.right(index, {"&&", "||"} if text == "&&" else {"||"})
            others = ["||" if text == "&&" else "&&"]
        elif text in ("+", "-", "&+", "&-"):
            looser = COMPARISONS | {"&&", "||", "??", "..<", "...", "?"}
            tighter = looser | {"+", "-", "&+", "&-", "|", "^"}
            start = self.source.left(index, looser)
            end = self.source.right(index, tighter)
            if start is None or end is None:
                return
            around = self.source.code(start, end)
            # Texts and arrays have no difference.
            if '"' in around or "[" in around.replace("[0]", "") or re.search(r"(?i)text|name|path|sql|list|suffix", around):
                return
            others = [text.replace("+", "\0").replace("-", "+").replace("\0", "-")]
        else:
            return
        if start is None or end is None:
            return
        left, right = self.source.code(start, index), self.source.code(index + 1, end)
        for other in others:
            self.add(text, start, end, f"{left} {other} {right}")

    def postfix_end(self, index):
        token = self.all[index]
        if token.kind not in ("word", "bracket") or token.text in KEYWORDS:
            return None
        place = index
        while place < len(self.all):
            token = self.all[place]
            if token.text in ("(", "[") and token.match is not None and (place == index or not token.spaced_left):
                place = token.match + 1
            elif token.kind == "word" and (place == index or self.all[place - 1].text in (".", "?.", "!.")):
                place += 1
            elif token.text in (".", "?.", "!.") and not token.spaced_left:
                place += 1
            else:
                break
        if self.all[place].text == "{" and not self.source.is_header(place):
            return None
        return place

    def number(self, index):
        token = self.all[index]
        before = self.all[index - 1].text
        if before.endswith(".") and not before.endswith((".<", "..")) or not re.fullmatch(r"[0-9_]+|0x[0-9A-Fa-f_]+", token.text):
            return
        is_hexadecimal = token.text.startswith("0x")
        value = int(token.text.replace("_", ""), 16 if is_hexadecimal else 10)
        show = hex if is_hexadecimal else str
        if before == "-" and not self.all[index - 1].spaced_right:
            return
        for other in [value + 1] + ([value - 1] if value else []):
            self.add("number", index, index + 1, show(other))

    def string(self, index):
        text = self.all[index].text
        if not SQL_WORD.search(text) and not re.search(r" [-+] 1\"$", text):
            return
        for pattern, new in SQL_CHANGES:
            for match in re.finditer(pattern, text):
                # What is interpolated is code.
                opened = text.rfind("\\(", 0, match.start())
                if opened < 0 or text[opened : match.start()].count("(") <= text[opened : match.start()].count(")"):
                    self.add("sql", index, index + 1, text[: match.start()] + new + text[match.end() :])

    def word(self, index):
        token = self.all[index]
        if token.text in ("true", "false"):
            self.add("truth", index, index + 1, "false" if token.text == "true" else "true")
        elif token.text in ("if", "guard", "while"):
            self.conditions(index)
        elif token.text in ("min", "max") and self.all[index + 1].text == "(" and self.all[index - 1].text != ".":
            end = (self.all[index + 1].match or index) + 1
            other = "max" if token.text == "min" else "min"
            self.add("extreme", index, end, other + self.source.code(index + 1, end))
        elif token.text in ("break", "continue") and (
            self.all[index + 1].first or self.all[index + 1].text == "}"
        ) and token.scope.any(lambda scope: scope.is_loop):
            other = "break" if token.text == "continue" else "continue"
            self.add("jump", index, index + 1, other, f"if @ {{ {other} }} else {{ {token.text} }}")
        elif token.text == "return" and not self.all[index + 1].first and token.scope.any(
            lambda scope: scope.returns_optional
        ):
            end = self.source.right(index, set())
            if end and self.all[index + 1].text != "nil" and "\n" not in self.source.code(index, end):
                value = self.source.code(index + 1, end)
                if not value.startswith(("try", "switch", "if ")):
                    self.add("nothing", index + 1, end, "nil", f"(@ ? nil : ({value}))")

    def conditions(self, index):
        """Each condition of a list that is no binding, as if it always held or never."""
        if self.all[index].text == "while" and self.all[index - 1].text == "}":
            return
        place = index + 1
        while place < len(self.all):
            start = place
            while place < len(self.all) and self.all[place].text not in (",", "{", "else", "}"):
                match = self.all[place].match
                place = match + 1 if self.all[place].text in ("(", "[") and match else place + 1
            if place >= len(self.all):
                return
            first = self.all[start].text
            clause = self.source.code(start, place) if place > start else ""
            if first not in ("let", "var", "case", "#available") and re.search(r"\w", clause):
                lead = ""
                if first == "try":
                    lead, clause = "try ", clause[4:]
                if first != "try" or self.all[start + 1].text not in ("?", "!"):
                    for after in ("true", "false"):
                        self.add("condition", start, place, lead + after, f"{lead}(@ ? {after} : ({clause}))")
            if self.all[place].text != ",":
                return
            place += 1

    def statement(self, index):
        """A call, or an assignment with an operation, that is left out."""
        token = self.all[index]
        before = self.all[index - 1].text
        if token.scope.kind != "code" or token.kind != "word" or before in (",", "=", "?"):
            return
        if before not in ("in", ":") and not self.source.ends_statement(index - 1):
            return
        start, place = index, index
        if token.text == "_" and self.all[index + 1].text == "=":
            place = index + 2
        if self.all[place].text == "try":
            place += 2 if self.all[place + 1].text in ("?", "!") else 1
        head = self.all[place]
        if head.kind != "word" or head.text in KEYWORDS or head.text.startswith(("@", "#", "$")) or head.text in (
            "super", "fatalError", "precondition", "preconditionFailure",
        ):
            return
        has_call = is_assignment = False
        while place < len(self.all):
            token = self.all[place]
            if place > index and (token.text in ("}", ";") or token.first and not (
                token.kind == "operator" and (token.spaced_right or token.text.startswith("."))
            ) and self.source.ends_statement(place - 1)):
                break
            if token.kind == "operator" and token.spaced_left and token.text == "=" or token.text == ":":
                if self.all[index].text != "_" or place > index + 1:
                    return
            is_assignment = is_assignment or token.text in ASSIGNMENTS
            has_call = has_call or token.text == "("
            place = token.match + 1 if token.text in ("(", "[", "{") and token.match is not None else place + 1
        last = self.all[place - 1].text
        if not (is_assignment or has_call and last in (")", "}")) or last == "{":
            return
        code = self.source.code(start, place)
        if code.startswith("self.init") or self.is_result(start, place):
            return
        self.add("statement", start, place, "", f"if !@ {{ {code} }}")


    def is_body(self, brace):
        return self.all[brace - 1].text in ("else", "defer", "do", "catch") or self.source.is_header(brace)

    def is_result(self, start, end):
        """Whether a statement is all of a body that gives something."""
        opener = self.all[start].scope.start
        if start > opener + 1 and self.all[start - 1].text != "in" or self.all[end].text != "}":
            return False
        place = opener
        while place > 0 and not self.all[place].first:
            place -= 1
        head = {token.text for token in self.all[max(0, place - 4) : opener]}
        return bool(head & {"->", "var", "get", "=", "return"}) or self.all[start - 1].text == "in"


def places(text):
    return Finder(text).find()
