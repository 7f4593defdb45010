/** The library: the documents chosen, each with its state, kept current; and what can be done. */

import { confirmWith } from './confirm.js';
import { byId, el } from './dom.js';
import { documentDetails } from './details.js';
import { Filters } from './filters.js';
import { call, callJson } from './http.js';
import { formatNumber, language, onLanguage, t } from './i18n.js';
import { inboxLines } from './inbox.js';
import { Live } from './live.js';
import { size } from './measure.js';
import { problemNodes } from './problems.js';
import { redraw } from './redraw.js';
import { documentRow } from './row.js';
import { trashed, trashList } from './trash.js';

/** @typedef {import('./row.js').Document} Document */

/** Documents on one page of the list. */
const PAGE_SIZE = 100;
/** Many files may change at once, one event each: ask the server no more often than this. */
const SETTLE_MS = 1500;

export class Library {
  #wish = { q: '', folder: '', status: '', sort: 'path' };
  #offset = 0;
  /** @type {{documents: Document[], total: number, statuses: Object<string, number>, inbox: import('./inbox.js').Inbox}|null} */
  #listed = null;
  /** @type {import('./filters.js').Folder[]} */
  #folders = [];
  /** @type {any} what /api/system tells of disk and index */
  #stock = null;
  /** @type {Document[]} */
  #trash = [];
  #inTrash = false;
  /** Whether files waited to be read when last looked. */
  #reading = false;
  /** @type {any} what went wrong last */
  #trouble = null;
  /** @type {string} what is going on or was done, in words */
  #told = '';
  /** @type {Document|null} deleted last, and still to be brought back */
  #removed = null;
  /** Someone who closed the key form is not asked again by every poll. */
  #locked = false;
  /** @type {Map<string, HTMLElement>} the line of each document on screen */
  #rows = new Map();
  /** @type {Map<string, HTMLElement>} unfolded below it */
  #details = new Map();
  #frame = 0;
  #soon = 0;
  #asked = 0;
  #head = el('div', { class: 'list-head' });
  #list = el('ul', { class: 'documents' });
  #pager = el('nav', { class: 'pager' });
  #filters = new Filters(byId('filters'), this.#wish, () => { this.#offset = 0; this.refresh(); });
  #live = new Live({
    document: (doc) => this.#update(doc),
    inbox: (inbox) => { if (this.#listed) this.#listed.inbox = inbox; this.#drawSoon(); },
    refresh: () => this.refresh(),
  });

  constructor() {
    onLanguage(() => { this.#details.clear(); this.#draw(); });
    this.#draw();
  }

  /** @param {string} rest of the address: `trash`, or nothing */
  show(rest) {
    this.#inTrash = rest === 'trash';
    this.#live.wanted = true;
    this.#takeStock();
    this.#draw();
  }

  hide() {
    this.#live.wanted = false;
  }

  async refresh() {
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const [listed, { folders }] = await Promise.all([
        callJson(this.#address(), { quiet: this.#locked }),
        callJson('/api/folders', { quiet: true }),
      ]);
      if (asked !== this.#asked) return; // something else was asked for meanwhile
      this.#listed = listed;
      this.#folders = folders;
      this.#trouble = null;
      this.#locked = false;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.#trouble = error;
      this.#locked = /** @type {any} */ (error).status === 401;
    }
    // The last documents of the last page may have gone.
    if (this.#listed && this.#offset && this.#offset >= this.#listed.total) {
      this.#offset = 0;
      await this.refresh();
      return;
    }
    this.#drawSoon();
  }

  #address() {
    const { q, folder, status, sort } = this.#wish;
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), offset: String(this.#offset), sort });
    if (q) query.set('q', q);
    if (folder) query.set('path_prefix', `${folder}/`);
    if (status) query.set('status', status);
    return `/api/documents?${query}`;
  }

  /** Sizes and the trash change rarely: they are asked for when somebody comes or does something. */
  async #takeStock() {
    try {
      [this.#stock, this.#trash] = await Promise.all([callJson('/api/system', { quiet: true }), trashed()]);
    } catch {
      return; // The list itself says what is wrong.
    }
    this.#drawSoon();
  }

  /** @param {Document} doc */
  #update(doc) {
    const documents = this.#listed?.documents ?? [];
    const at = documents.findIndex((each) => each.document_id === doc.document_id);
    // It may be back at once or gone for good, or belong elsewhere: only the ledger knows.
    if (at < 0 || ['status', 'path'].some((part) => documents[at][part] !== doc[part])) this.#refreshSoon();
    if (at < 0 || doc.status === 'missing') return;
    documents[at] = doc;
    this.#drawSoon();
  }

  #refreshSoon() {
    this.#soon ||= setTimeout(() => { this.#soon = 0; this.refresh(); }, SETTLE_MS);
  }

  /** @param {Document} doc */
  async #retry(doc) {
    await this.#act(`${addressOf(doc)}/retry`, 'POST');
  }

  async #retryAll() {
    await this.#act('/api/retry', 'POST');
  }

  /** @param {Document} doc */
  async #remove(doc) {
    const places = doc.locations?.length ?? 1;
    const text = places > 1 ? `${t('delete.places', { n: places })} ${t('delete.text')}` : t('delete.text');
    if (!await confirmWith({ title: t('delete.title', { name: doc.name }), text, yes: t('library.delete') })) return;
    if (!await this.#act(addressOf(doc), 'DELETE')) return;
    this.#removed = doc;
    this.#draw();
    byId('inbox').querySelector('[data-action="undo"]')?.focus(); // its own line is gone
  }

  /** @param {Document} doc */
  async #restore(doc) {
    if (await this.#act(`${addressOf(doc)}/restore`, 'POST')) this.#told = t('trash.restored', { name: doc.name });
    this.#drawSoon();
  }

  /** @param {Document} doc */
  async #purge(doc) {
    const sure = await confirmWith({
      title: t('purge.title', { name: doc.name }), text: t('purge.text'), yes: t('purge.yes'),
    });
    if (!sure) return;
    this.#told = t('purge.working', { name: doc.name });
    this.#drawSoon();
    const done = await this.#act(`${addressOf(doc)}?purge=true`, 'DELETE');
    this.#told = done ? t(done.complete ? 'purge.done' : 'purge.incomplete', { name: doc.name }) : '';
    this.#drawSoon();
  }

  /** @param {string} path @param {string} method @param {any} [json] @returns {Promise<any>} what came of it; false for nothing */
  async #act(path, method, json) {
    this.#removed = null;
    this.#told = this.#told && method === 'DELETE' ? this.#told : '';
    try {
      const response = await call(path, { method, json });
      const body = response.status === 204 ? true : await response.json();
      await Promise.all([this.refresh(), this.#takeStock()]);
      return body;
    } catch (error) {
      this.#trouble = error;
      this.#drawSoon();
      return false;
    }
  }

  /** @param {Document} doc */
  #unfold(doc) {
    if (!this.#details.delete(doc.document_id)) {
      this.#details.set(doc.document_id, documentDetails(doc, (each) => this.#purge(each)));
    }
    this.#draw();
  }

  /** Many events may arrive at once while a folder is read. */
  #drawSoon() {
    this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  }

  #draw() {
    const inbox = this.#listed?.inbox;
    const reading = Boolean(inbox?.queued);
    if (this.#reading && !reading) this.#takeStock(); // the index has grown
    this.#reading = reading;
    redraw(byId('inbox'), [this.#trouble, this.#told, this.#removed, inbox], () => [
      this.#trouble && el('div', { class: 'note problem', role: 'alert' }, problemNodes(this.#trouble)),
      this.#told && el('p', { class: 'note', role: 'status' }, this.#told),
      this.#removed && this.#undoLine(this.#removed),
      ...(inbox ? inboxLines(inbox, () => this.#act('/api/scan', 'POST', { accept_deletions: true })) : []),
    ]);
    redraw(byId('shelves'), [this.#inTrash, this.#trash.length], () => this.#shelves());
    byId('filters').hidden = this.#inTrash || !this.#listed;
    this.#filters.update(this.#listed?.statuses ?? {}, this.#folders);
    if (this.#inTrash) this.#drawTrash();
    else this.#drawList();
    redraw(byId('stock'), this.#stock, () => this.#stock && stockLine(this.#stock));
  }

  #shelves() {
    const tab = (/** @type {string} */ href, /** @type {boolean} */ current, /** @type {any[]} */ ...words) => (
      el('a', { href, 'aria-current': current && 'page' }, words));
    return [
      tab('#/library', !this.#inTrash, t('library.files')),
      tab('#/library/trash', this.#inTrash, t('trash.title'),
        this.#trash.length > 0 && el('span', { class: 'count' }, ` ${formatNumber(this.#trash.length)}`)),
    ];
  }

  /** @param {Document} doc */
  #undoLine(doc) {
    return el('p', { class: 'note', role: 'status' }, `${t('delete.done', { name: doc.name })} `,
      el('button', { type: 'button', 'data-action': 'undo', on: { click: () => this.#restore(doc) } }, t('delete.undo')));
  }

  #drawTrash() {
    const actions = {
      restore: (/** @type {Document} */ doc) => this.#restore(doc),
      purge: (/** @type {Document} */ doc) => this.#purge(doc),
    };
    redraw(byId('documents'), ['trash', this.#trash], () => trashList(this.#trash, actions));
  }

  #drawList() {
    const listed = this.#listed;
    const shape = !listed ? 'loading' : listed.documents.length ? 'list' : ['nothing', this.#wish];
    redraw(byId('documents'), [shape, !listed && this.#trouble], () => {
      if (!listed) return !this.#trouble && el('p', { class: 'faint' }, t('library.loading'));
      return listed.documents.length ? [this.#head, this.#list, this.#pager] : this.#nothing();
    });
    if (!listed) return;
    const { total, statuses } = listed;
    redraw(this.#head, [total, statuses.failed], () => this.#above(total, statuses.failed ?? 0));
    this.#drawRows(listed.documents);
    this.#pager.hidden = total <= PAGE_SIZE;
    redraw(this.#pager, [total, this.#offset], () => this.#turns(total));
  }

  #nothing() {
    const { q, folder, status } = this.#wish;
    if (!q && !folder && !status) {
      return el('div', { class: 'empty' }, el('h3', {}, t('library.empty')), el('p', {}, t('library.emptyText')));
    }
    return el('div', { class: 'empty' }, el('p', {}, t('library.noMatch')), el('p', {}, el('button', {
      type: 'button', on: { click: () => this.#filters.set({ q: '', folder: '', status: '' }) },
    }, t('library.showAll'))));
  }

  /** @param {number} total @param {number} failed */
  #above(total, failed) {
    return [
      el('p', { class: 'faint', role: 'status' }, t('library.count', { n: total })),
      failed > 1 && el('button', {
        type: 'button', class: 'quiet', 'data-action': 'retry-all', on: { click: () => this.#retryAll() },
      }, t('library.retryAll')),
    ];
  }

  /** @param {Document[]} documents */
  #drawRows(documents) {
    const actions = {
      retry: (/** @type {Document} */ doc) => this.#retry(doc),
      remove: (/** @type {Document} */ doc) => this.#remove(doc),
      details: (/** @type {Document} */ doc) => this.#unfold(doc),
      folder: (/** @type {string} */ folder) => this.#filters.set({ folder }),
    };
    const rows = documents.map((doc) => {
      const id = doc.document_id;
      const row = this.#rows.get(id) ?? el('li', { class: 'document', 'data-id': id });
      const details = this.#details.get(id) ?? null;
      row.dataset.status = doc.status;
      redraw(row, [doc, details !== null, language()], () => documentRow(doc, actions, details));
      return row;
    });
    this.#rows = new Map(rows.map((row) => [row.dataset.id ?? '', row]));
    if (rows.length === this.#list.children.length && rows.every((row, at) => row === this.#list.children[at])) return;
    const focused = this.#list.contains(document.activeElement) ? document.activeElement : null;
    this.#list.replaceChildren(...rows);
    /** @type {any} */ (focused)?.focus({ preventScroll: true });
  }

  /** @param {number} total */
  #turns(total) {
    const last = Math.min(this.#offset + PAGE_SIZE, total);
    const turn = (/** @type {string} */ key, /** @type {number} */ offset, /** @type {string} */ sign) => el('button', {
      type: 'button', 'data-action': key, 'aria-label': t(key), title: t(key), disabled: offset < 0 || offset >= total,
      on: { click: () => this.#turnTo(offset) },
    }, sign);
    this.#pager.setAttribute('aria-label', t('library.pager'));
    return [
      turn('library.before', this.#offset - PAGE_SIZE, '‹'),
      el('span', {}, t('library.range', { from: this.#offset + 1, to: last, total })),
      turn('library.after', this.#offset + PAGE_SIZE, '›'),
    ];
  }

  /** @param {number} offset */
  async #turnTo(offset) {
    this.#offset = offset;
    await this.refresh();
    byId('filters').scrollIntoView({ block: 'start' });
  }
}

/** @param {{document_id: string}} doc */
function addressOf({ document_id: id }) {
  return `/api/documents/${encodeURIComponent(id)}`;
}

/** @param {{disk: {free_bytes: number, data_bytes: number}, index: {documents: number, passages: number}}} system */
function stockLine({ disk, index }) {
  return t('library.stock', {
    n: index.documents, passages: index.passages, data: size(disk.data_bytes), free: size(disk.free_bytes),
  });
}
