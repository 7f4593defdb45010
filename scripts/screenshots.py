"""Takes the pictures of the docs: the real service, a real model, generated documents.

``.venv/bin/python scripts/screenshots.py [NAME …]`` writes docs/screenshots/NAME.png, all of them
without a name. It takes some minutes; look at what it made before you commit it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from browsing import ARGUMENTS, CHROMIUM  # noqa: E402
from running import Service, serving  # noqa: E402
from samples.folder import samples  # noqa: E402

TARGET = ROOT / "docs" / "screenshots"
MODEL = "qwen2.5-coder-1.5b-instruct"
MOST_BYTES = 150_000
WAIT_MS = 600_000
PATIENCE = 4
PLACES = {
    "合同": ["租赁合同.pdf", "修订.docx"],
    "财务": ["部门汇总.xlsx"],
    "制度": ["差旅制度.docx"],
    "Contracts": ["lease.pdf", "broken/password.pdf"],
    "Finance": ["two-tables.xlsx"],
    "Policies": ["travel-policy.docx", "broken/truncated.pdf"],
}


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: what is done before it is taken, and how the browser is set."""

    steps: Callable[[Any], None]
    locale: str = "en-US"
    dark: bool = False
    width: int = 1280
    height: int = 800
    view: str = "ask"


def asks(*questions: str, cited: bool = False) -> Callable[[Any], None]:
    """Ask one after the other; ``cited`` opens the first source of the last answer."""

    def steps(page: Any) -> None:
        for question in questions:
            page.fill("#question", question)
            page.press("#question", "Enter")
            page.wait_for_selector(".turn:last-child[data-phase=done]", timeout=WAIT_MS)
        if cited:
            page.locator(".turn").last.locator(".prose .chip").first.click()
            page.locator("#source img, #source iframe").first.wait_for()

    return steps


def nothing(_page: Any) -> None:
    """The view as it opens."""


def drawer(page: Any) -> None:
    """The history of a phone."""
    page.click("#menu")


SHOTS = {
    "ask-zh": Shot(asks("白鹭会计师事务所每月租金是多少？", cited=True), "zh-CN"),
    "ask": Shot(asks("How much notice ends the lease?", cited=True)),
    "sheet-dark": Shot(asks("2023年第二季度的收入是多少？", cited=True), "zh-CN", dark=True),
    "refused": Shot(asks("What is the capital of France?")),
    "phone-zh": Shot(asks("高铁出差能坐什么座位？"), "zh-CN", width=390, height=780),
    "phone-source": Shot(
        asks("How much notice ends the lease?", cited=True), width=390, height=780
    ),
    "phone-history": Shot(drawer, width=390, height=780),
    "library": Shot(nothing, view="library"),
    "library-zh": Shot(nothing, "zh-CN", view="library"),
    "health-zh": Shot(nothing, "zh-CN", view="health", height=1000),
}


def main() -> None:
    wanted = sys.argv[1:] or list(SHOTS)
    TARGET.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="deskside-") as folder,
        filled(Path(folder)) as service,
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name in wanted:
            size = take(browser, service, SHOTS[name], TARGET / f"{name}.png")
            print(f"{name}.png {size // 1000} kB", flush=True)
        browser.close()


@contextmanager
def filled(folder: Path) -> Iterator[Service]:
    """The service over the samples, sorted into folders and read."""
    inbox = folder / "data" / "inbox"
    for place, names in PLACES.items():
        (inbox / place).mkdir(parents=True)
        for name in names:
            shutil.copy(samples() / name, inbox / place)
    with serving(folder / "data", DESKSIDE_MODEL=MODEL) as service:
        await_all(service, sum(map(len, PLACES.values())))
        yield service


def await_all(service: Service, count: int) -> None:
    """Wait until the documents are read, longer than a test would on a busy machine."""
    for _ in range(PATIENCE):
        with suppress(AssertionError):
            service.wait_until_read(count)
            return
    raise SystemExit("The documents were not read in time.")


def take(browser: Any, service: Service, shot: Shot, target: Path) -> int:
    """Take one picture; returns its size in bytes."""
    phone = shot.width < 500
    context = browser.new_context(
        locale=shot.locale,
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.dark else "light",
        has_touch=phone,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(f"{service.url}/#/{shot.view}")
    page.wait_for_load_state("networkidle") if shot.view == "ask" else page.wait_for_timeout(2500)
    shot.steps(page)
    page.wait_for_timeout(1500)  # pictures and frames settle
    page.screenshot(path=target)
    with Image.open(target) as picture:
        # A page has few colours: a palette makes the file a third, and nobody sees it.
        palette = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2)
        palette.save(target, optimize=True)
    context.close()
    size = target.stat().st_size
    if size > MOST_BYTES:
        raise SystemExit(f"{target.name} is too large: {size} bytes")
    return size


if __name__ == "__main__":
    main()
