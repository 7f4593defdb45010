/**
 * Adding files: picked or dropped, folders kept as paths, sent one after the other.
 * @typedef {'waiting'|'sending'|'added'|'known'|'conflict'|'failed'|'left'} State
 * @typedef {{file: File, path: string, state: State, problem?: import('./http.js').Problem,
 *   locations?: string[]}} Item
 */

import { byId, el, fill } from './dom.js';
import { dropped, picked } from './files.js';
import { call, callJson } from './http.js';
import { onLanguage, t } from './i18n.js';
import { size } from './measure.js';
import { problemNodes } from './problems.js';
import { redraw } from './redraw.js';
import { sendFile } from './send.js';

/** Troubles that will meet the next file, too: better to wait than to try them all. */
const PAUSING = new Set(['disk_full', 'unreachable', 'unavailable', 'unauthorized']);
/** Lines shown of a list; thousands may have been dropped. */
const MOST_LINES = 100;

export class Uploads {
  /** @type {Item[]} */
  #items = [];
  /** @type {AbortController|null} while a file is under way */
  #running = null;
  /** @type {import('./http.js').Problem|null} why it waits */
  #paused = null;
  /** Told of still, from what was added earlier. */
  #before = 0;
  #nothing = false;
  #unfolded = false;
  #sentBytes = 0;
  #frame = 0;
  #bar = el('div', { class: 'upload-bar' });
  #results = el('div');

  /** @param {{started: () => void, added: () => void}} listener */
  constructor(listener) {
    this.listener = listener;
    byId('uploads').append(this.#bar, this.#results);
    this.#picker('pick-files', 'files');
    this.#picker('pick-folder', 'folder');
    this.#dropTarget();
    onLanguage(() => this.#draw());
    window.addEventListener('beforeunload', (event) => { if (this.#running) event.preventDefault(); });
  }

  /** @param {import('./files.js').Added[]} files */
  async add(files) {
    this.listener.started();
    const again = new Set(files.map(({ path }) => path));
    if (!this.#running && !this.#paused) {
      this.#items = this.#items.filter(({ state, path }) => state === 'conflict' || (state === 'failed' && !again.has(path)));
      this.#before = this.#items.length;
    }
    this.#nothing = !files.length;
    this.#items.push(...files.map((added) => ({ ...added, state: /** @type {State} */ ('waiting') })));
    await this.#send();
  }

  async #send() {
    if (this.#running) return;
    this.#paused = null;
    for (let next = this.#next(); next && !this.#paused; next = this.#next()) await this.#sendOne(next);
    this.#running = null;
    this.#drawSoon();
  }

  #next() {
    return this.#items.find(({ state }) => state === 'waiting');
  }

  /** @param {Item} item */
  async #sendOne(item) {
    this.#running = new AbortController();
    item.state = 'sending';
    this.#sentBytes = 0;
    this.#drawSoon();
    try {
      const stored = await sendFile(item.file, item.path, {
        signal: this.#running.signal,
        progress: (bytes) => { this.#sentBytes = bytes; this.#drawSoon(); },
      });
      item.state = stored.known ? 'known' : 'added';
      item.locations = stored.locations;
      this.listener.added();
    } catch (error) {
      this.#fail(item, /** @type {import('./http.js').Problem} */ (error));
    }
  }

  /** @param {Item} item @param {import('./http.js').Problem} problem */
  #fail(item, problem) {
    item.problem = problem;
    if (problem.code === 'stopped') item.state = 'left';
    else if (PAUSING.has(problem.code)) {
      item.state = 'waiting';
      this.#paused = problem;
    } else item.state = problem.code === 'conflict' ? 'conflict' : 'failed';
    if (problem.code === 'invalid_request') problem.code = 'name'; // of a file, that is all there is to ask
  }

  #stop() {
    for (const item of this.#items) if (item.state === 'waiting') item.state = 'left';
    this.#paused = null;
    this.#running?.abort();
    this.#drawSoon();
  }

  /** @param {'both'|'replace'|'leave'} choice @param {Item[]} items */
  async #settle(choice, items) {
    this.#before = 0;
    for (const item of items) {
      if (choice === 'both') item.path = this.#freeName(item.path);
      item.state = choice === 'leave' ? 'left' : 'waiting';
      if (choice === 'replace') await this.#makeRoom(item);
    }
    await this.#send();
    this.#drawSoon();
  }

  /** The present file goes to the trash, from where it can be brought back. @param {Item} item */
  async #makeRoom(item) {
    try {
      const query = new URLSearchParams({ path_prefix: item.path, limit: '1000' });
      const { documents } = await callJson(`/api/documents?${query}`);
      const there = documents.find((/** @type {any} */ doc) => doc.locations.includes(item.path));
      if (!there) return;
      const id = encodeURIComponent(there.document_id);
      await call(`/api/documents/${id}?${new URLSearchParams({ path: item.path })}`, { method: 'DELETE' });
    } catch (error) {
      item.state = 'failed';
      item.problem = /** @type {any} */ (error);
    }
  }

  /** @param {string} path @returns {string} `name (2).pdf`, counting on from what was tried */
  #freeName(path) {
    const [, stem, , ending] = /^(.*?)( \(\d+\))?(\.[^./]*)?$/.exec(path) ?? [];
    const taken = new Set(this.#items.map((item) => item.path));
    let n = Number(/ \((\d+)\)(\.[^./]*)?$/.exec(path)?.[1] ?? 1) + 1;
    while (taken.has(`${stem} (${n})${ending ?? ''}`)) n += 1;
    return `${stem} (${n})${ending ?? ''}`;
  }

  #drawSoon() {
    this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  }

  #draw() {
    const of = (/** @type {State[]} */ ...states) => this.#items.filter(({ state }) => states.includes(state));
    this.#drawBar(of('sending')[0], of('waiting').length);
    const told = this.#items.map(({ path, state }) => [path, state]);
    redraw(this.#results, [told, this.#nothing, this.#paused?.code], () => [
      this.#nothing && el('p', { class: 'note' }, t('upload.nothing')),
      this.#paused && this.#pause(this.#paused, of('waiting').length),
      this.#summary(of('added').length, of('known').length, of('left').length),
      this.#conflicts(of('conflict')),
      this.#failures(of('failed')),
      this.#all(),
    ]);
  }

  /** @param {Item|undefined} item @param {number} waiting */
  #drawBar(item, waiting) {
    if (!item) {
      fill(this.#bar);
      return;
    }
    const n = this.#items.length - this.#before;
    if (!this.#bar.firstChild) {
      fill(this.#bar, el('p'), el('progress', { max: 1, 'aria-label': t('upload.label') }),
        el('button', { type: 'button', on: { click: () => this.#stop() } }, t('upload.stop')));
    }
    const [words, bar, stop] = this.#bar.children;
    words.textContent = t('upload.progress', { done: n - waiting, n, name: item.path, size: size(item.file.size) });
    bar.value = item.file.size ? this.#sentBytes / item.file.size : 1;
    stop.textContent = t('upload.stop');
  }

  /** @param {import('./http.js').Problem} problem @param {number} waiting */
  #pause(problem, waiting) {
    return el('div', { class: 'note problem', role: 'alert' },
      problemNodes(problem),
      el('p', {}, t('upload.paused', { n: waiting })),
      el('div', { class: 'choices' },
        button('upload.goOn', () => this.#send()), button('upload.stop', () => this.#stop())));
  }

  /** @param {number} added @param {number} known @param {number} left */
  #summary(added, known, left) {
    if (this.#running || !(added + known + left)) return null;
    return el('p', { class: 'note', role: 'status' }, [
      added > 0 && t('upload.done', { n: added }),
      known > 0 && t('upload.known', { n: known }),
      left > 0 && t('upload.left', { n: left }),
    ].filter(Boolean).join(' '));
  }

  /** @param {Item[]} items */
  #conflicts(items) {
    if (!items.length) return null;
    const choices = (/** @type {Item[]} */ some) => el('span', { class: 'choices' },
      ...(/** @type {const} */ (['both', 'replace', 'leave'])).map((choice) => (
        button(`conflict.${choice}`, () => this.#settle(choice, some), some.length > 1 ? undefined : some[0]?.path))));
    return el('div', { class: 'note warn' },
      el('p', {}, t('conflict.title', { n: items.length })),
      items.length > 1 && el('p', {}, t('conflict.all'), ' ', choices(items)),
      lines(items, (item) => [el('strong', {}, item.path), ' ', choices([item])]));
  }

  /** @param {Item[]} items */
  #failures(items) {
    return items.length > 0 && el('div', { class: 'note problem' },
      el('p', {}, t('upload.failed', { n: items.length })),
      lines(items, ({ path, problem }) => [el('strong', {}, path), ...(problem ? problemNodes(problem) : [])]),
      button('menu.close', () => { this.#items = this.#items.filter(({ state }) => state !== 'failed'); this.#drawSoon(); }));
  }

  /** Every file, for who wants to know. */
  #all() {
    const ended = this.#items.filter(({ state }) => state !== 'waiting' && state !== 'sending');
    const toggle = (/** @type {any} */ event) => { this.#unfolded = event.target.open; };
    return ended.length > 0 && el('details', { class: 'faint', open: this.#unfolded, on: { toggle } },
      el('summary', {}, t('upload.all', { n: ended.length })),
      lines(ended.reverse(), ({ path, state, locations = [] }) => {
        const others = locations.filter((location) => location !== path);
        return [path, ' – ', t(`upload.is.${state}`), others.length > 0 && ` (${others.join(', ')})`];
      }));
  }

  /** @param {string} pick @param {string} input */
  #picker(pick, input) {
    const field = byId(input);
    byId(pick).addEventListener('click', () => field.click());
    field.addEventListener('change', () => {
      this.add(picked(field.files));
      field.value = ''; // the same file may be picked again
    });
  }

  #dropTarget() {
    const cover = byId('drop');
    window.addEventListener('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      cover.hidden = false;
    });
    window.addEventListener('dragleave', (event) => { if (!event.relatedTarget) cover.hidden = true; });
    window.addEventListener('drop', async (event) => {
      cover.hidden = true;
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      this.add(await dropped(event.dataTransfer));
    });
  }
}

/** @param {string} key @param {() => void} act @param {string} [name] tells it from others of the same word */
function button(key, act, name) {
  return el('button', {
    type: 'button', 'data-action': `${key} ${name ?? ''}`, on: { click: act },
    'aria-label': name && t('library.actOn', { action: t(key), name }),
  }, t(key));
}

/** @param {Item[]} items @param {(item: Item) => import('./dom.js').Child[]} line */
function lines(items, line) {
  const more = items.length - MOST_LINES;
  return el('ul', {}, items.slice(0, MOST_LINES).map((item) => el('li', {}, line(item))),
    more > 0 && el('li', {}, t('upload.more', { n: more })));
}
