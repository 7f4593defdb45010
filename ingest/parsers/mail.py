"""E-mails: who wrote what to whom and when, and the letter itself; attachments by name only."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from email.header import decode_header
from email.message import EmailMessage
from pathlib import Path

from ingest.failures import corrupt
from ingest.parsers.characters import clean
from ingest.parsers.encodings import decode
from ingest.parsers.markup import Markup
from ingest.parsers.web import declared, tree_of, whole
from rag.records import Element, Locator, Parsed

_SHOWN = ("Subject", "From", "To", "Cc", "Date")
_PARAGRAPHS = re.compile(r"\n\s*\n")
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
    head = [(name, _header(message, name)) for name in _SHOWN]
    elements = list(_head([(name, said) for name, said in head if said], markup))
    elements += _body(message, markup)
    names = [name for part in _attachments(message) if (name := _name(part))]
    if names:
        place = Locator(section=markup.section.titles)
        elements.append(Element("text", f"{_ATTACHED}: {', '.join(names)}", place))
    flags = (*markup.flags, "attachments") if names else markup.flags
    return whole(path, tuple(elements), flags)


def _head(head: list[tuple[str, str]], markup: Markup) -> Iterator[Element]:
    """The subject as a heading, then the letterhead in one piece."""
    said = dict(head)
    if "Subject" in said:
        markup.section.enter(1, said["Subject"])
    if "From" in said:
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
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes) or not data.strip():
        return
    text = declared(data, part.get_content_charset())
    if part.get_content_subtype() == "html":
        yield from markup.elements(tree_of(text))
        return
    for paragraph in _PARAGRAPHS.split(text.replace("\r\n", "\n")):
        lines = filter(None, (clean(line).strip() for line in paragraph.splitlines()))
        words = "\n".join(lines)
        if words:
            yield Element("text", words, Locator(section=markup.section.titles))


def _attachments(message: EmailMessage) -> Iterator[EmailMessage]:
    for part in message.walk():
        if part.get_content_disposition() == "attachment" and isinstance(part, EmailMessage):
            yield part


def _name(part: EmailMessage) -> str:
    name = part.get_filename()
    if not name:
        return ""
    words = [
        each if isinstance(each, str) else _decoded(each, charset)
        for each, charset in decode_header(name)
    ]
    return clean("".join(words)).strip()
