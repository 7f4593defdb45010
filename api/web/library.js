/** The library: every document with its state, kept current; retry, delete, the watched folder. */

import { confirmWith } from './confirm.js';
import { byId, el, fill } from './dom.js';
import { call, callJson } from './http.js';
import { has, onLanguage, t } from './i18n.js';
import { inboxLines } from './inbox.js';
import { Live } from './live.js';
import { documentRow } from './row.js';

/** Documents asked for at once, and added by 'show more'. */
const PAGE_SIZE = 100;
/** A whole folder may vanish, one event a file: ask once when it is over. */
const SETTLE_MS = 300;

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
  /** @type {import('./row.js').Document|null} deleted last, and still to be brought back */
  #removed = null;
  /** Someone who closed the key form is not asked again by every poll. */
  #locked = false;
  #frame = 0;
  #soon = 0;
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
      /** @type {any} */
      let page = null;
      const documents = new Map();
      for (let offset = 0; offset < this.#limit && offset < (page?.total ?? 1); offset += PAGE_SIZE) {
        page = await callJson(
          `/api/documents?limit=${PAGE_SIZE}&offset=${offset}`, { quiet: this.#locked });
        for (const doc of page.documents) documents.set(doc.document_id, doc);
      }
      this.#documents = documents;
      this.#total = page.total;
      this.#inbox = page.inbox;
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
    // It may be back at once or gone for good: only the ledger knows.
    if (doc.status === 'missing') {
      clearTimeout(this.#soon);
      this.#soon = setTimeout(() => this.refresh(), SETTLE_MS);
      return;
    }
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
    if (!sure) return;
    if (await this.#act(`/api/documents/${encodeURIComponent(doc.document_id)}`, 'DELETE')) {
      this.#removed = doc;
      this.#drawSoon();
    }
  }

  /** @param {import('./row.js').Document} doc */
  async #undo(doc) {
    this.#removed = null;
    await this.#act(`/api/documents/${encodeURIComponent(doc.document_id)}/restore`, 'POST');
  }

  /** @param {string} path @param {string} method @param {any} [json] @returns whether it was done */
  async #act(path, method, json) {
    try {
      await call(path, { method, json });
      await this.refresh();
      return true;
    } catch (error) {
      this.#trouble = troubleOf(error);
      this.#drawSoon();
      return false;
    }
  }

  /** Many events may arrive at once while a folder is read. */
  #drawSoon() {
    this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  }

  #draw() {
    const focused = focusedAction();
    fill(byId('inbox'),
      this.#trouble && el('p', { class: 'note problem', role: 'alert' }, this.#trouble),
      this.#removed && this.#undoLine(this.#removed),
      this.#inbox && inboxLines(this.#inbox, () => this.#act('/api/scan', 'POST', { accept_deletions: true })));
    fill(byId('documents'), ...this.#list());
    if (focused) refocus(focused);
  }

  /** @param {import('./row.js').Document} doc */
  #undoLine(doc) {
    return el('p', { class: 'note', role: 'status' }, `${t('delete.done', { name: doc.name })} `,
      el('button', { type: 'button', on: { click: () => this.#undo(doc) } }, t('delete.undo')));
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
