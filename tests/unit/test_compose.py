"""docker-compose.yml, as far as it can be judged without Docker."""

from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
SERVICE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["deskside"]


def test_it_is_published_on_loopback_only():
    assert SERVICE["ports"] == ["127.0.0.1:8000:8000"]


def test_it_does_not_start_without_a_key():
    assert SERVICE["environment"]["DESKSIDE_API_KEY"].startswith("${DESKSIDE_API_KEY:?")


def test_data_and_models_outlive_the_container():
    assert {volume.split(":")[1] for volume in SERVICE["volumes"]} == {"/data", "/models"}


def test_its_health_is_asked_of_the_service():
    assert "/health" in SERVICE["healthcheck"]["test"][-1]


def test_the_image_runs_the_same_set_up():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "python scripts/setup.py" in dockerfile
    copied = [line.split()[1] for line in dockerfile.splitlines() if line.startswith("COPY rag")]
    assert copied == ["rag"]
    allowed = (ROOT / ".dockerignore").read_text().split()
    for name in ("pyproject.toml", "constraints.txt", "scripts/setup.py", "rag", "ingest", "api"):
        assert f"!{name}" in allowed
