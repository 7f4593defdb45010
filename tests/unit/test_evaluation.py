"""Question sets, judging and measures."""

import json
import math
from dataclasses import replace
from typing import ClassVar

import pytest

from rag.errors import InvalidRequest, NotFound
from rag.evaluation import answering, keeping, measures, plain
from rag.evaluation.answering import Round
from rag.evaluation.corpus import check, contexts, files
from rag.evaluation.judging import at_gold, cells_rank, document_rank, rank_of
from rag.evaluation.measuring import Gate, put, summary
from rag.evaluation.questions import (
    Question,
    across,
    read_questions,
    sample,
    some_of_each,
)
from rag.evaluation.resuming import WrittenDown
from rag.evaluation.spans import Sources
from rag.records import Answer, Citation, Hit, Locator, Passage, Sentence
from rag.testing import ScriptedGenerator


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
        ("named", "is_it"),
        [
            ("policies/leave-policy", True),
            ("hr/policies/leave-policy.docx", True),
            ("leave-policy.docx", True),
            ("policies/leave", False),
            ("leases/leave-policy", False),
            ("", False),
        ],
    )
    def test_the_document_may_be_named_by_its_folders_and_without_its_ending(self, named, is_it):
        found = hit(path="hr/policies/leave-policy.docx")
        assert at_gold(question(document=named), found) is is_it

    def test_a_copy_at_the_gold_place_counts(self):
        found = replace(hit(path="a/lease.pdf"), locations=("a/lease.pdf", "b/rent.pdf"))
        assert at_gold(question(document="b/rent"), found)

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

    def test_a_hit_counts_for_cells_only_if_it_holds_them_all(self):
        asked = question(document="book.xlsx", sheet="Costs", cells="B5:C8")
        part = hit("book.xlsx", sheet="Costs", cells="A1:D6")
        whole = hit("book.xlsx", rank=2, sheet="Costs", cells="A5:D9")
        assert rank_of(asked, [part, whole]) == 1
        assert cells_rank(asked, [part, whole]) == 2


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

    def test_a_ratio_is_of_the_same_questions(self):
        found = measures.ratio([(True, True), (False, True)] * 20 + [(False, False)] * 20)
        assert (found.value, found.n) == (0.5, 60)
        assert found.low < 0.5 < found.high
        assert math.isnan(measures.ratio([(True, False)]).value)

    def test_a_percentile_comes_with_its_uncertainty(self):
        found = measures.percentile([float(n) for n in range(101)], 95)
        assert found.value == 95.0
        assert found.low < 95.0 < found.high

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

    @pytest.mark.parametrize("text", ["", "\n \n"])
    def test_a_set_without_a_question_is_named(self, tmp_path, text):
        path = tmp_path / "set.jsonl"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InvalidRequest, match="no question"):
            read_questions(path)

    def test_a_mark_at_the_beginning_and_a_line_end_within_a_question_are_read(self, tmp_path):
        path = tmp_path / "set.jsonl"
        path.write_text('\ufeff{"id": "1", "question": "one\u2028two?"}\r\n', encoding="utf-8")
        assert [each.text for each in read_questions(path)] == ["one\u2028two?"]

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

    asked = question()
    gate = Gate(lambda _, hits: len(hits) / 10, 5, {asked})
    outcomes = list(put([asked, question(question_id="not judged")], search, gate=gate))
    found = summary(outcomes, min_evidence=0.0)
    assert found["recall@1"]["n"] == 2
    assert found["gate"]["false_refusals"]["n"] == found["gate"]["false_answers"]["n"] == 1
    assert found["recall@1"]["value"] == 1.0
    assert found["gate"]["unanswerable"] == "gold document left out"
    assert found["gate"]["auc"] == 1.0  # "rent" is in the gold passage only


def test_the_gate_is_asked_no_more_often_than_it_takes():
    """A set with unanswerable questions needs no document left out, nor does one not found."""
    found = [hit("other.pdf", "Pets bark.")]
    seen = []
    for answerable in (True, False):
        asked = [question(), question(question_id="f", document="", answerable=answerable)]
        gate = Gate(lambda text, _: seen.append(text) or 0.5, 5, asked)
        list(put(asked, lambda *_: found, gate=gate))
    assert len(seen) == 4


def test_the_gate_is_measured_on_some_of_each_kind_of_each_set():
    sets = [
        question(question_id=f"{name}{n}", dataset=name, answerable=n < 7)
        for name in ("one", "other")
        for n in range(9)
    ]
    some = some_of_each(sets, size=3, seed=1)
    kinds = {(each.dataset, each.answerable) for each in some}
    assert len(kinds) == 4
    assert len(some) == len(set(some)) == 3 + 2 + 3 + 2
    assert some_of_each(sets, size=0, seed=1) == []


def test_pages_and_cells_are_summed_up_where_a_set_tells_them():
    def search(_text, _top_k):
        return [
            hit("book.xlsx", sheet="Costs", cells="A1:D40", rank=1),
            hit(page=2, rank=2),
            hit(page=4, rank=3),
        ]

    of_page = question(pages=(4,))
    of_cell = question(document="book.xlsx", sheet="Costs", cells="B5")
    found = summary(list(put([of_page, of_cell], search)), min_evidence=0.0)
    assert (found["page@1"]["value"], found["page@5"]["value"], found["page@5"]["n"]) == (0, 1, 1)
    assert found["cells@1"]["value"] == 1.0
    assert found["search_ms"]["p95"]["low"] <= found["search_ms"]["p95"]["high"]


class TestCharacters:
    SOURCE = "# Lease\n\nThe **rent** is 3,200 yuan. Pets bark.\n"

    def covered(self, *texts, path="lease.md"):
        asked = question(document="lease", spans=((9, 37),))
        assert self.SOURCE[9:37] == "The **rent** is 3,200 yuan. "
        hits = [hit(path, text, rank) for rank, text in enumerate(texts, start=1)]
        return Sources({"lease.md": self.SOURCE}).covered(asked, hits)

    def test_reading_may_change_blanks_and_signs(self):
        whole = self.covered("The rent is 3,200 yuan.")
        assert (whole.recall, whole.precision, whole.iou) == (1.0, 1.0, 1.0)

    def test_half_of_it_and_as_much_else(self):
        # Gold: therentis3200yuan (17). Found: 3200yuan (8) and petsbark (8).
        half = self.covered("3,200 yuan. Pets bark.")
        assert half.recall == pytest.approx(8 / 17)
        assert half.precision == pytest.approx(8 / 16)
        assert half.iou == pytest.approx(8 / (17 + 8))

    def test_another_file_is_found_in_vain(self):
        both = self.covered("The rent is 3,200 yuan.")
        assert both.precision == 1.0
        other = self.covered("The rent is 3,200 yuan.", path="other.md")
        assert (other.recall, other.precision) == (0.0, 0.0)

    def test_the_rank_is_of_the_first_hit_that_holds_any(self):
        asked = question(document="lease", spans=((9, 37),))
        hits = [hit("lease.md", "Pets bark.", 1), hit("lease.md", "3,200", 2)]
        assert Sources({"lease.md": self.SOURCE}).rank(asked, hits) == 2


class TestAcross:
    def test_a_question_is_asked_for_the_passage_of_its_partner(self):
        zh = question(text="租金？", language="zh", parallel="1", document="zh.txt")
        en = question(text="Rent?", language="en", parallel="1", document="en.txt")
        (asked,) = across([zh], [zh, en])
        assert (asked.text, asked.document, asked.dataset) == ("租金？", "en.txt", "set across")

    def test_without_partners_it_is_refused(self):
        with pytest.raises(InvalidRequest, match="partner"):
            across([question()], [question(language="en")])


class TestContexts:
    def test_passages_of_one_document_make_one_file(self):
        asked = [question(document="law", context=text) for text in ("One.", "Two.", "One.")]
        assert contexts(asked) == {"law.txt": b"One.\n\nTwo."}

    def test_a_question_without_an_answer_needs_no_passage(self):
        foreign = question(answerable=False, document="")
        assert contexts([foreign, question(document="a", context="A.")]) == {"a.txt": b"A."}
        with pytest.raises(InvalidRequest, match="brings no texts"):
            contexts([question()])

    def test_without_any_passage_there_is_nothing_to_search_in(self):
        with pytest.raises(InvalidRequest, match="brings no texts"):
            contexts([question(answerable=False, document="")])

    def test_a_folder_of_hidden_files_alone_is_refused(self, tmp_path):
        (tmp_path / ".DS_Store").write_text("x", encoding="utf-8")
        with pytest.raises(InvalidRequest, match="no file"):
            files(tmp_path)

    @pytest.mark.parametrize("name", ["../../lease", "/lease", ""])
    def test_a_passage_is_put_nowhere_else(self, name):
        with pytest.raises(InvalidRequest, match="can't be put"):
            contexts([question(document=name, context="A.")])

    def test_a_question_for_a_document_that_is_not_there_is_named(self):
        held = {"policies/leave.docx": b"", "lease.pdf": b""}
        foreign = question(answerable=False, document="")
        check(held, [question(), question(document="policies/leave"), foreign])
        lost = [question(question_id=f"q{at}", document="policy/leave") for at in range(3)]
        with pytest.raises(InvalidRequest, match=r"q0 .* policy/leave, .* 2 more"):
            check(held, [question(), *lost])
        with pytest.raises(InvalidRequest, match="names no document"):
            check(held, [question(document="")])


class TestResuming:
    BY: ClassVar = {"model": "small"}
    OUTCOME = answering.Answered(
        "q", "set", True, False, "generated", "stop", True, 1, 1, 1, 1, None, 2.5
    )

    def test_what_was_answered_is_there_for_the_same_question_and_model_only(self, tmp_path):
        path, asked = tmp_path / "answers.jsonl", Round(question())
        WrittenDown(path, self.BY).add(asked, self.OUTCOME)
        again = WrittenDown(path, self.BY)
        assert again.get(asked) == self.OUTCOME
        assert again.get(replace(asked, left_out=True)) is None
        assert again.get(replace(asked, way="plain")) is None
        assert again.get(Round(question(text="How much is the deposit?"))) is None
        assert again.get(Round(question(answers=("600",)))) is None
        assert WrittenDown(path, {"model": "large"}).get(asked) is None

    def test_a_line_cut_short_is_asked_again(self, tmp_path):
        path = tmp_path / "answers.jsonl"
        one, two = Round(question(question_id="1", text="租金？")), Round(question(question_id="2"))
        written = WrittenDown(path, self.BY)
        written.add(one, self.OUTCOME)
        written.add(two, self.OUTCOME)
        path.write_bytes(path.read_bytes()[:-9])
        again = WrittenDown(path, self.BY)
        assert (again.get(one), again.get(two)) == (self.OUTCOME, None)
        again.add(two, self.OUTCOME)
        assert WrittenDown(path, self.BY).get(two) == self.OUTCOME


class TestAnswers:
    def outcomes(self, asked, answers):
        replies = iter(answers)
        pages = {"p": "The rent is 500 yuan."}
        return list(
            answering.put(
                answering.rounds(asked, ["ours"]),
                lambda _round: next(replies),
                lambda hit: pages[hit.passage.passage_id],
            )
        )

    def answer(self, text="", *cited, mode="generated", supported=()):
        return Answer(
            text=text,
            mode=mode,
            finish_reason="stop",
            hits=(),
            question_used="",
            read=0,
            total=0,
            citations=tuple(Citation(n, one, "", True) for n, one in enumerate(cited, start=1)),
            sentences=tuple(Sentence("", (), each) for each in supported),
        )

    def test_what_was_answered_is_counted(self):
        asked = [
            question(answers=("500 yuan",), pages=(4,)),
            question(answers=("two",), pages=(4,)),
            question(answerable=False),
        ]
        page, other = hit(page=4), hit("other.pdf", page=9)
        answers = [
            self.answer("It is 500  YUAN [1][2].", hit(page=1), page, supported=(True,)),
            self.answer("Three [1].", other, supported=(False,)),
            self.answer("Perhaps."),
        ]
        found = answering.summary(self.outcomes(asked, answers))
        assert found["exact"]["value"] == 0.5
        # Page 1 holds "500 yuan", page 4 is the gold page; "two" stands nowhere.
        assert found["citation_precision"]["value"] == pytest.approx(2 / 3)
        assert found["supported"]["value"] == 0.5
        assert found["false_answers"] == found["false_answers"] | {"value": 1.0, "n": 1}

    def test_where_nothing_is_unanswerable_the_document_is_left_out_once_more(self):
        answers = [self.answer("500"), self.answer(mode="refused")]
        found = answering.summary(self.outcomes([question(answers=("500",))], answers))
        assert found["unanswerable"] == "gold document left out"
        assert (found["answered"]["value"], found["false_answers"]["value"]) == (1.0, 0.0)

    def wrong(self, asked, text, *, hits=(), left_out=False):
        sentences = tuple(Sentence(each, (), True) for each in text.split("\n"))
        told = replace(self.answer(text), hits=hits, sentences=sentences)
        (outcome,) = answering.put([Round(asked, left_out)], lambda _round: told, str)
        return outcome.wrong

    def test_an_answer_is_wrong_without_the_gold_answer_or_with_more_than_was_read(self):
        asked = question(answers=("500",))
        read = (hit(text="The rent is 500. The deposit is 900."),)
        assert not self.wrong(asked, "The rent is 500.", hits=read)
        assert self.wrong(asked, "The deposit is 900.", hits=read)
        assert self.wrong(asked, "The rent is 500.\nIt rises by 7 per cent a year.", hits=read)
        assert self.wrong(asked, "The rent is 500.", hits=read, left_out=True)
        assert self.wrong(replace(asked, answerable=False), "The rent is 500.", hits=read)

    def test_an_answer_to_a_long_gold_one_is_right_by_the_gold_page_or_one_that_holds_it(self):
        gold = (
            "The rent is 500 yuan a month, payable in advance by transfer to the account of the "
            "landlord, without deductions, on the fifth working day."
        )
        asked = question(answers=(gold,), pages=(2,))
        said = "The rent is 500 yuan, due on the fifth day."
        elsewhere, at_gold = hit(text=said, page=1), hit(text=said, page=2)
        behind = hit(text=gold.replace("The rent", "Rent"), page=3)
        assert self.wrong(asked, said, hits=(elsewhere,))
        assert not self.wrong(asked, said, hits=(elsewhere, at_gold))
        assert not self.wrong(asked, said, hits=(elsewhere, behind))

    def test_ours_stands_beside_the_plain_way_with_the_curve_of_the_gate(self):
        asked = [question(answers=("500",)), question(question_id="n", answerable=False)]
        read = (hit(text="The rent is 500."),)
        good = replace(self.answer("The rent is 500."), hits=read, evidence=0.8)
        bad = replace(good, evidence=0.55)
        replies = iter([good, good, bad, good])
        found = answering.beside(
            list(answering.put(answering.rounds(asked), lambda _round: next(replies), str))
        )
        assert found["ours"]["wrong"]["value"] == found["plain"]["wrong"]["value"] == 0.5
        assert found["wrong_to_plain"]["value"] == 1.0
        at = {
            each["bar"]: (each["false_refusals"]["value"], each["false_answers"]["value"])
            for each in found["curve"]
        }
        assert (at[0.5], at[0.6], at[0.9]) == ((0.0, 1.0), (0.0, 0.0), (1.0, 0.0))


class TestPlain:
    HITS = (hit(text="The rent is 500 yuan."), hit(text="The deposit is 900 yuan.", rank=2))

    def told(self, reply, **given):
        self.model = ScriptedGenerator(reply)
        return plain.answer(
            question(**given), self.HITS, self.model, answer_tokens=99, clock=lambda: 0.0
        )

    def test_the_passages_and_the_question_are_all_the_model_is_given(self):
        answer = self.told("The rent is 900 yuan [2].")
        (asked,) = self.model.prompts
        assert all(each.passage.text in asked.messages[-1].text for each in self.HITS)
        assert asked.messages[-1].text.endswith("How much is the rent?")
        assert (answer.mode, answer.text) == ("generated", "The rent is 900 yuan [2].")
        assert [citation.hit for citation in answer.citations] == [self.HITS[1]]
        assert not answer.sentences[0].supported, "its marker stays, right or wrong"

    @pytest.mark.parametrize(
        "reply",
        ["I don't know.", "The passages do not mention the rent.", "资料没有提到租金。", "不知道"],
    )
    def test_a_reply_that_only_denies_is_a_refusal(self, reply):
        assert self.told(reply).refused

    def test_a_chinese_question_is_put_in_chinese(self):
        self.told("500元[1]。", text="租金是多少？")
        assert "资料" in self.model.prompts[0].messages[-1].text


class TestKeeping:
    def test_a_commit_has_one_file_and_a_run_of_a_name_replaces_the_one_before(self, tmp_path):
        for name, value in (("zh", 1), ("en", 2), ("zh", 3)):
            path = keeping.keep(tmp_path, name, {"value": value})
        assert [each.name for each in tmp_path.iterdir()] == [f"{keeping.commit()}.json"]
        held = json.loads(path.read_text(encoding="utf-8"))
        assert held["runs"] == {"zh": {"value": 3}, "en": {"value": 2}}

    def test_a_file_that_holds_something_else_is_named(self, tmp_path):
        (tmp_path / f"{keeping.commit()}.json").write_text("[]", encoding="utf-8")
        with pytest.raises(InvalidRequest, match=r"\.json"):
            keeping.keep(tmp_path, "zh", {})

    def test_strict_json_has_null_for_what_was_not_asked(self):
        assert keeping.without_nan({"a": [math.nan, 1.0]}) == {"a": [None, 1.0]}
