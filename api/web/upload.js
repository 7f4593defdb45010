/** Adding files: picked or dropped, folders kept as paths, sent one after the other. */

import { byId, el, fill } from './dom.js';
import { dropped, picked } from './files.js';
import { call } from './http.js';
import { has, onLanguage, t } from './i18n.js';

/** @typedef {import('./files.js').Added} Added */

export class Uploads {
  /** @type {Added[]} */
  #waiting = [];
  /** @type {{path: string, problem: import('./http.js').Problem}[]} */
  #failed = [];
  #done = 0;
  #sending = false;
  #nothing = false;

  /** @param {{started: () => void, added: () => void}} listener */
  constructor(listener) {
    this.listener = listener;
    this.#picker('pick-files', 'files');
    this.#picker('pick-folder', 'folder');
    this.#dropTarget();
    onLanguage(() => this.#draw());
  }

  /** @param {Added[]} files */
  async add(files) {
    this.listener.started();
    if (!this.#sending) this.#reset();
    this.#nothing = !files.length && !this.#sending;
    this.#waiting.push(...files);
    if (!this.#sending) await this.#send();
  }

  #reset() {
    this.#failed = [];
    this.#done = 0;
  }

  async #send() {
    this.#sending = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#draw();
      await this.#sendOne(next);
    }
    this.#sending = false;
    this.#draw();
  }

  /** @param {Added} added */
  async #sendOne({ file, path }) {
    const body = new FormData();
    body.append('file', file, file.name);
    body.append('path', path);
    try {
      await call('/api/documents', { method: 'POST', body });
      this.#done += 1;
      this.listener.added();
    } catch (problem) {
      this.#failed.push({ path, problem: /** @type {any} */ (problem) });
    }
  }

  #draw() {
    const n = this.#done + this.#failed.length;
    fill(byId('uploads'),
      this.#nothing && el('p', { class: 'note' }, t('upload.nothing')),
      this.#sending && el('p', { class: 'note' },
        t('upload.progress', { done: n + 1, n: n + 1 + this.#waiting.length })),
      !this.#sending && this.#done > 0 && el('p', { class: 'note' }, t('upload.done', { n: this.#done })),
      this.#failed.length > 0 && el('div', { class: 'note problem' },
        el('p', {}, t('upload.failed', { n: this.#failed.length })),
        el('ul', {}, this.#failed.map(({ path, problem }) => el('li', {},
          el('strong', {}, path), ' ', words(problem))))));
  }

  /** @param {string} button @param {string} input */
  #picker(button, input) {
    const field = byId(input);
    byId(button).addEventListener('click', () => field.click());
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

/** @param {import('./http.js').Problem} problem */
function words({ code, detail, hint }) {
  const ours = has(`problem.${code}`) ? t(`problem.${code}`) : '';
  return [ours, detail === ours ? '' : detail, hint].filter(Boolean).join(' ');
}
