/** The panel beside the answer: the passage with its quote marked, and the page or text around it. */

import { Around } from './around.js';
import { el, fill } from './dom.js';
import { sourceShown } from './frame.js';
import { callJson } from './http.js';
import { icon } from './icons.js';
import { onLanguage, t } from './i18n.js';
import { Picture } from './picture.js';
import { hasPicture, placeOf } from './places.js';
import { markQuote } from './quote.js';

/** @typedef {import('./cite.js').Citation|import('./cite.js').Hit} Source */

const PDF = /\.pdf$/i;

export class SourcePanel {
  /** @type {any} the citation or hit shown */
  #source = null;
  #text = '';
  /** @type {HTMLElement|null} */
  #opener = null;
  #note = el('div', { role: 'status' });
  #below = el('div', { class: 'below' });
  #picture = new Picture();
  #around = new Around();

  /** @param {HTMLElement} node the aside of index.html */
  constructor(node) {
    this.node = node;
    node.addEventListener('keydown', (event) => this.#key(event));
    onLanguage(() => { if (this.#source) this.#draw(); });
  }

  /**
   * @param {Source} source
   * @param {import('./cite.js').Hit[]} hits where the whole passage is found
   * @param {HTMLElement} opener gets the focus back
   */
  show(source, hits, opener) {
    const passage = hits.find((hit) => hit.passage_id === source.passage_id);
    this.#source = source;
    this.#opener = opener;
    this.#text = passage?.text ?? ('text' in source ? source.text : source.quote);
    fill(this.#note);
    fill(this.#below);
    this.#draw();
    this.node.hidden = false;
    sourceShown(true);
    /** @type {any} */ (this.node.querySelector('h2'))?.focus({ preventScroll: true });
    this.node.scrollTop = 0;
    const shown = this.node.querySelector('.passage');
    const mark = shown?.querySelector('mark');
    if (shown && mark) shown.scrollTop = mark.offsetTop - 24;
    if (hasPicture(source.locator)) this.#showPicture(source);
    else this.#showAround(source);
  }

  hide() {
    if (!this.#source) return;
    this.#source = null;
    this.#picture.clear();
    this.node.hidden = true;
    sourceShown(false);
    // A redrawn answer has new chips, a long list folds away: then the question box is next best.
    (this.#opener?.checkVisibility() ? this.#opener : document.getElementById('question'))?.focus();
  }

  #draw() {
    const { document_name: name, path, locations = [], locator, quote } = this.#source;
    const copies = locations.slice(1);
    fill(this.node,
      el('header', {},
        this.#neighbours(),
        el('button', {
          type: 'button', class: 'icon-button', 'aria-label': t('source.close'), title: t('source.closeKey'),
          on: { click: () => this.hide() },
        }, icon('close'))),
      el('h2', { tabindex: '-1' }, name),
      el('p', { class: 'place' }, placeOf(locator),
        locator?.page && locator.page_source !== 'file' && el('span', { class: 'faint' }, ` – ${t('source.approximate')}`)),
      path && path !== name && el('p', { class: 'faint' }, path),
      copies.length > 0 && el('p', { class: 'faint' }, t('library.also', { paths: copies.join(', ') })),
      el('section', { class: 'passage', tabindex: '0', 'aria-label': t('source.passage') },
        el('p', { class: 'verbatim' }, quote ? markQuote(this.#text, quote) : this.#text)),
      this.#note, this.#below);
  }

  /** @param {any} source */
  async #showPicture(source) {
    const shown = this.#picture.show(source, {
      original: (page) => this.#links(page),
      told: (words) => { if (this.#source === source) this.#tell(words); },
    });
    fill(this.#below, this.#picture.node);
    if (await shown || this.#source !== source) return;
    // No picture: the text is kept, and better than nothing.
    await this.#showAround(source, 'source.noPicture');
  }

  /** The text or sheet around the passage, as it was read. @param {any} source @param {string} [because] why it is not the page */
  async #showAround(source, because = '') {
    const node = await this.#around.load(source, (words) => {
      if (this.#source === source) this.#tell(words);
    });
    if (this.#source !== source) return;
    const why = because || !node ? await whyNot(source, because || 'source.nothing') : '';
    if (this.#source !== source) return;
    if (why) this.#tell(node ? `${why} ${t('source.textBelow')}` : why);
    fill(this.#below, el('p', { class: 'links' }, this.#links(0)), node);
  }

  /** @param {string} words */
  #tell(words) {
    fill(this.#note, Boolean(words) && el('p', { class: 'note warn' }, words));
  }

  /** The original, at its page, and for keeping. @param {number} page 0 for none @returns {Node[]} */
  #links(page) {
    const { document_id: id, document_name: name } = this.#source;
    const file = `/api/documents/${encodeURIComponent(id)}/file`;
    return [
      // A browser shows no Word file: opening one would only keep it.
      (!page || PDF.test(name)) && el('a', { href: page ? `${file}#page=${page}` : file, target: '_blank', rel: 'noopener' },
        page ? t('source.openAt', { page: String(page) }) : t('source.open')),
      el('a', { href: file, download: name }, t('source.download')),
    ].filter(Boolean);
  }

  /** The other sources of the same answer, in the order of its list. */
  #neighbours() {
    const { lines, at } = this.#siblings();
    if (lines.length < 2 || at < 0) return el('span');
    const step = (/** @type {number} */ to, /** @type {string} */ key, /** @type {string} */ sign) => el('button', {
      type: 'button', class: 'icon-button', disabled: !lines[to], 'aria-label': t(key), title: t(key),
      'data-step': key, on: { click: () => this.#step(to, key) },
    }, sign);
    return el('div', { class: 'neighbours' },
      step(at - 1, 'source.before', '‹'),
      el('span', {}, t('source.nth', { n: at + 1, total: lines.length })),
      step(at + 1, 'source.after', '›'));
  }

  /** @returns {{lines: HTMLElement[], at: number}} */
  #siblings() {
    const turn = this.#opener?.closest('.turn');
    const lines = /** @type {HTMLElement[]} */ ([...(turn?.querySelectorAll('.sources .source-line') ?? [])]);
    const marker = String(this.#source.marker ?? '');
    const at = marker ? lines.findIndex((line) => line.querySelector('.number')?.textContent === marker)
      : lines.indexOf(/** @type {HTMLElement} */ (this.#opener));
    return { lines, at };
  }

  /** @param {number} to @param {string} [key] of the button that has the focus */
  #step(to, key) {
    const line = this.#siblings().lines[to];
    if (!line) return;
    line.click();
    if (!key) return;
    const same = this.node.querySelector(`[data-step="${key}"]:enabled`);
    /** @type {any} */ (same ?? this.node.querySelector('[data-step]:enabled'))?.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === 'Escape') {
      this.hide();
      return;
    }
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches('input, select, textarea')) return;
    const steps = /** @type {Object<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 });
    if (event.shiftKey && event.key in steps) {
      event.preventDefault();
      this.#step(this.#siblings().at + steps[event.key]);
    } else if (this.#picture.node.isConnected && this.#picture.key(event.key)) event.preventDefault();
  }
}

/** @param {any} source @param {string} otherwise a key of words @returns {Promise<string>} why its page or text cannot be shown */
async function whyNot({ document_id: id }, otherwise) {
  const address = `/api/documents/${encodeURIComponent(id)}`;
  try {
    const { locations, status } = await callJson(address, { quiet: true });
    if (!locations.length) return t('source.inTrash');
    if (status === 'missing') return t('source.missing');
    const file = await fetch(`${address}/file`).catch(() => null);
    file?.body?.cancel();
    return t(file?.status === 404 ? 'source.missing' : otherwise);
  } catch (error) {
    return t(/** @type {any} */ (error).code === 'not_found' ? 'source.gone' : otherwise);
  }
}
