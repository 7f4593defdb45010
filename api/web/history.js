/**
 * The conversations at the side: open, rename, export, delete, found by their titles.
 * @typedef {{conversation_id: string, title: string, created_at: string, updated_at: string}} Entry
 */

import { confirmWith } from './confirm.js';
import { byId, el, fill } from './dom.js';
import { goTo } from './frame.js';
import { call, callJson } from './http.js';
import { formatDay, onLanguage, t } from './i18n.js';
import { icon } from './icons.js';
import { KEY_GIVEN } from './key.js';
import { onNews, tell } from './news.js';
import { problemNodes } from './problems.js';

/** Below this many, one sees them all. */
const SEARCH_FROM = 8;
/** Older ones are found by searching. */
const MOST_LISTED = 200;

export class History {
  /** @type {Entry[]} */
  #entries = [];
  #wanted = '';
  #loaded = false;
  /** @type {string|null} the one whose title is being written */
  #renaming = null;
  #saving = false;
  #trouble = false;
  /** @type {any} why the last change was not made */
  #problem = null;
  #note = el('div');
  #list = el('ul', { class: 'history-list' });
  #search = el('input', {
    type: 'search', class: 'field', autocomplete: 'off',
    on: { input: () => { this.#wanted = this.#search.value.trim().toLowerCase(); this.#drawList(); } },
  });

  /** @param {import('./ask.js').Conversation} conversation */
  constructor(conversation) {
    this.conversation = conversation;
    conversation.onChange(() => this.refresh());
    onLanguage(() => { this.#tell(this.#problem); this.#draw(); });
    onNews(() => this.refresh());
    window.addEventListener(KEY_GIVEN, () => this.refresh());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.refresh(); });
    this.#draw();
    this.refresh({ quiet: false });
  }

  /** @param {{quiet: boolean}} [how] */
  async refresh(how = { quiet: true }) {
    try {
      const { conversations } = await callJson('/api/conversations', how);
      this.#entries = conversations;
      this.#loaded = true;
      this.#trouble = false;
      if (['unreachable', 'unauthorized'].includes(this.#problem?.code)) this.#tell(null);
    } catch {
      this.#trouble = true; // what was listed stays: it may come back
    }
    if (!this.#renaming) this.#draw();
  }

  #draw() {
    this.#search.setAttribute('aria-label', t('history.search'));
    this.#search.setAttribute('placeholder', t('history.search'));
    this.#search.hidden = this.#entries.length < SEARCH_FROM && !this.#wanted;
    const focused = focusedIn(this.#list);
    fill(byId('history'), el('h2', { class: 'history-title' }, t('history.title')), this.#search, this.#list, this.#note,
      this.#trouble && !this.#problem && el('p', { class: 'faint' }, t('history.offline')),
      this.#loaded && !this.#entries.length && el('p', { class: 'faint' }, t('history.empty')));
    this.#drawList();
    focused?.();
  }

  #drawList() {
    const shown = this.#entries.filter(({ title }) => title.toLowerCase().includes(this.#wanted));
    fill(this.#list, ...byDay(shown.slice(0, MOST_LISTED)).flatMap(({ day, entries }) => [
      el('li', { class: 'history-day' }, day),
      ...entries.map((entry) => this.#row(entry)),
    ]), this.#remark(shown.length));
  }

  /** @param {number} found */
  #remark(found) {
    if (found > MOST_LISTED) return el('li', { class: 'faint' }, t('history.older', { n: found - MOST_LISTED }));
    return this.#wanted && !found ? el('li', { class: 'faint' }, t('history.noMatch')) : null;
  }

  /** @param {Entry} entry */
  #row(entry) {
    const { conversation_id: id, title } = entry;
    const open = id === this.conversation.id;
    const row = el('li', { class: 'history-row', 'data-id': id });
    if (id === this.#renaming) {
      fill(row, this.#titleForm(entry));
      return row;
    }
    const address = `/api/conversations/${encodeURIComponent(id)}`;
    fill(row,
      el('a', { href: `#/ask/${encodeURIComponent(id)}`, 'aria-current': open && 'page', title, 'data-act': 'open' }, title),
      el('span', { class: 'history-acts' },
        act('rename', title, () => this.#rename(id)),
        el('a', {
          class: 'icon-button', href: `${address}?format=markdown`, download: '', 'data-act': 'export',
          'aria-label': t('history.actOn', { action: t('history.export'), title }), title: t('history.export'),
        }, icon('export')),
        act('delete', title, () => this.#remove(entry))));
    return row;
  }

  /** @param {string} id */
  #rename(id) {
    this.#renaming = id;
    this.#drawList();
    const field = this.#list.querySelector('input');
    field?.focus();
    field?.select();
  }

  /** @param {Entry} entry */
  #titleForm({ conversation_id: id, title }) {
    const field = el('input', {
      class: 'field', value: title, maxlength: '200', 'aria-label': t('history.newTitle'),
      on: {
        keydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Escape') { this.#tell(null); this.#endRenaming(id); } },
        blur: () => this.#saveTitle(id, title, field.value),
      },
    });
    return el('form', {
      on: { submit: (/** @type {Event} */ event) => { event.preventDefault(); this.#saveTitle(id, title, field.value); } },
    }, field);
  }

  /** @param {string} id @param {string} old @param {string} typed */
  async #saveTitle(id, old, typed) {
    const title = typed.trim();
    if (this.#renaming !== id || this.#saving) return;
    this.#saving = true;
    const saved = !title || title === old || await this.#change(id, { method: 'PATCH', json: { title } });
    this.#saving = false;
    if (!saved || this.#renaming !== id) return; // what was typed stays, to be saved again
    this.#renaming = null;
    await this.refresh();
    this.#endRenaming(id);
  }

  /** @param {string} id */
  #endRenaming(id) {
    this.#renaming = null;
    this.#draw();
    /** @type {any} */ (rowOf(this.#list, id)?.querySelector('[data-act="open"]'))?.focus();
  }

  /** @param {Entry} entry */
  async #remove({ conversation_id: id, title }) {
    const sure = await confirmWith({
      title: t('history.deleteTitle', { title }), text: t('history.deleteText'), yes: t('library.delete'),
    });
    if (!sure) return;
    await this.#change(id, { method: 'DELETE' });
    await this.refresh();
    if (id === this.conversation.id && !this.#entries.some((each) => each.conversation_id === id)) goTo('ask');
  }

  /** @param {string} id @param {any} how @returns {Promise<boolean>} whether nothing is left to change; a problem is told */
  async #change(id, how) {
    try {
      await call(`/api/conversations/${encodeURIComponent(id)}`, how);
      this.#tell(null);
    } catch (error) {
      const gone = /** @type {any} */ (error).code === 'not_found';
      this.#tell(gone && how.method === 'DELETE' ? null : error);
      if (!gone) return false;
    }
    tell({ conversation: id });
    return true;
  }

  /** @param {any} problem */
  #tell(problem) {
    this.#problem = problem;
    fill(this.#note, problem && el('div', { class: 'note problem', role: 'alert' }, problemNodes(problem)));
  }
}

/** @param {'rename'|'delete'} name @param {string} title @param {() => void} run */
function act(name, title, run) {
  const action = t(`history.${name}`);
  return el('button', {
    type: 'button', class: 'icon-button', 'data-act': name, title: action,
    'aria-label': t('history.actOn', { action, title }), on: { click: run },
  }, icon(name));
}

/** @param {Entry[]} entries newest first */
function byDay(entries) {
  /** @type {{day: string, entries: Entry[]}[]} */
  const days = [];
  for (const entry of entries) {
    const day = formatDay(entry.updated_at);
    if (days.at(-1)?.day === day) days.at(-1)?.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

/** Redrawing must not lose the keyboard's place. @param {HTMLElement} list */
function focusedIn(list) {
  const node = document.activeElement;
  const row = list.contains(node) ? node?.closest('.history-row') : null;
  if (!row) return null;
  const [id, act] = [row.getAttribute('data-id'), node?.getAttribute('data-act')];
  return () => /** @type {any} */ (rowOf(list, id)?.querySelector(`[data-act="${act}"]`))?.focus();
}

/** @param {HTMLElement} list @param {string|null} id */
function rowOf(list, id) {
  return [...list.querySelectorAll('.history-row')].find((row) => row.getAttribute('data-id') === id);
}
