/**
 * A finished answer, from the answer object alone: the same for a new one and one from history.
 * @typedef {{answer: string, mode: string, finish_reason: string, refused: boolean,
 *   citations: import('./cite.js').Citation[], hits: import('./cite.js').Hit[],
 *   sentences?: {text: string, markers: number[], supported: boolean}[], question_used?: string,
 *   warnings?: {code: string, detail: string}[], thinking?: string,
 *   conversation_id?: string, scope?: {read: number, total: number}, timings?: {first_token_ms?: number|null, total_ms?: number,
 *   tokens_per_s?: number|null}}} Answer
 */

import { chip, citationList, hitList } from './cite.js';
import { copyButton } from './copy.js';
import { el } from './dom.js';
import { has, language, t } from './i18n.js';
import { renderMarkdown } from './markdown.js';
import { claimOf, markUnsupported } from './unsupported.js';

/**
 * @param {Answer} answer
 * @param {string} question
 * @param {import('./cite.js').OpenSource} open
 * @returns {(Node|null)[]}
 */
export function renderAnswer(answer, question, open) {
  const written = answer.mode !== 'refused' && answer.mode !== 'no_model';
  // The passages may well answer then: they are not called "not an answer".
  const withdrawn = !written && (answer.warnings ?? []).some(({ code }) => code === 'answer_withdrawn');
  const sourced = answer.citations.length > 0 || answer.mode === 'catalogue';
  return [
    understood(answer, question),
    has(`answer.${answer.mode}`) && !withdrawn ? el('p', { class: `note ${answer.mode}` }, t(`answer.${answer.mode}`)) : null,
    answer.answer ? body(answer, written, open) : null,
    cautions(answer, written),
    answer.citations.length ? citationList(answer.citations, open) : null,
    written && sourced ? null : passages(answer, written || withdrawn, open),
    thoughts(answer),
    el('div', { class: 'turn-foot' }, footer(answer), copyButton(answer, question)),
  ];
}

/** @param {Answer} answer @param {string} question */
function understood({ question_used: used }, question) {
  if (!used || used.trim() === question.trim()) return null;
  return el('p', { class: 'understood' }, t('answer.understood', { question: used }));
}

/** @param {Answer} answer @param {boolean} written @param {import('./cite.js').OpenSource} open */
function body(answer, written, open) {
  const byMarker = new Map(answer.citations.map((citation) => [citation.marker, citation]));
  const node = el('div', { class: 'prose' }, renderMarkdown(answer.answer, (number) => {
    const citation = byMarker.get(number);
    return citation ? chip(citation, open) : null;
  }));
  if (written) markUnsupported(node, answer.sentences ?? []);
  return node;
}

/** @param {Answer} answer @param {boolean} written what a careful reader should know, said once */
function cautions({ finish_reason: reason, sentences = [], warnings = [] }, written) {
  const doubtful = sentences.filter(({ supported, text }) => !supported && claimOf(text)).length;
  const words = [
    written && has(`answer.${reason}`) && t(`answer.${reason}`),
    written && doubtful > 0 && t('answer.unsupportedCount', { n: doubtful }),
    // A source that was put right needs no caution: the right one is shown.
    ...warnings.filter(({ code }) => !code.startsWith('marker_')).map(warningWords),
  ];
  const said = [...new Set(words)].filter(Boolean);
  return said.length ? el('div', { class: 'note warn' }, said.map((text) => el('p', {}, text))) : null;
}

/** @param {{code: string, detail: string}} warning why there is no model, the server knows best */
function warningWords({ code, detail }) {
  if (code === 'no_model' && language() === 'en') return detail;
  return has(`warning.${code}`) ? t(`warning.${code}`) : detail || code;
}

/** @param {Answer} answer @param {boolean} tried to answer @param {import('./cite.js').OpenSource} open */
function passages({ hits, mode }, tried, open) {
  if (!hits.length) return tried ? null : el('p', { class: 'faint' }, t('answer.nothing'));
  return hitList(hits, t(mode === 'refused' && !tried ? 'answer.closest' : 'answer.passages'), open);
}

/** @param {{thinking?: string}} said @returns {HTMLDetailsElement|null} what the model thought, folded */
export function thoughts({ thinking }) {
  if (!thinking) return null;
  return el('details', { class: 'thoughts' },
    el('summary', {}, t('answer.thinking')), el('p', { class: 'verbatim' }, thinking));
}

/** @param {Answer} answer */
function footer({ mode, scope, timings }) {
  const parts = [];
  if (scope?.total && mode !== 'catalogue') parts.push(t('answer.scope', { read: scope.read, total: scope.total }));
  if (timings?.tokens_per_s) parts.push(t('answer.speed', { rate: timings.tokens_per_s }));
  if (timings?.first_token_ms) parts.push(t('answer.first', { seconds: timings.first_token_ms / 1000 }));
  if (timings?.total_ms) parts.push(t('answer.total', { seconds: timings.total_ms / 1000 }));
  return parts.length ? el('p', { class: 'faint speed' }, parts.join(' · ')) : null;
}
