/** The question box and the conversation: sends, follows the stream, stops, opens an earlier one. */

import { Composer } from './composer.js';
import { byId, el, fill } from './dom.js';
import { goTo, nameAddress } from './frame.js';
import { call, callJson, Problem } from './http.js';
import { onLanguage, t } from './i18n.js';
import { onNews, tell } from './news.js';
import { problemNodes } from './problems.js';
import { readEvents } from './sse.js';
import { Turn } from './turn.js';

/** Near enough to the end of the page to count as reading along. */
const FOLLOW_PX = 120;
/** Without news of the queue for this long, the wait is over. */
const QUIET_MS = 2500;
/** Where the server says early which conversation a question belongs to. */
const ID_HEADER = 'Deskside-Conversation';
/** How soon to look again for an answer that is being put down; then twice as long, up to half a minute. */
const AGAIN_MS = 1500;
const AT_LAST_MS = 30000;

export class Conversation {
  /** @type {Turn[]} */
  #turns = [];
  /** @type {string|null} */
  #conversationId = null;
  /** @type {AbortController|null} the question of the conversation shown; one left goes on unseen */
  #running = null;
  #opening = 0;
  /** @type {() => void} */
  #changed = () => {};
  #patience = 0;
  #composer = new Composer({ send: (question) => this.ask(question), stop: () => this.#running?.abort() });
  #thread = byId('thread');

  /** @param {import('./source.js').SourcePanel} panel */
  constructor(panel) {
    this.panel = panel;
    byId('fresh').addEventListener('click', () => this.#fresh());
    onLanguage(() => this.#turns.forEach((turn) => turn.draw()));
    onNews(({ conversation }) => { if (conversation === this.#conversationId && !this.#running) this.#load(conversation); });
    this.#show();
    this.#greet();
  }

  /** @returns {string|null} the conversation shown; null before its first answer began */
  get id() {
    return this.#conversationId;
  }

  /** @param {() => void} listener told when another conversation is shown, or this one grew */
  onChange(listener) {
    this.#changed = listener;
  }

  /** Shows an earlier conversation, or the empty page for a new one. @param {string} id '' for a new one */
  open(id) {
    if (id !== (this.#conversationId ?? '')) {
      this.#leave();
      this.#conversationId = id || null;
      if (id) {
        fill(this.#thread, el('p', { class: 'status' }, t('library.loading')));
        this.#load(id);
      }
      this.#show();
    }
    this.#composer.arrive();
  }

  /** @param {string} id @param {number} [again] milliseconds */
  async #load(id, again = AGAIN_MS) {
    this.#opening += 1;
    const opening = this.#opening;
    const stillWanted = () => opening === this.#opening && id === this.#conversationId && !this.#running;
    try {
      const { messages } = await callJson(`/api/conversations/${encodeURIComponent(id)}`);
      if (!stillWanted()) return;
      this.#put(messages);
      this.#show();
      // Its answer is under way in another window, or was cut by a reload and is being put down.
      const sent = this.#composer.sent;
      const found = sent?.id !== id || messages.at(-1)?.question === sent.question;
      if (sent?.id === id && found) this.#composer.sent = null;
      if (!messages.length || !found) setTimeout(() => { if (stillWanted()) this.#load(id, Math.min(2 * again, AT_LAST_MS)); }, again);
    } catch (error) {
      if (stillWanted()) this.#notLoaded(id, error);
    }
  }

  /** What is shown already stays untouched, with the words selected in it. @param {any[]} messages */
  #put(messages) {
    const changed = messages.findIndex(({ question, answer }, at) => !this.#turns[at]?.shows(question, answer));
    const same = changed < 0 ? messages.length : changed;
    if (same && this.#turns.length === same && same === messages.length) return;
    this.#turns = [...this.#turns.slice(0, same), ...messages.slice(same).map(({ question, answer }) => this.#turn(question, answer))];
    while (this.#thread.children.length > same) this.#thread.lastChild?.remove();
    this.#thread.append(...this.#turns.slice(same).map(({ node }) => node));
    if (!same && !messages.length) this.#thread.append(el('p', { class: 'status', role: 'status' }, t('history.pending')));
  }

  /** @param {string} id @param {any} error */
  #notLoaded(id, error) {
    const gone = error.code === 'not_found';
    this.#turns = [];
    if (gone) this.#forget();
    fill(this.#thread, el('div', { class: 'note warn', role: 'alert' },
      gone ? el('p', {}, t('history.gone')) : problemNodes(error),
      !gone && el('button', { type: 'button', on: { click: () => this.#load(id) } }, t('library.retry'))));
    this.#show();
  }

  /** @param {string} question @param {import('./answer.js').Answer|null} [answer] one given earlier */
  #turn(question, answer = null) {
    /** @type {Turn} */
    const turn = new Turn(question, {
      open: (source, opener) => this.panel.show(source, this.#hitsOf(turn), opener),
      again: () => this.#again(turn),
    }, answer);
    return turn;
  }

  /** A question that failed makes room for its repetition. @param {Turn} turn */
  #again(turn) {
    if (this.#running) return;
    this.#turns = this.#turns.filter((each) => each !== turn);
    turn.node.remove();
    this.ask(turn.question, turn.opensIt);
  }

  /** @param {string} question @param {boolean} [opens] asked again, it began its conversation */
  async ask(question, opens = this.#conversationId === null) {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    if (!this.#turns.length) fill(this.#thread);
    const turn = this.#turn(question);
    turn.opensIt = opens;
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
    if (this.#running === running) {
      this.#running = null;
      if (turn.phase !== 'failed') this.#composer.answered();
    }
    turn.draw();
    this.#show();
    this.#say(turn);
    this.#changed();
    if (turn.conversationId) tell({ conversation: turn.conversationId });
  }

  /** @param {Turn} turn @param {AbortSignal} signal */
  async #follow(turn, signal) {
    const response = await this.#send(turn, signal);
    this.#belongs(turn, response.headers.get(ID_HEADER));
    for await (const { event, data } of readEvents(response)) {
      const before = turn.phase;
      const reading = this.#shows(turn) && this.#readingAlong();
      this.#take(turn, event, data);
      if (turn.over) {
        turn.draw();
        // What comes all at once is read from its beginning; what was written is being read.
        if (before !== 'writing' && this.#shows(turn)) turn.node.scrollIntoView({ block: 'start' });
        return;
      }
      if (turn.phase !== before) this.#say(turn);
      turn.drawSoon();
      if (reading) window.scrollTo({ top: document.documentElement.scrollHeight });
    }
    throw new Problem({ code: 'broken' });
  }

  /** @param {Turn} turn @param {AbortSignal} signal @returns {Promise<Response>} */
  async #send(turn, signal) {
    const id = this.#conversationId ?? undefined;
    try {
      return await call('/api/ask', { method: 'POST', signal, json: { question: turn.question, stream: true, conversation_id: id } });
    } catch (error) {
      // A server that broke off may not have kept the conversation that this question began.
      if (!id || !turn.opensIt || !this.#shows(turn) || /** @type {any} */ (error).code !== 'not_found') throw error;
      this.#forget();
      return this.#send(turn, signal);
    }
  }

  /** @param {Turn} turn @param {string} event @param {any} data */
  #take(turn, event, data) {
    if (event === 'queue') this.#wait(turn, data.place);
    if (event === 'hits') Object.assign(turn, { phase: 'reading', hits: data.hits });
    if (event === 'thinking') Object.assign(turn, { phase: 'thinking', thinking: turn.thinking + data.text });
    if (event === 'token') Object.assign(turn, { phase: 'writing', text: turn.text + data.text });
    if (event === 'error') throw new Problem(data);
    if (event === 'done') {
      Object.assign(turn, { phase: 'done', answer: data });
      this.#belongs(turn, data.conversation_id);
    }
  }

  /** The address names the conversation from its first question on, so a reload comes back to it. */
  #belongs(/** @type {Turn} */ turn, /** @type {string|null} */ id) {
    if (!id || turn.conversationId === id) return;
    turn.conversationId = id;
    if (!this.#shows(turn)) return; // left meanwhile: it goes on unseen
    this.#composer.sent = { id, question: turn.question };
    this.#conversationId = id;
    nameAddress('ask', id);
    this.#changed();
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
    const refused = error instanceof Problem && error.code !== 'broken';
    // What a failed question began was not kept, and what was deleted meanwhile takes no more.
    if (this.#shows(turn) && refused) this.#composer.sent = null;
    if (this.#shows(turn) && refused && (turn.opensIt || error.code === 'not_found')) this.#forget();
    if (signal.aborted) turn.phase = 'stopped';
    else if (error instanceof Problem) Object.assign(turn, { phase: 'failed', problem: error });
    // Anything else is the connection breaking in the middle of the stream.
    else Object.assign(turn, { phase: 'failed', problem: new Problem({ code: 'broken' }) });
  }

  #forget() {
    this.#conversationId = null;
    nameAddress('ask', '');
  }

  #fresh() {
    this.#leave();
    goTo('ask');
    this.#show();
    this.#composer.focus();
  }

  /** A question under way goes on; its answer will be found in the history. */
  #leave() {
    this.#opening += 1;
    this.#running = null;
    this.#turns = [];
    this.#conversationId = null;
    fill(this.#thread);
    this.panel.hide();
    this.#changed();
  }

  #show() {
    byId('welcome').hidden = this.#turns.length > 0 || this.#conversationId !== null;
    this.#composer.busy = this.#running !== null;
  }

  /** Screen readers hear the states, not every token. @param {Turn} turn */
  #say(turn) {
    if (this.#shows(turn)) byId('spoken').textContent = turn.words;
  }

  #readingAlong() {
    const page = document.documentElement;
    return page.scrollHeight - window.scrollY - window.innerHeight < FOLLOW_PX;
  }

  /** @param {Turn} turn one left goes on unseen */
  #shows(turn) {
    return this.#turns.includes(turn);
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
