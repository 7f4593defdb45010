"""Fits the evidence gate: `rag/evidence_weights.py` is what this prints.

    python scripts/fit_gate.py measure SETS STORE OUT.json   # signals of every question, minutes
    python scripts/fit_gate.py fit OUT.json                  # weights, and how they do elsewhere

SETS is a folder of question sets as `deskside eval` reads them, STORE a folder for the stores made
of their passages, of the documents of ``northwind_en`` (from ``../cases/files/en_pdf`` beside SETS)
and of reports by ``make_reports.py``; they are kept for the next run. See ``gate_rows.py``.

Weights are fitted on all sets, each side of each set counting the same, and judged on sets they
were not fitted on; where years or numbers don't stand together (`rag.evidence_subject`) there is
nothing to weigh. The bias is then set so that at one half `EASED` of the good questions that it was
fitted on are refused.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from zlib import crc32

import numpy as np
from gate_rows import TOP_K, Row, measure

from rag.evaluation.measures import auc, false_refusals
from rag.evidence import APART

ALIKE = ("first", "codes", "tokens", "weakest")
ACROSS = ("codes", "centred")
WORDS = ("first", "codes")
RELATED = {"xquad_en": "xquad", "xquad_zh": "xquad"}
"""Sets of the same passages are never on both sides."""
RIDGE = 1e-3
BAR = 0.5
EASED = {"ALIKE": 0.15, "WORDS": 0.15, "ACROSS": 0.25}


class Fitted:
    """A logistic model of some signals, by Newton's method, a little held back."""

    def __init__(self, rows: Sequence[Row], names: Sequence[str]) -> None:
        self.names = names
        signals, answerable = self._matrix(rows), np.array([row.answerable for row in rows], float)
        sides = [(row.dataset, row.answerable) for row in rows]
        counted = np.array([1.0 / sides.count(side) for side in sides])
        counted /= counted.sum()
        self._mean, self._scale = signals.mean(axis=0), signals.std(axis=0) + 1e-9
        inputs = self._scaled(signals)
        held = np.diag([*[RIDGE] * len(names), 1e-9])
        self._weights = np.zeros(len(names) + 1)
        for _ in range(50):
            said = 1 / (1 + np.exp(-inputs @ self._weights))
            slope = inputs.T @ (counted * (said - answerable)) + held @ self._weights
            curve = (inputs * (counted * said * (1 - said))[:, None]).T @ inputs + held
            self._weights -= np.linalg.solve(curve, slope)

    def ease(self, good: Sequence[Row], *, refused: float) -> None:
        """Set the bias so that at `BAR` this share of the good questions is refused."""
        sums = self._scaled(self._matrix(good)) @ self._weights
        sums[[not row.signals["together"] for row in good]] = -np.inf
        self._weights[-1] -= float(np.quantile(sums, refused)) - np.log(BAR / (1 - BAR))

    def scores(self, rows: Sequence[Row]) -> list[float]:
        said = 1 / (1 + np.exp(-self._scaled(self._matrix(rows)) @ self._weights))
        apart = [APART if not row.signals["together"] else 1.0 for row in rows]
        return [float(each) for each in said * apart]

    def printed(self) -> str:
        weights = self._weights[:-1] / self._scale
        bias = self._weights[-1] - float(weights @ self._mean)
        pairs = ", ".join(
            f'("{name}", {weight:.3f})' for name, weight in zip(self.names, weights, strict=True)
        )
        return f"Weighing(({pairs},), {bias:.3f})"

    def _matrix(self, rows: Sequence[Row]) -> np.ndarray:
        return np.array([[row.signals[name] for name in self.names] for row in rows], float)

    def _scaled(self, signals: np.ndarray) -> np.ndarray:
        return np.c_[(signals - self._mean) / self._scale, np.ones(len(signals))]


def judged(rows: Sequence[Row], scores: Sequence[float]) -> str:
    """AUC, and false refusals at 5 % false answers, with a bootstrap's 95 %."""
    pairs = list(zip(scores, (row.answerable for row in rows), strict=True))
    shut = [score < BAR for score, answerable in pairs if answerable]
    through = [score >= BAR for score, answerable in pairs if not answerable]
    if not shut or not through:
        return f"lets through {np.mean(through):.3f}  n={len(pairs)}"
    draws = np.random.default_rng(17)
    found = [_figures(pairs)]
    for _ in range(300):
        found.append(_figures([pairs[at] for at in draws.integers(0, len(pairs), len(pairs))]))
    low, high = np.nanpercentile(np.array(found), [2.5, 97.5], axis=0)
    area, refused = found[0]
    return (
        f"AUC {area:.3f} [{low[0]:.3f} {high[0]:.3f}]  "
        f"refused at 5 % {refused:.3f} [{low[1]:.3f} {high[1]:.3f}]  "
        f"at {BAR} refuses {np.mean(shut):.3f}, lets through {np.mean(through):.3f}  "
        f"n={len(shut)}+{len(through)}"
    )


def _figures(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    good, bad = [s for s, a in pairs if a], [s for s, a in pairs if not a]
    return auc(good, bad), false_refusals(good, bad, false_answers=0.05)


def _can_teach(row: Row) -> bool:
    """An answerable question whose answer was not found teaches nothing about evidence.

    Nor does what is refused whatever it weighs.
    """
    found = not row.answerable or (row.rank is not None and row.rank <= TOP_K)
    return found and bool(row.signals["together"])


def _learnt(rows: Sequence[Row], names: Sequence[str], refused: float) -> Fitted:
    fitted = Fitted([row for row in rows if _can_teach(row)], names)
    fitted.ease([row for row in rows if row.answerable], refused=refused)
    return fitted


def _folds(rows: Sequence[Row], *, across: bool) -> Iterator[tuple[list[Row], list[Row]]]:
    """What to learn from, and what to judge: another set's passages.

    Across languages all sets are of one family: there, the other direction and the other half of
    the documents.
    """
    if not across:
        families = dict.fromkeys(RELATED.get(row.dataset, row.dataset) for row in rows)
        for family in families:
            test = [row for row in rows if RELATED.get(row.dataset, row.dataset) == family]
            yield [row for row in rows if row not in test], test
        return
    parted: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        article = row.document.rsplit("-", 1)[0]
        direction = row.dataset.removesuffix(", foreign")
        parted.setdefault((direction, crc32(article.encode()) % 2), []).append(row)
    for (direction, half), test in parted.items():
        learn = [
            row for (d, h), held in parted.items() if d != direction and h != half for row in held
        ]
        yield learn, test


def report(rows: Sequence[Row]) -> None:
    for title, names, chosen in (
        ("ALIKE", ALIKE, [row for row in rows if row.alike]),
        ("WORDS", WORDS, [row for row in rows if row.alike]),
        ("ACROSS", ACROSS, [row for row in rows if not row.alike]),
    ):
        print(f"\n{title}")
        of_title = [
            row for row in chosen if row.dataset.startswith("across") == (title == "ACROSS")
        ]
        judgements: dict[str, list[tuple[Row, float]]] = {}
        for learn, test in _folds(of_title, across=title == "ACROSS"):
            scores = _learnt(learn, names, EASED[title]).scores(test)
            for row, score in zip(test, scores, strict=True):
                judgements.setdefault(row.dataset, []).append((row, score))
        judgements["all, by others' weights"] = [pair for of in judgements.values() for pair in of]
        for dataset, pairs in judgements.items():
            print(f"  {dataset:24s} {judged(*zip(*pairs, strict=True))}")
        print(f"{title} = {_learnt(of_title, names, EASED[title]).printed()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure")
    for name in ("sets", "store", "out"):
        measuring.add_argument(name, type=Path)
    commands.add_parser("fit").add_argument("rows", type=Path)
    given = parser.parse_args()
    if given.command == "measure":
        rows = []
        for row in measure(given.sets, given.store):
            rows.append(asdict(row))
            if len(rows) % 100 == 0:
                given.out.write_text(json.dumps(rows), encoding="utf-8")
        given.out.write_text(json.dumps(rows), encoding="utf-8")
    else:
        report([Row(**row) for row in json.loads(given.rows.read_text(encoding="utf-8"))])


if __name__ == "__main__":
    main()
