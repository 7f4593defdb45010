/** The question box: sends with Enter, grows with its text, keeps what a reload would lose. */

import { byId } from './dom.js';

const DRAFT = 'deskside.draft';
const SENT = 'deskside.sent';

export class Composer {
  #box = byId('question');
  #busy = false;

  /** @param {{send: (question: string) => void, stop: () => void}} actions */
  constructor({ send, stop }) {
    this.send = send;
    byId('composer').addEventListener('submit', (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#box.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => this.#key(event));
    this.#box.addEventListener('input', () => { this.#fit(); keep(DRAFT, this.#box.value); });
    byId('stop').addEventListener('click', stop);
    this.#box.value = this.draft;
  }

  /** @param {boolean} busy while a question is under way, which may be stopped */
  set busy(busy) {
    this.#busy = busy;
    const lost = document.activeElement === byId('stop') && !busy;
    byId('stop').hidden = !busy;
    byId('send').hidden = busy;
    if (lost) this.#box.focus();
  }

  /** Brings the box to the fore; a touch screen is spared the keyboard over half of the page. */
  arrive() {
    this.#fit();
    if (matchMedia('(hover: hover)').matches) this.#box.focus({ preventScroll: true });
  }

  focus() {
    this.#box.focus();
  }

  /** @returns {string} what is typed and not sent, or was sent and is not answered yet */
  get draft() {
    return stored(DRAFT) ?? '';
  }

  /** @returns {{id: string, question: string}|null} sent to this conversation, and not seen answered */
  get sent() {
    return JSON.parse(stored(SENT) ?? 'null');
  }

  set sent(sent) {
    keep(SENT, JSON.stringify(sent));
  }

  /** The question sent was answered: only what was typed meanwhile is left to lose. */
  answered() {
    this.sent = null;
    keep(DRAFT, this.#box.value);
  }

  #submit() {
    const question = this.#box.value.trim();
    if (!question || this.#busy) return;
    this.#box.value = '';
    this.#fit();
    keep(DRAFT, question);
    this.send(question);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // While an input method composes Chinese, Enter picks a word (229: Safari tells it late).
    const composing = event.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || composing) return;
    event.preventDefault();
    this.#submit();
  }

  #fit() {
    this.#box.style.height = 'auto';
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }
}

/** @param {string} key @returns {string|null} */
function stored(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} text */
function keep(key, text) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // Without storage a reload loses the question, nothing else.
  }
}
