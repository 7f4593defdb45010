/** Which documents are shown: by name, folder and status, and in what order. */

import { el } from './dom.js';
import { formatNumber, onLanguage, t } from './i18n.js';
import { redraw } from './redraw.js';
import { statusWords } from './reasons.js';

/** @typedef {{q: string, folder: string, status: string, sort: string}} Wish */
/** @typedef {{path: string, documents: number}} Folder */

const ORDERS = ['path', 'name', 'newest', 'status'];
/** What needs somebody comes first. */
const STATUSES = ['failed', 'partial', 'missing', 'reading', 'embedding', 'queued', 'ready'];
/** Typing is not over yet. */
const TYPING_MS = 250;

export class Filters {
  #search = el('input', { type: 'search', class: 'field', id: 'find', autocomplete: 'off' });
  #folder = el('select', { class: 'field', id: 'in-folder' });
  #sort = el('select', { class: 'field', id: 'sort' });
  #statuses = el('div', { class: 'statuses', role: 'group' });
  #typing = 0;

  /** @param {HTMLElement} node @param {Wish} wish changed in place @param {() => void} changed */
  constructor(node, wish, changed) {
    this.wish = wish;
    this.changed = changed;
    this.#search.addEventListener('input', () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#set({ q: this.#search.value.trim() }), TYPING_MS);
    });
    this.#folder.addEventListener('change', () => this.#set({ folder: this.#folder.value }));
    this.#sort.addEventListener('change', () => this.#set({ sort: this.#sort.value }));
    node.append(
      el('div', { class: 'filters' }, this.#search, this.#folder, this.#sort), this.#statuses);
    onLanguage(() => this.#label());
    this.#label();
  }

  /** @param {Partial<Wish>} wish from outside, such as a folder clicked in the list */
  set(wish) {
    this.#search.value = wish.q ?? this.#search.value;
    this.#set(wish);
  }

  /** @param {Object<string, number>} statuses how many have which @param {Folder[]} folders */
  update(statuses, folders) {
    // An open list of choices would close in the hand of who reads it.
    if (document.activeElement !== this.#folder) this.#drawFolders(folders);
    this.#folder.value = this.wish.folder;
    this.#drawStatuses(statuses);
  }

  /** @param {Partial<Wish>} wish */
  #set(wish) {
    Object.assign(this.wish, wish);
    this.changed();
  }

  #label() {
    this.#search.placeholder = t('library.find');
    for (const [node, key] of [[this.#search, 'find'], [this.#folder, 'inFolder'], [this.#sort, 'sort'], [this.#statuses, 'byStatus']]) {
      node.setAttribute('aria-label', t(`library.${key}`));
    }
    redraw(this.#sort, ORDERS, () => ORDERS.map((order) => el('option', { value: order }, t(`sort.${order}`))));
    this.#sort.value = this.wish.sort;
  }

  /** @param {Folder[]} folders */
  #drawFolders(folders) {
    const chosen = this.wish.folder;
    redraw(this.#folder, [folders, chosen], () => {
      const counts = withAncestors(folders);
      if (chosen && !counts.has(chosen)) counts.set(chosen, 0);
      return [
        el('option', { value: '' }, t('library.allFolders')),
        [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, n]) => el('option', { value: path },
          `${'\u2003'.repeat(path.split('/').length - 1)}${path.split('/').at(-1)} (${formatNumber(n)})`)),
      ].flat();
    });
  }

  /** @param {Object<string, number>} counts */
  #drawStatuses(counts) {
    const { status } = this.wish;
    redraw(this.#statuses, [counts, status], () => {
      const all = Object.values(counts).reduce((sum, n) => sum + n, 0);
      return [
        this.#statusButton('', t('library.all'), all),
        ...STATUSES.filter((each) => counts[each] || each === status)
          .map((each) => this.#statusButton(each, statusWords(each), counts[each] ?? 0)),
      ];
    });
  }

  /** @param {string} status @param {string} words @param {number} n */
  #statusButton(status, words, n) {
    return el('button', {
      type: 'button', class: `status-filter ${status}`, 'data-action': `status-${status}`,
      'aria-pressed': String(this.wish.status === status), on: { click: () => this.#set({ status }) },
    }, el('span', {}, words), ' ', el('span', { class: 'count' }, formatNumber(n)));
  }
}

/** @param {Folder[]} folders @returns {Map<string, number>} with all that lies anywhere below */
function withAncestors(folders) {
  const counts = new Map();
  for (const { path, documents } of folders) {
    const parts = path ? path.split('/') : [];
    for (let depth = 1; depth <= parts.length; depth += 1) {
      const above = parts.slice(0, depth).join('/');
      counts.set(above, (counts.get(above) ?? 0) + documents);
    }
  }
  return counts;
}
