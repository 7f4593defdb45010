/** The question box and the conversation: sends, follows the stream, stops, starts anew. */

import { byId } from './dom.js';
import { call, callJson, Problem } from './http.js';
import { onLanguage } from './i18n.js';
import { readEvents } from './sse.js';
import { Turn } from './turn.js';

/** Near enough to the end of the page to count as reading along. */
const FOLLOW_PX = 120;
/** Without news of the queue for this long, the wait is over. */
const QUIET_MS = 2500;

export class Conversation {
  /** @type {Turn[]} */
  #turns = [];
  /** @type {string|null} */
  #conversationId = null;
  /** @type {AbortController|null} */
  #running = null;
  #patience = 0;
  #box = byId('question');
  #thread = byId('thread');

  /** @param {import('./source.js').SourcePanel} panel */
  constructor(panel) {
    this.panel = panel;
    byId('composer').addEventListener('submit', (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#box.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => this.#key(event));
    this.#box.addEventListener('input', () => this.#fit());
    byId('stop').addEventListener('click', () => this.#running?.abort());
    byId('fresh').addEventListener('click', () => this.#startAnew());
    onLanguage(() => this.#turns.forEach((turn) => turn.draw()));
    this.#show();
    this.#greet();
  }

  /** @param {string} question */
  async ask(question) {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    const turn = new Turn(question, {
      open: (source, opener) => this.panel.show(source, this.#hitsOf(turn), opener),
      again: (/** @type {string} */ again) => this.ask(again),
    });
    this.#turns.push(turn);
    this.#thread.append(turn.node);
    this.#show();
    this.#say(turn);
    turn.node.scrollIntoView({ block: 'nearest' });
    try {
      await this.#follow(turn, running.signal);
    } catch (error) {
      this.#fail(turn, error, running.signal);
    }
    if (this.#running === running) this.#running = null;
    turn.draw();
    this.#show();
    this.#say(turn);
  }

  /** @param {Turn} turn @param {AbortSignal} signal */
  async #follow(turn, signal) {
    const response = await call('/api/ask', {
      method: 'POST',
      signal,
      json: { question: turn.question, stream: true, conversation_id: this.#conversationId ?? undefined },
    });
    for await (const { event, data } of readEvents(response)) {
      const before = turn.phase;
      const reading = this.#readingAlong();
      this.#take(turn, event, data);
      if (turn.over) {
        turn.draw();
        // What comes all at once is read from its beginning; what was written is being read.
        if (before !== 'writing') turn.node.scrollIntoView({ block: 'start' });
        return;
      }
      if (turn.phase !== before) this.#say(turn);
      turn.drawSoon();
      if (reading) window.scrollTo({ top: document.documentElement.scrollHeight });
    }
    throw new Problem({ code: 'broken' });
  }

  /** @param {Turn} turn @param {string} event @param {any} data */
  #take(turn, event, data) {
    if (event === 'queue') this.#wait(turn, data.place);
    if (event === 'hits') Object.assign(turn, { phase: 'reading', hits: data.hits });
    if (event === 'thinking') turn.phase = 'thinking';
    if (event === 'token') Object.assign(turn, { phase: 'writing', text: turn.text + data.text });
    if (event === 'error') throw new Problem(data);
    if (event === 'done') {
      Object.assign(turn, { phase: 'done', answer: data });
      this.#conversationId = data.conversation_id ?? this.#conversationId;
    }
  }

  /**
   * Places come every second while the question waits. Nothing says that the wait is over,
   * and the first word may take long: when places stop coming, the passages are being read.
   * @param {Turn} turn @param {number} ahead
   */
  #wait(turn, ahead) {
    Object.assign(turn, { phase: ahead > 0 ? 'queue' : 'reading', ahead });
    clearTimeout(this.#patience);
    this.#patience = setTimeout(() => {
      if (turn.phase !== 'queue') return;
      turn.phase = 'reading';
      turn.draw();
      this.#say(turn);
    }, QUIET_MS);
  }

  /** @param {Turn} turn @param {any} error @param {AbortSignal} signal */
  #fail(turn, error, signal) {
    if (signal.aborted) turn.phase = 'stopped';
    else if (error instanceof Problem) Object.assign(turn, { phase: 'failed', problem: error });
    // Anything else is the connection breaking in the middle of the stream.
    else Object.assign(turn, { phase: 'failed', problem: new Problem({ code: 'broken' }) });
  }

  #submit() {
    const question = this.#box.value.trim();
    if (!question || this.#running) return;
    this.#box.value = '';
    this.#fit();
    this.ask(question);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // While an input method composes Chinese, Enter picks a word (229: Safari tells it late).
    const composing = event.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || composing) return;
    event.preventDefault();
    this.#submit();
  }

  #startAnew() {
    this.#running?.abort();
    this.#running = null;
    this.#turns = [];
    this.#conversationId = null;
    this.#thread.replaceChildren();
    this.panel.hide();
    this.#show();
    this.#box.focus();
  }

  #show() {
    const busy = this.#running !== null;
    byId('welcome').hidden = this.#turns.length > 0;
    byId('fresh').hidden = this.#turns.length === 0;
    byId('stop').hidden = !busy;
    byId('send').hidden = busy;
  }

  /** Screen readers hear the states, not every token. @param {Turn} turn */
  #say(turn) {
    if (this.#turns.includes(turn)) byId('spoken').textContent = turn.words;
  }

  #fit() {
    this.#box.style.height = 'auto';
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }

  #readingAlong() {
    const page = document.documentElement;
    return page.scrollHeight - window.scrollY - window.innerHeight < FOLLOW_PX;
  }

  /** @param {Turn} turn */
  #hitsOf(turn) {
    return turn.answer?.hits ?? turn.hits;
  }

  /** Someone without documents is shown where to add them, rather than refused. */
  async #greet() {
    try {
      const { total } = await callJson('/api/documents?limit=1');
      byId('welcome-empty').hidden = total > 0;
    } catch {
      // The first question will say what is wrong.
    }
  }
}
