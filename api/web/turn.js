/**
 * One question and what became of it, drawn again whenever something changes.
 * @typedef {'searching'|'queue'|'reading'|'thinking'|'writing'|'done'|'stopped'|'failed'} Phase
 */

import { renderAnswer, thoughts } from './answer.js';
import { pendingChip } from './cite.js';
import { el, fill } from './dom.js';
import { t } from './i18n.js';
import { renderMarkdown } from './markdown.js';
import { problemNodes } from './problems.js';

export class Turn {
  /** @type {Phase} */
  phase = 'searching';
  /** Questions to be answered before this one. */
  ahead = 0;
  text = '';
  /** What the model thought so far. */
  thinking = '';
  /** @type {import('./cite.js').Hit[]} */
  hits = [];
  /** @type {import('./answer.js').Answer|null} */
  answer = null;
  /** @type {import('./http.js').Problem|null} */
  problem = null;

  /** @type {string} where the answer is kept */
  conversationId = '';
  /** Whether it began its conversation. */
  opensIt = false;

  #status = el('p', { class: 'status' });
  #body = el('div', { class: 'turn-body' });
  #frame = 0;
  /** Stays the same while more is thought, so that who unfolded it can read on. @type {HTMLDetailsElement|null} */
  #thoughts = null;

  /**
   * @param {string} question
   * @param {{open: import('./cite.js').OpenSource, again: () => void}} actions
   * @param {import('./answer.js').Answer|null} [answer] the one given earlier
   */
  constructor(question, actions, answer = null) {
    this.question = question;
    this.actions = actions;
    this.answer = answer;
    if (answer) this.phase = 'done';
    this.node = el('article', { class: 'turn' },
      el('h2', { class: 'asked' }, question), this.#status, this.#body);
    this.draw();
  }

  /** @returns {boolean} nothing more will come */
  get over() {
    return ['done', 'stopped', 'failed'].includes(this.phase);
  }

  /** @param {string} question @param {import('./answer.js').Answer} answer @returns {boolean} whether it tells just these */
  shows(question, answer) {
    return this.question === question && JSON.stringify(this.answer) === JSON.stringify(answer);
  }

  /** @returns {string} the state in words, for the line above the answer and for screen readers */
  get words() {
    if (this.phase === 'queue') return t('state.queue', { n: this.ahead });
    if (this.phase === 'reading') return t('state.reading', { n: this.hits.length });
    return t(`state.${this.phase}`);
  }

  /** Tokens may come faster than the screen: draw once per frame. */
  drawSoon() {
    this.#frame ||= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.node.setAttribute('aria-busy', String(!this.over));
    this.node.dataset.phase = this.phase;
    this.#status.hidden = this.over;
    this.#status.textContent = this.words;
    if (this.answer) fill(this.#body, ...renderAnswer(this.answer, this.question, this.actions.open));
    else fill(this.#body, this.#thought(), this.#streamed(), this.#ending());
    const folded = this.#body.querySelector('details.thoughts');
    if (this.answer && folded instanceof HTMLDetailsElement) folded.open = this.#thoughts?.open ?? false;
  }

  #thought() {
    this.#thoughts ??= thoughts(this);
    if (this.#thoughts?.lastChild) this.#thoughts.lastChild.textContent = this.thinking;
    return this.#thoughts;
  }

  #streamed() {
    if (!this.text) return null;
    return el('div', { class: 'prose' }, renderMarkdown(this.text, (number) => (
      number >= 1 && number <= this.hits.length ? pendingChip(number) : null)));
  }

  #ending() {
    if (this.phase === 'stopped') return [el('p', { class: 'note warn' }, t('state.stopped')), this.#again()];
    if (this.phase !== 'failed' || !this.problem) return null;
    return [
      el('div', { class: 'note problem' }, problemNodes(this.problem)),
      this.#again(),
    ];
  }

  #again() {
    return el('p', {}, el('button', {
      type: 'button', on: { click: () => this.actions.again() },
    }, t('state.retry')));
  }
}
