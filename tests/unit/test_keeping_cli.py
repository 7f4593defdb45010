"""How purge finds its document, and what commands say of a folder that is none of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli import app
from api.keeping_cli import find
from rag.errors import Conflict, InvalidRequest, NotFound


def document(document_id: str, *locations: str, path: str = "") -> dict[str, Any]:
    return {
        "document_id": document_id,
        "path": path or locations[0],
        "locations": list(locations),
    }


class Service:
    """Lists some documents, two of a name, and one in the trash."""

    here = (
        document("1", "a/lease.pdf", "copy.pdf"),
        document("2", "b/lease.pdf"),
        document("3", "mill.pdf"),
    )
    trash = (document("4", path="gone/old.pdf"), document("5", path="mill.pdf"))

    def get(self, path: str, **_params: Any) -> dict[str, Any]:
        found = list(self.trash if path == "/api/trash" else self.here)
        return {"documents": found, "total": len(found)}


@pytest.mark.parametrize(
    ("wanted", "document_id"),
    [
        ("2", "2"),
        ("a/lease.pdf", "1"),
        ("a\\lease.pdf", "1"),
        ("copy.pdf", "1"),
        ("mill.pdf", "3"),  # the one in the inbox, before the one in the trash
        ("5", "5"),
        ("old.pdf", "4"),
        ("gone/old.pdf", "4"),
    ],
)
def test_a_document_is_found_by_id_path_or_name(wanted: str, document_id: str) -> None:
    assert find(Service(), wanted)["document_id"] == document_id  # type: ignore[arg-type]


def test_a_name_of_several_or_of_none_is_refused() -> None:
    with pytest.raises(Conflict, match=r"a/lease\.pdf \(1\), b/lease\.pdf \(2\)"):
        find(Service(), "lease.pdf")  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        find(Service(), "ease.pdf")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "command",
    [
        ["documents"],
        ["ask", "What?"],
        ["search", "x"],
        ["purge", "a.pdf", "--yes"],
        ["rebuild"],
        ["backup", "out.zip"],
    ],
)
def test_a_mistyped_folder_is_told_at_once_and_not_made(tmp_path: Path, command: list[str]) -> None:
    missing = tmp_path / "daat"
    done = CliRunner().invoke(app, [*command, "--data", str(missing)])
    assert isinstance(done.exception, NotFound)
    assert "no Deskside data" in done.exception.detail
    assert not missing.exists()


def test_a_backup_is_kept_out_of_the_data_folder(tmp_path: Path) -> None:
    target = tmp_path / "data" / "inbox" / "desk.zip"
    done = CliRunner().invoke(app, ["backup", str(target), "--data", str(tmp_path / "data")])
    assert isinstance(done.exception, InvalidRequest)


def test_a_backup_is_not_written_over(tmp_path: Path) -> None:
    target = tmp_path / "desk.zip"
    target.write_text("mine")
    done = CliRunner().invoke(app, ["backup", str(target), "--data", str(tmp_path / "data")])
    assert isinstance(done.exception, Conflict)
    assert target.read_text() == "mine"


def test_only_what_is_in_the_trash_can_be_brought_back() -> None:
    service = Service()
    assert find(service, "mill.pdf", trash_only=True)["document_id"] == "5"  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        find(service, "copy.pdf", trash_only=True)  # type: ignore[arg-type]
