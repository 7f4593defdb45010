"""Question sets, judging and measures."""

import json
import math

import pytest

from rag.errors import InvalidRequest, NotFound
from rag.evaluation import measures
from rag.evaluation.judging import at_gold, document_rank, rank_of
from rag.evaluation.measuring import put, summary
from rag.evaluation.questions import Question, read_questions, sample
from rag.records import Hit, Locator, Passage


def question(**given) -> Question:
    return Question(
        **{
            "question_id": "q",
            "dataset": "set",
            "text": "How much is the rent?",
            "answerable": True,
            "document": "lease.pdf",
            **given,
        }
    )


def hit(path="lease.pdf", text="The rent is 500.", rank=1, **place) -> Hit:
    passage = Passage("p", "d", 0, text, "", Locator(**place))
    return Hit(passage, path, path, 1.0, rank, ("dense",), cosine=0.9)


class TestJudging:
    def test_a_page_inside_the_span_of_a_hit_is_the_gold_place(self):
        asked = question(pages=(4,))
        assert at_gold(asked, hit(page=3, page_end=4))
        assert not at_gold(asked, hit(page=3))
        assert not at_gold(asked, hit())

    def test_the_document_may_be_named_without_its_ending_but_not_be_another(self):
        assert at_gold(question(document="lease"), hit(path="2024/lease.pdf"))
        assert not at_gold(question(), hit(path="other.pdf"))

    @pytest.mark.parametrize(
        ("cells", "same"), [("A2:C9", True), ("B7", True), ("D2:E9", False), ("AA7", False)]
    )
    def test_cells_that_meet_the_gold_cells(self, cells, same):
        asked = question(document="book.xlsx", sheet="Costs", cells="B5:C8")
        assert at_gold(asked, hit("book.xlsx", sheet="Costs", cells=cells)) is same
        assert not at_gold(asked, hit("book.xlsx", sheet="Income", cells=cells))

    def test_a_passage_of_the_right_document_but_another_context_is_not_gold(self):
        asked = question(context="The rent is 500. It is due monthly.")
        assert at_gold(asked, hit())
        assert not at_gold(asked, hit(text="Pets are allowed."))

    def test_ranks_are_of_the_first_right_hit(self):
        hits = [hit("a.pdf", rank=1), hit(page=1, rank=2), hit(page=2, rank=3)]
        assert rank_of(question(pages=(2,)), hits) == 3
        assert document_rank(question(pages=(2,)), hits) == 2
        assert rank_of(question(pages=(9,)), hits) is None


class TestMeasures:
    def test_rank_measures_by_hand(self):
        ranks = [1, 2, None, 10]
        assert measures.recall(ranks, 1).value == 0.25
        assert measures.recall(ranks, 10).value == 0.75
        assert measures.reciprocal_rank(ranks).value == pytest.approx((1 + 0.5 + 0 + 0.1) / 4)
        gains = 1 + 1 / math.log2(3) + 1 / math.log2(11)
        assert measures.ndcg(ranks, 10).value == pytest.approx(gains / 4)

    def test_wilson_interval_by_the_book(self):
        found = measures.share([True] * 8 + [False] * 2)
        assert (round(found.low, 3), round(found.high, 3)) == (0.490, 0.943)

    def test_bootstrap_is_repeatable_and_holds_the_mean(self):
        one, other = measures.mean([0.0, 0.5, 1.0]), measures.mean([0.0, 0.5, 1.0])
        assert one == other
        assert one.low <= one.value <= one.high

    def test_nothing_asked_is_not_a_number_rather_than_a_score(self):
        assert math.isnan(measures.share([]).value)
        assert math.isnan(measures.mean([]).value)

    def test_auc_counts_pairs_with_ties_as_half(self):
        assert measures.auc([3, 2], [1, 2]) == pytest.approx(3.5 / 4)

    def test_false_refusals_at_a_share_of_false_answers(self):
        negative = [i / 100 for i in range(100)]
        assert measures.false_refusals([0.95, 0.5], negative, false_answers=0.05) == 0.5


class TestQuestions:
    def test_a_set_is_read_with_its_odd_fields_left_out(self, tmp_path):
        path = tmp_path / "set.jsonl"
        line = {"id": "1", "question": "租金?", "doc_id": "a", "page": 3, "licence": "x"}
        path.write_text(json.dumps(line) + "\n\n", encoding="utf-8")
        (read,) = read_questions(path)
        assert (read.text, read.pages, read.dataset) == ("租金?", (3,), "set")

    def test_a_broken_line_is_named(self, tmp_path):
        path = tmp_path / "set.jsonl"
        path.write_text('{"id": "1", "question": "?"}\n{"id": 2}\n', encoding="utf-8")
        with pytest.raises(InvalidRequest, match=r"set\.jsonl:2"):
            read_questions(path)

    def test_a_missing_set_is_named(self, tmp_path):
        with pytest.raises(NotFound, match="nowhere"):
            read_questions(tmp_path / "nowhere.jsonl")

    def test_a_sample_is_the_same_for_the_same_seed_and_in_order(self):
        all_of_them = [question(question_id=str(n)) for n in range(50)]
        some = sample(all_of_them, size=5, seed=1)
        assert some == sample(all_of_them, size=5, seed=1) != sample(all_of_them, size=5, seed=2)
        assert [int(q.question_id) for q in some] == sorted(int(q.question_id) for q in some)


def test_the_gate_is_judged_on_answerable_questions_with_their_document_left_out():
    def search(_text, _top_k):
        return [hit(rank=1), hit("other.pdf", "Pets bark.", rank=2)]

    outcomes = list(put([question()], search, gate_k=5))
    found = summary(outcomes, min_evidence=0.0)
    assert found["recall@1"]["value"] == 1.0
    assert found["gate"]["unanswerable"] == "gold document left out"
    assert found["gate"]["auc"] == 1.0  # "rent" is in the gold passage only
