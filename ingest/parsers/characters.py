"""Characters as people mean them, and how many of a page's are no characters at all."""

from __future__ import annotations

import re
import unicodedata

from rag.terms import is_cjk

# CJK Radicals Supplement: code points some PDF fonts emit for whole characters. NFKC mends the
# Kangxi radicals (U+2F00-2FD5) and two of these; the rest needs this table.
_PAIRS = (
    "⺁厂⺄乙⺋㔾⺌小⺍小⺏尢⺒巳⺓幺⺙攵⺛旡⺜日⺝月⺞歺⺟母⺠民⺦丬⺧牛⺩王⺪疋⺫罒⺬示⺮竹⺯糸⺱网⺳网"
    "⺴网⺶羊⺷羊⺸羊⺻聿⺼月⺽臼⻁虎⻂衤⻃西⻄西⻅见⻆角⻇角⻉贝⻊足⻋车⻍辶⻎辶⻑長⻓长⻔门⻕阜⻗雨⻘青⻙韦"
    "⻚页⻛风⻜飞⻝食⻞食⻡首⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟"
)
_RADICALS = str.maketrans(dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True)))
_KANGXI = re.compile(r"[\u2f00-\u2fdf]")
_PRIVATE_BULLETS = re.compile(r"[\uf0b7\uf0a7\uf0d8\uf0fc\uf06c\uf06e]")
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u3000]+")
# Zero-width and direction marks only hide words from a search.
_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00]")
_CID = re.compile(r"\(cid:\d+\)")
_LATIN_1 = re.compile(r"[\u0080-\u00ff]")
_MOJIBAKE_SHARE = 0.3
"""No language writes three of ten letters in Latin-1's upper half; a misread font does."""


HYPHENS = "\x02\ufffe\xad"
"""What pdfium writes for a hyphen at a line's end, and the soft hyphen."""
_INNER_HYPHEN = re.compile(rf"[{HYPHENS}](?=\S)")
# Dots that lead to a page number in a table of contents.
_LEADERS = re.compile(r"(?:\s?[.·…]){5,}")
_CJK_BLANK = re.compile(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")
_CJK = re.compile(r"[\u3400-\u9fff]")
_SPACED_SHARE = 0.6
_AROUND = ".,;:!?()[]{}\"'“”‘’«»*•-–—…/"
_LONG = re.compile(r"[A-Za-z].*[A-Za-z].*[A-Za-z]")
_WORD_LIKE = re.compile(
    r"^(?:(?=.*[AEIOUYaeiouy])(?:[A-Z]?[a-zß-ÿ]+|[A-Z]+)(?:[-'’/.&](?:[A-Z]?[a-z]+|[A-Z]+))*"
    r"|[A-Z]{2,6}|\S*[\u3400-\u9fff]\S*|\S+[@/_=<>\\]\S+|[A-Za-z]+-?\d[\w.-]*)$"
)
_NARROW = re.compile(
    r"(?<=[\u3400-\u9fff“”（）《》，。、])[,:;!?()]|[()](?=[\u3400-\u9fff《“，。：；、])|(?<=[）])[,:;]"
)
_WIDE_MARKS = str.maketrans(",:;!?()", "，：；！？（）")


def clean(text: str) -> str:
    """Radicals as the characters they stand for, blanks as one blank, invisible marks gone."""
    text = _KANGXI.sub(lambda found: unicodedata.normalize("NFKC", found.group()), text)
    text = text.translate(_RADICALS)
    text = _PRIVATE_BULLETS.sub("•", text)
    text = _BLANKS.sub(" ", _INNER_HYPHEN.sub("", _INVISIBLE.sub("", text)))
    return _tighten(_LEADERS.sub(" … ", text))


def with_wide_marks(text: str) -> str:
    """Punctuation beside Chinese characters as Chinese prints it; recognition gives it narrow."""
    return _NARROW.sub(lambda found: found[0].translate(_WIDE_MARKS), text)


def needs_blank(before: str, after: str) -> bool:
    """Whether two lines joined need a blank: not where Chinese stands on either side."""
    if before.isspace() or after.isspace():
        return False
    return not (_is_wide(before) or _is_wide(after))


def quality(text: str) -> float:
    """Share of the characters that can be read, 0 to 1; 1 for no text at all."""
    solid = _CID.sub("\ufffd", "".join(text.split()))
    if not solid:
        return 1.0
    latin_1 = len(_LATIN_1.findall(solid))
    bad = sum(map(_is_bad, solid))
    if latin_1 / len(solid) > _MOJIBAKE_SHARE:
        bad += latin_1
    return max(0.0, 1 - bad / len(solid))


def likeness(text: str) -> float:
    """Share of the longer Latin words that look like words, 0 to 1; 1 where there are none."""
    found = [word for word in (each.strip(_AROUND) for each in text.split()) if _LONG.search(word)]
    if not found:
        return 1.0
    return sum(bool(_WORD_LIKE.match(word)) for word in found) / len(found)


def _tighten(text: str) -> str:
    """Chinese set with a blank after every character, as titles often are, without them."""
    blanks = len(_CJK_BLANK.findall(text))
    if blanks and blanks >= _SPACED_SHARE * (len(_CJK.findall(text)) - 1):
        return _CJK_BLANK.sub("", text)
    return text


def _is_wide(letter: str) -> bool:
    return is_cjk(letter) or unicodedata.east_asian_width(letter) in "WF"


def _is_bad(letter: str) -> bool:
    if letter in HYPHENS:
        return False
    return letter == "\ufffd" or unicodedata.category(letter) in ("Cc", "Co", "Cn", "Cs")
