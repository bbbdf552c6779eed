"""Words of running text, as (start, end) pairs of character offsets.

    text ─▶ shadow: every character becomes one of its class ─▶ one regular expression ─▶ contractions, abbreviations

The rules follow the Penn Treebank, as most English corpora do, but the text is never changed: a token is always
`text[start:end]`, and quotes stay as they are. The shadow has the length of the text. In it a combining mark, a joiner,
a Han or Kana character and a symbol are each one fixed character, so the expression needs no table of Unicode.

    doesn't ─▶ does n't    Anna's ─▶ Anna 's    cannot ─▶ can not    O'Brien, state-of-the-art, AT&T, 1,234.56, 10:30
    Dr. Smith, U.S., e.g., J. R. Smith           https://x.org/a, anna@x.org, @anna, #tag, :-)           wait ... ?!
    $ 5    5 %    and / or    東 京 (a token for each Han or Kana character; other scripts are split at spaces)

Each part of the expression either consumes what it has looked at or looks at a bounded number of characters, so the
time is linear in the length of the text. It has no possessive quantifiers: Python 3.11.0 to 3.11.4 match them wrongly.
"""

import re
import unicodedata
from typing import TypeAlias

Offsets: TypeAlias = tuple[int, int]

MARK, JOINER, IDEOGRAPH, SYMBOL, FLAG = "ˑ", "ˍ", "漢", "☺", "⚑"  # the first two count as letters for `re`
_JOINERS = "\u00ad\u200c\u200d\u2060"  # soft hyphen, zero-width non-joiner and joiner, word joiner
_IDEOGRAPHS: tuple[tuple[int, int], ...] = (
    (0x3005, 0x3007),
    (0x3040, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x20000, 0x3FFFF),
)


class _Shadow(dict[int, int]):
    """The class of each character; filled as characters come."""

    def __missing__(self, code: int) -> int:
        self[code] = found = ord(self._class(code, chr(code)))
        return found

    @staticmethod
    def _class(code: int, char: str) -> str:
        kind = unicodedata.category(char)
        if char in "’ʼ＇":
            return "'"
        if char in "‐‑":
            return "-"
        if char in _JOINERS:
            return JOINER
        if kind in ("Mn", "Mc", "Me") or 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:
            return MARK
        if any(first <= code <= last for first, last in _IDEOGRAPHS):
            return IDEOGRAPH
        if 0x1F1E6 <= code <= 0x1F1FF:
            return FLAG
        if kind == "So":
            return SYMBOL
        return " " if char != "\n" and kind in ("Cc", "Cf", "Zs", "Zl", "Zp") else char


_SHADOW = _Shadow()


def shadow_of(text: str) -> str:
    """The text with every character replaced by one of its class; control and format characters become spaces.

    >>> shadow_of("naïve’s 東京\\u200b😀")
    "naïve's 漢漢 ☺"
    """
    return text.translate(_SHADOW)


_WORD = rf"[^\W{IDEOGRAPH}]"
_LETTER = rf"[^\W\d_{IDEOGRAPH}]"
_URL_END = rf"""\s<>"'()\[\]{{}}.,;:!?…“”«»{IDEOGRAPH}"""
_TOKEN = re.compile(
    rf"""
      (?:(?:https?|ftp)://|www\.)(?:[^{_URL_END}]|[.,;:!?']+(?=[^{_URL_END}])|\([^\s()<>"]*\))+    # a URL
    | {_WORD}[\w.+-]{{0,63}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}})+                                   # an e-mail address
    | [@\#]{_WORD}+ | \#{MARK}+                                                                   # @user, #tag
    | (?:Ph\.D|(?:{_LETTER}\.){{1,8}}{_LETTER})\.?(?:-{_WORD}+)*(?!\w) | C\+\+ | [CF]\#            # U.S., e.g., Ph.D.
    | '(?:[smdSMD]|re|ve|ll|RE|VE|LL|\d\ds?)(?!\w) | -[LR][RCS]B- | &\#?\w{{1,8}};                     # 's, '90s, &amp;
    | (?:(?<![\w)\].])(?:[-+−]\.?|\.)(?=\d))?(?P<word>{_WORD}+(?:(?:
          ['·-] | (?<=\d)[.,:/](?=\d) | (?<=[a-zA-Z\d])\.(?=[a-z]) | (?<=[A-Z])&(?=[A-Z]))(?={_WORD}){_WORD}+)*)
    | {IDEOGRAPH}[{MARK}{JOINER}]*
    | {SYMBOL}(?:{MARK}|{JOINER}{SYMBOL})* | {FLAG}{{1,2}}{MARK}*                                    # emoji
    | (?<!\w)(?:[:;=]['^-]?[()\[\]DPpOo/\\|*3]+|<3)(?!\w)                                          # :-)
    | (?P<stop>\.(?!\.)) | \.+ | [!?]+ | ``|'' | -+ | =+ | _+ | \*+ | ~+ | \#+ | \++ | <+ | >+
    | \S
    """,
    re.VERBOSE,
)
_CLITICS = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m", "N'T", "'S", "'RE", "'VE", "'LL", "'D", "'M")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that keep their period: titles and the like, which never end a sentence, and abbreviations, which may.
TITLES = _listed("""
    Mr Mrs Ms Mx Dr Prof Gen Sen Sens Rep Reps Gov Capt Lt Col Sgt Cpl Cmdr Adm Maj Rev Hon Pres Supt Msgr St Mt Ft
    Messrs Mmes vs cf viz ca approx
""")
_ABBREVIATIONS = TITLES | _listed("""
    Inc Corp Co Cos Ltd Bros Assn Dept Univ Jr Sr Esq etc al Ave Blvd Rd dept est incl excl inc
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri
    Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Md Mass Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Tenn
    Tex Va Vt Wash Wis Wyo Mex
""")
_BEFORE_NUMBER = _listed("No no Nos nos p pp Vol vol Fig fig Figs figs Sec sec Ch ch Art art Eq eq Tel tel")
_NUMBER = re.compile(r"\s*[\d(]")
_NEXT_WORD = re.compile(r"\s+([^\W\d_]{1,12})(?![\w.])")
# Words that usually begin a sentence if they are capitalised: an initial or abbreviation before them ends one.
STARTERS = _listed("""
    The A An He She It They We I You This That These Those There Here In On At But And So If When While After Before As
    For However His Her Its Their My Our What Why How Who Then Yet Or To By With From Since Although Because Also
""")


def find_tokens(shadow: str) -> list[Offsets]:
    """The tokens of a text, given its shadow.

    >>> text = "Dr. Lee didn't pay $1,234.50 (Anna's) in the U.S."
    >>> [text[start:end] for start, end in find_tokens(shadow_of(text))]
    ['Dr.', 'Lee', 'did', "n't", 'pay', '$', '1,234.50', '(', 'Anna', "'s", ')', 'in', 'the', 'U.S.']
    """
    tokens: list[Offsets] = []
    for match in _TOKEN.finditer(shadow):
        start, end = match.span()
        kind = match.lastgroup
        if kind == "word":
            _add_word(tokens, shadow, start, end)
        elif kind == "stop" and tokens and tokens[-1][1] == start and _keeps_period(shadow, tokens[-1][0], start):
            tokens[-1] = tokens[-1][0], end
        else:
            tokens.append((start, end))
    return tokens


def _add_word(tokens: list[Offsets], shadow: str, start: int, end: int) -> None:
    """Add a word, split before its contractions: should|n't|'ve."""
    parts: list[Offsets] = []
    while shadow.endswith(_CLITICS, start + 1, end):
        cut = end - (3 if shadow[end - 3 : end].lower() in ("n't", "'re", "'ve", "'ll") else 2)
        if cut == start:
            break
        parts.append((cut, end))
        end = cut
    if end - start == 6 and shadow[start:end].lower() == "cannot":
        parts += [(start + 3, end)]
        end = start + 3
    tokens.append((start, end))
    tokens += reversed(parts)


def _keeps_period(shadow: str, start: int, end: int) -> bool:
    """Whether the word keeps the period that follows it."""
    if end - start > 6:  # the longest abbreviation
        return False
    word = shadow[start:end]
    if len(word) == 1 and word.isupper():  # an initial, unless a sentence begins behind it
        after = _NEXT_WORD.match(shadow, end + 1)
        return shadow[end + 1 : end + 2].isspace() and not (after and after[1] in STARTERS)
    return word in _ABBREVIATIONS or (word in _BEFORE_NUMBER and bool(_NUMBER.match(shadow, end + 1)))
