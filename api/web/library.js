/** The library: every document with its state, kept current; retry, delete, the watched folder. */

import { confirmWith } from './confirm.js';
import { byId, el, fill } from './dom.js';
import { call, callJson } from './http.js';
import { formatNumber, has, onLanguage, t } from './i18n.js';
import { Live } from './live.js';
import { documentRow } from './row.js';

/** Documents asked for at once. */
const PAGE_SIZE = 200;

export class Library {
  /** @type {Map<string, import('./row.js').Document>} in the order of the ledger */
  #documents = new Map();
  /** @type {any} */
  #inbox = null;
  #total = 0;
  #limit = PAGE_SIZE;
  #loaded = false;
  /** @type {string} what went wrong last, in words */
  #trouble = '';
  /** Someone who closed the key form is not asked again by every poll. */
  #locked = false;
  #frame = 0;
  #live = new Live({
    document: (doc) => this.#update(doc),
    inbox: (inbox) => { this.#inbox = inbox; this.#drawSoon(); },
    refresh: () => this.refresh(),
  });

  constructor() {
    onLanguage(() => this.#draw());
    this.#draw();
  }

  /** @param {boolean} shown */
  set shown(shown) {
    this.#live.wanted = shown;
  }

  async refresh() {
    try {
      const { documents, total, inbox } = await callJson(
        `/api/documents?limit=${this.#limit}`, { quiet: this.#locked });
      this.#documents = new Map(documents.map((/** @type {any} */ doc) => [doc.document_id, doc]));
      this.#total = total;
      this.#inbox = inbox;
      this.#loaded = true;
      this.#trouble = '';
      this.#locked = false;
    } catch (error) {
      this.#trouble = troubleOf(error);
      this.#locked = /** @type {any} */ (error).status === 401;
    }
    this.#drawSoon();
  }

  /** @param {import('./row.js').Document} doc */
  #update(doc) {
    if (!this.#documents.has(doc.document_id)) this.#total += 1;
    this.#documents.set(doc.document_id, doc);
    this.#drawSoon();
  }

  /** @param {import('./row.js').Document} doc */
  async #retry(doc) {
    await this.#act(`/api/documents/${encodeURIComponent(doc.document_id)}/retry`, 'POST');
  }

  /** @param {import('./row.js').Document} doc */
  async #remove(doc) {
    const sure = await confirmWith({
      title: t('delete.title', { name: doc.name }), text: t('delete.text'), yes: t('library.delete'),
    });
    if (sure) await this.#act(`/api/documents/${encodeURIComponent(doc.document_id)}`, 'DELETE');
  }

  /** @param {string} path @param {string} method */
  async #act(path, method) {
    try {
      await call(path, { method });
      await this.refresh();
    } catch (error) {
      this.#trouble = troubleOf(error);
      this.#drawSoon();
    }
  }

  /** Many events may arrive at once while a folder is read. */
  #drawSoon() {
    this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  }

  #draw() {
    const focused = focusedAction();
    fill(byId('inbox'), inboxLines(this.#inbox, this.#trouble));
    fill(byId('documents'), ...this.#list());
    if (focused) refocus(focused);
  }

  #list() {
    if (!this.#loaded) return this.#trouble ? [] : [el('p', { class: 'faint' }, t('library.loading'))];
    if (!this.#documents.size) {
      return [el('div', { class: 'empty' },
        el('h3', {}, t('library.empty')), el('p', {}, t('library.emptyText')))];
    }
    const actions = {
      retry: (/** @type {any} */ doc) => this.#retry(doc),
      remove: (/** @type {any} */ doc) => this.#remove(doc),
    };
    return [
      el('p', { class: 'faint' }, t('library.count', { n: this.#total })),
      el('ul', { class: 'documents' }, [...this.#documents.values()].map((doc) => documentRow(doc, actions))),
      this.#total > this.#documents.size && el('button', {
        type: 'button', on: { click: () => { this.#limit += PAGE_SIZE; this.refresh(); } },
      }, t('library.more')),
    ];
  }
}

/** @param {any} inbox @param {string} trouble */
function inboxLines(inbox, trouble) {
  const facts = [];
  if (inbox?.mode === 'polling') facts.push(t('inbox.polling'));
  if (inbox?.queued) facts.push(t('inbox.queued', { n: inbox.queued }));
  if (inbox?.eta_s) facts.push(t('inbox.eta', { time: duration(inbox.eta_s) }));
  return [
    trouble && el('p', { class: 'note problem', role: 'alert' }, trouble),
    inbox?.state === 'unreachable' && el('p', { class: 'note problem' }, t('inbox.unreachable')),
    inbox && el('p', {}, el('span', { class: 'faint' }, t('inbox.path')), ' ', el('code', {}, inbox.path)),
    facts.length > 0 && el('p', { class: 'faint' }, facts.join(' · ')),
  ];
}

/** @param {number} seconds */
function duration(seconds) {
  if (seconds < 60) return t('time.seconds', { n: Math.max(1, Math.round(seconds)) });
  if (seconds < 3600) return t('time.minutes', { n: Math.round(seconds / 60) });
  return t('time.hours', { n: formatNumber(seconds / 3600) });
}

/** @param {any} error */
function troubleOf(error) {
  if (error.code === 'unreachable') return t('inbox.offline');
  const words = has(`problem.${error.code}`) ? t(`problem.${error.code}`) : '';
  return [error.detail || words, error.hint].filter(Boolean).join(' ');
}

/** Redrawing must not lose the keyboard's place. */
function focusedAction() {
  const node = document.activeElement;
  const row = node?.closest('.document');
  return row ? { id: row.getAttribute('data-id'), action: node?.getAttribute('data-action') } : null;
}

/** @param {{id: string|null, action: string|null|undefined}} focused */
function refocus({ id, action }) {
  const row = [...document.querySelectorAll('.document')].find((node) => node.getAttribute('data-id') === id);
  const target = row && [...row.querySelectorAll('a, button')].find(
    (node) => (node.getAttribute('data-action') ?? undefined) === (action ?? undefined));
  /** @type {any} */ (target)?.focus();
}
