"""E-mails: who wrote what to whom and when, and the letter itself; attachments by name only.

A letter that is forwarded as one is read below the letter that forwards it.
"""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from dataclasses import replace
from email.header import decode_header
from email.message import EmailMessage, MIMEPart
from pathlib import Path

from ingest.failures import corrupt
from ingest.parsers.characters import clean
from ingest.parsers.encodings import decode
from ingest.parsers.markup import Markup
from ingest.parsers.web import declared, tree_of, whole
from rag.records import Element, Locator, Parsed

_SHOWN = ("Subject", "From", "To", "Cc", "Date")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_TWICE = 2
_MAX_DEPTH = 4
"""Letters within letters, the outer one counted; deeper ones are named as not read."""
_FORWARDED = "转发的邮件 Forwarded message"
_ATTACHED = "附件 Attachments (not read)"


def parse_mail(path: Path) -> Parsed:
    """Read an .eml, or a web page saved with its pictures as .mht.

    Raises:
        Unreadable: it is no message, or says nothing.
    """
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    if not message.keys():
        raise corrupt("The file is not an e-mail, whatever its name says.")
    markup = Markup()
    elements = tuple(_letter(message, markup, ()))
    has_attachments = any(element.text.startswith(_ATTACHED) for element in elements)
    flags = (*markup.flags, "attachments") if has_attachments else markup.flags
    return replace(whole(path, elements, flags), tables=markup.tables)


def _letter(message: EmailMessage, markup: Markup, within: tuple[str, ...]) -> Iterator[Element]:
    """A letter and those it forwards; ``within`` are the subjects of the letters around it."""
    head = [(name, said) for name in _SHOWN if (said := _header(message, name))]
    subject = dict(head).get("Subject", _FORWARDED if within else "")
    path = (*within, subject)
    for level, title in enumerate(path, start=1):
        if title:
            markup.section.enter(level, title)
    yield from _head(head, markup)
    yield from _body(message, markup)
    parts = list(_parts(message))
    inner = [_forwarded(part) if len(path) < _MAX_DEPTH else None for part in parts]
    names = [
        name
        for part, letter in zip(parts, inner, strict=True)
        if letter is None and (name := _attached(part))
    ]
    if names:
        place = Locator(section=markup.section.titles)
        yield Element("text", f"{_ATTACHED}: {', '.join(names)}", place)
    for letter in filter(None, inner):
        yield from _letter(letter, markup, path)


def _head(head: list[tuple[str, str]], markup: Markup) -> Iterator[Element]:
    """The letterhead in one piece."""
    if "From" in dict(head):
        lines = "\n".join(f"{name}: {words}" for name, words in head)
        yield Element("text", lines, Locator(section=markup.section.titles))


def _header(message: EmailMessage, name: str) -> str:
    """A header's words: encoded ones as they declare, raw ones as they make sense."""
    raw = next((said for key, said in message.raw_items() if key.lower() == name.lower()), "")
    unfolded = " ".join(str(raw).split())
    if not unfolded.isascii():
        data = unfolded.encode("utf-8", "surrogateescape")
        return clean(decode(data))
    words = [
        part if isinstance(part, str) else _decoded(part, charset)
        for part, charset in decode_header(unfolded)
    ]
    return clean("".join(words)).strip()


def _decoded(data: bytes, charset: str | None) -> str:
    return declared(data, charset) if charset else data.decode("latin-1")


def _body(message: EmailMessage, markup: Markup) -> Iterator[Element]:
    plain = _text(message.get_body(preferencelist=("plain",)))
    styled = _text(message.get_body(preferencelist=("html",)))
    if styled.strip() and (not plain.strip() or _says_more(styled, plain)):
        yield from markup.elements(tree_of(styled))
    else:
        yield from _paragraphs(plain, markup)


def _text(part: MIMEPart | None) -> str:
    data = part.get_payload(decode=True) if part else None
    return declared(data, part.get_content_charset()) if part and isinstance(data, bytes) else ""


def _says_more(styled: str, plain: str) -> bool:
    """Whether the HTML of a letter says twice as much as its plain text, or holds a table."""
    markup = Markup()
    said = sum(len(each.text) for each in markup.elements(tree_of(styled)))
    return bool(markup.tables) or said > _TWICE * len(" ".join(plain.split()))


def _paragraphs(text: str, markup: Markup) -> Iterator[Element]:
    for paragraph in _PARAGRAPHS.split(text.replace("\r\n", "\n")):
        lines = filter(None, (clean(line).strip() for line in paragraph.splitlines()))
        words = "\n".join(lines)
        if words:
            yield Element("text", words, Locator(section=markup.section.titles))


def _parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """The parts of a letter, without those of letters within it."""
    yield message
    if message.get_content_maintype() == "multipart":
        for part in message.iter_parts():
            if isinstance(part, EmailMessage):
                yield from _parts(part)


def _forwarded(part: EmailMessage) -> EmailMessage | None:
    """The letter that the part is; none where it can't be told apart, as in base64."""
    if part.get_content_type() != "message/rfc822" or not part.is_multipart():
        return None
    letter = next(part.iter_parts(), None)
    return letter if isinstance(letter, EmailMessage) and letter.keys() else None


def _attached(part: EmailMessage) -> str:
    """What to call the part if it is not read; nothing where it is the letter itself."""
    is_letter = part.get_content_type() == "message/rfc822"
    if not is_letter and part.get_content_disposition() != "attachment":
        return ""
    return _name(part) or (_FORWARDED if is_letter else "")


def _name(part: EmailMessage) -> str:
    name = part.get_filename()
    if not name:
        return ""
    words = [
        each if isinstance(each, str) else _decoded(each, charset)
        for each, charset in decode_header(name)
    ]
    return clean("".join(words)).strip()
