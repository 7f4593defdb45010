"""What is found, and in which order."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from desk import Desk

from rag.catalog import Catalog
from rag.ports import Vectors
from rag.records import Scope
from rag.retrieval import Retrieval, Signs, Weights
from rag.terms import terms


def found(desk: Desk, query: str, **how: object) -> list[tuple[str, str]]:
    retrieval = Retrieval(desk.catalog, desk.store, desk.embedder, candidates=20, weights=Weights())
    hits = retrieval.search(query, top_k=5, **how)  # type: ignore[arg-type]
    return [(hit.path, hit.passage.text) for hit in hits]


def test_an_article_is_found_by_its_number_however_it_is_written(desk: Desk) -> None:
    desk.publish(
        "劳动合同法.pdf",
        *(f"第{number}条 用人单位应当依法办理。" for number in ("八", "八十", "八十二", "十二")),
    )
    for asked in ("第八十二条怎么规定？", "第82条怎么规定？"):
        assert found(desk, asked)[0][1].startswith("第八十二条")


@pytest.mark.parametrize(
    "asked", ["INV-2031-0417", "ｉｎｖ－２０３１－０４１７", "where is inv-2031-0417"]
)
def test_a_code_is_found_among_its_like(desk: Desk, asked: str) -> None:
    desk.publish("bills.pdf", *(f"Invoice INV-2031-{n:04d} is paid." for n in range(410, 425)))
    assert found(desk, asked)[0][1] == "Invoice INV-2031-0417 is paid."


@pytest.mark.parametrize("asked", ["ht20310417", "HT20310417的租期", "ht2031-0417"])
def test_a_code_is_found_without_its_marks(desk: Desk, asked: str) -> None:
    for end in ("0471", "0417", "0147"):
        desk.publish(f"{end}.pdf", f"合同编号 HT-2031-{end}，甲方白鹭，租期三年。")
    assert "HT-2031-0417" in found(desk, asked)[0][1]


def test_every_code_is_found_first_among_many_that_look_like_it(desk: Desk) -> None:
    codes = [f"HT-20{year}-{n:03d}{end}" for year in (31, 32) for n in range(1, 41) for end in "AB"]
    for at in range(0, len(codes), 20):
        texts = (f"合同编号 {code}，甲方白鹭，乙方青松，租期三年。" for code in codes[at : at + 20])
        desk.publish(f"合同{at}.pdf", *texts)
    for code in codes[::7]:
        assert code in found(desk, f"合同{code}的租期是多久？")[0][1]


class TestFilters:
    """Each filter holds in either half and in both together."""

    @pytest.fixture
    def rents(self, desk: Desk) -> Desk:
        for path in ("a/x/one.pdf", "a/xy/two.pdf", "b/three.pdf", "four.pdf"):
            desk.publish(path, f"The rent is agreed in {path}.")
        return desk

    @pytest.mark.parametrize("mode", ["hybrid", "dense", "keyword"])
    def test_by_place(self, rents: Desk, mode: str) -> None:
        def paths(**scope: object) -> list[str]:
            hits = found(rents, "what is the rent", mode=mode, scope=Scope(**scope))  # type: ignore[arg-type]
            return sorted(path for path, _ in hits)

        two = rents.at("a/xy/two.pdf").document_id
        assert paths(path_prefix="a/x/") == ["a/x/one.pdf"]
        assert paths(path_prefix="a/") == ["a/x/one.pdf", "a/xy/two.pdf"]
        assert paths(collection="b") == ["b/three.pdf"]
        assert paths(collection="") == ["four.pdf"]
        assert paths(document_ids=(two,)) == ["a/xy/two.pdf"]
        assert paths(document_ids=(two,), collection="b") == []

    @pytest.mark.parametrize("mode", ["hybrid", "dense", "keyword"])
    def test_by_date(self, rents: Desk, mode: str) -> None:
        at = datetime.fromtimestamp(1_700_000_000, UTC)  # of every file on this desk
        day = timedelta(days=1)
        for scope, count in (
            (Scope(date_from=at - day, date_to=at + day), 4),
            (Scope(date_from=at + day), 0),
            (Scope(date_to=at - day), 0),
        ):
            assert len(found(rents, "what is the rent", mode=mode, scope=scope)) == count

    def test_a_part_is_searched_exactly_and_a_large_one_by_the_store(
        self, rents: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[object] = []
        nearest = rents.store.nearest

        def listening(vector: Vectors, **how: object) -> object:
            asked.append(how["among"])
            return nearest(vector, **how)  # type: ignore[arg-type]

        monkeypatch.setattr(rents.store, "nearest", listening)
        exactly = found(rents, "what is the rent", mode="dense", scope=Scope(path_prefix="a/"))
        assert asked == []
        monkeypatch.setattr("rag.retrieval._COMPARED_EXACTLY", 1)
        assert (
            found(rents, "what is the rent", mode="dense", scope=Scope(path_prefix="a/")) == exactly
        )
        assert len(asked) == 1


def test_traditional_and_simplified_characters_meet(desk: Desk) -> None:
    desk.publish("a.pdf", "增值税的税率为百分之十三。")
    desk.publish("b.pdf", "公司的營業收入。")
    assert found(desk, "增值稅", mode="keyword") == [("a.pdf", "增值税的税率为百分之十三。")]
    assert found(desk, "营业收入", mode="keyword") == [("b.pdf", "公司的營業收入。")]


class TestNames:
    @pytest.fixture
    def reports(self, desk: Desk) -> Desk:
        """The same page of many companies and years; only the folders tell them apart."""
        companies = ("启明电子", "远航物流", "江河水务", "长青农业", "星海医药", "金石矿业")
        for at, company in enumerate(companies, start=1):
            for year in (2020, 2021, 2022, 2023):
                number = year * 100 + at
                desk.publish(
                    f"{company}/{year}年/报告.pdf",
                    f"营业收入（万元）为{number}。",
                    f"员工{number}人。",
                )
        return desk

    def test_the_document_that_the_question_names_comes_first(self, reports: Desk) -> None:
        path, text = found(reports, "长青农业2022年的营业收入是多少？")[0]
        assert path == "长青农业/2022年/报告.pdf"
        assert text.startswith("营业收入")

    def test_a_renamed_document_is_found_by_its_new_name(self, reports: Desk) -> None:
        catalog = reports.catalog
        document_id = catalog.ledger.locations()["长青农业/2022年/报告.pdf"].document_id
        revision = catalog.ledger.document(document_id).revision
        reports.arrive("白鹭证券/2022年/报告.pdf", revision)
        catalog.ledger.leave(["长青农业/2022年/报告.pdf"])
        assert catalog.names.named(terms("白鹭证券")) == {document_id: 1.0}
        assert document_id not in catalog.names.named(terms("长青农业"))
        assert found(reports, "白鹭证券")[0][0] == "白鹭证券/2022年/报告.pdf"
        paths = [path for path, _ in found(reports, "白鹭证券的营业收入是多少？")]
        assert "白鹭证券/2022年/报告.pdf" in paths, "among 24 that differ in nothing else"

    def test_a_named_document_outside_the_scope_stays_outside(self, reports: Desk) -> None:
        hits = found(reports, "长青农业2022年的营业收入", scope=Scope(collection="启明电子"))
        assert {path.split("/")[0] for path, _ in hits} == {"启明电子"}

    def test_a_word_of_every_name_names_nothing(self, reports: Desk) -> None:
        assert reports.catalog.names.named(terms("报告")) == {}

    def test_a_word_used_everywhere_names_no_document_that_happens_to_be_called_so(
        self, desk: Desk
    ) -> None:
        plus = desk.publish("Health Plus.pdf", "Health care abroad.", "Health checks.")
        desk.publish("Standard.pdf", *(f"Your health matters, {each}." for each in "abcd"))
        desk.publish("2031 report.pdf", "Health in figures.")
        desk.publish("figures.pdf", "2031 was good.", "2031 was bad.", "2031 is over.")

        def named(query: str) -> set[str]:
            return set(desk.catalog.names.named(terms(query)))

        assert named("what does my health plan cover") == set()
        assert named("what does Health Plus cover") == {plus}
        assert named("health") == {plus}, "all of the query is that name"
        assert named("what happened in 2031") == {desk.at("2031 report.pdf").document_id}

    def test_a_document_that_left_leaves_no_name(self, reports: Desk) -> None:
        for path, at in reports.catalog.ledger.locations().items():
            reports.catalog.ledger.leave([path])
            reports.index.remove(at.document_id)
        assert reports.catalog.names.named(terms("长青农业")) == {}


def test_what_says_the_same_comes_once(desk: Desk) -> None:
    desk.publish("a.pdf", "The rent is 3200 yuan.", "Pets are allowed.")
    desk.publish("b.pdf", "The rent is  3200 yuan.", "No pets.")
    texts = [text for _, text in found(desk, "rent yuan")]
    assert sum("rent" in text for text in texts) == 1


def test_indexes_made_of_other_terms_are_made_anew_at_the_next_start(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "catalog.sqlite3")
    Desk(catalog).publish("启明电子/a.pdf", "增值税")
    Desk(catalog).publish("b.pdf", "租金")
    catalog.close()
    with sqlite3.connect(tmp_path / "catalog.sqlite3") as plain:
        plain.execute("INSERT INTO passage_terms (passage_terms) VALUES ('delete-all')")
        plain.execute("DELETE FROM name_terms")
        plain.execute("UPDATE meta SET value = 'older' WHERE name = 'terms'")
    reopened = Catalog(tmp_path / "catalog.sqlite3")
    assert reopened.keywords.search(terms("增值税"), limit=5, scope=Scope())
    assert reopened.names.named(terms("启明电子"))
    reopened.close()


def test_signs_add_up_and_a_missing_cosine_is_none_at_all() -> None:
    weights = Weights(keyword=0.2, code=0.1, name=0.1)
    assert Signs(cosine=0.8, keyword=0.5, code=1.0).score(weights) == pytest.approx(1.0)
    assert Signs(name=1.0).score(weights) == pytest.approx(0.1)


def test_where_an_article_stands_comes_before_where_it_is_named(desk: Desk) -> None:
    desk.publish(
        "公司法.pdf",
        "丁 依照 第一百八十二条 董事应当报告。",
        "乙 依照\n第一百八十二条 董事应当报告。",
    )
    assert found(desk, "第一百八十二条怎么规定？")[0][1].startswith("乙")


def test_a_year_says_less_than_a_code(desk: Desk) -> None:
    """Much of a store may be of one year."""
    desk.publish("of the year.pdf", "丁 2015 年 车")
    desk.publish("of the code.pdf", "丁 HT-0417 车")

    def gain(query: str) -> float:
        retrieval = Retrieval(
            desk.catalog, desk.store, desk.embedder, candidates=9, weights=Weights(keyword=0)
        )
        hit = retrieval.search(query, top_k=1)[0]
        assert hit.cosine is not None
        return hit.score - hit.cosine

    assert gain("车 2015") == pytest.approx(gain("车 HT-0417") / 2, abs=1e-4)


@pytest.mark.parametrize("asked", ["更多示例", "More Examples"])
def test_a_passage_gains_by_having_the_query_for_a_heading(desk: Desk, asked: str) -> None:
    desk.publish(
        "manual.pdf",
        "9.4 更多示例\nMore examples\n用户可以了解打包的方法。",
        "更多示例请参阅后面。\nSee more examples below.\n用户可以了解打包的方法。",
    )
    weights = Weights(keyword=0, heading=0.1)
    retrieval = Retrieval(desk.catalog, desk.store, desk.embedder, candidates=9, weights=weights)
    gains = {
        hit.passage.text[:3]: round(hit.score - (hit.cosine or 0), 4)
        for hit in retrieval.search(asked, top_k=2)
    }
    assert gains == {"9.4": 0.1, "更多示": 0.0}
