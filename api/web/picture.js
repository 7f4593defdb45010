/**
 * Pages of a document as pictures, the quoted words marked: turned, jumped to, and zoomed.
 * @typedef {[number, number, number, number]} Box left, top, right, bottom, as shares of the page
 * @typedef {{original: (page: number) => Node[], told: (words: string) => void}} Listener
 */

import { el, fill } from './dom.js';
import { call, callJson } from './http.js';
import { icon } from './icons.js';
import { formatNumber, t } from './i18n.js';
import { quoted } from './places.js';

/** Shares of life size; 0 fits the page into the panel. */
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
/** A4 is 8.27 inches wide, a CSS inch is 96 pixels. */
const LIFE_SIZE_PX = 794;
/** As wide as pictures come, and twice that for reading small print; see `api/schemas.py`. */
const PICTURE_PX = 1240;
/** Room above the marked words when the panel scrolls to them. */
const ABOVE_PX = 120;

export class Picture {
  node = el('div', { class: 'picture' });
  /** @type {any} */
  #source = null;
  /** @type {Listener|null} */
  #listener = null;
  #page = 0;
  /** @type {number|null} */
  #total = null;
  #zoom = 0;
  #width = PICTURE_PX;
  #loading = new AbortController();
  #address = '';
  /** @type {Box[]} marked on the page shown */
  #boxes = [];
  #bar = el('div', { class: 'pager', role: 'toolbar' });
  #frame = el('div', { class: 'paper', tabindex: '0', role: 'group' });
  /** @type {HTMLImageElement|null} */
  #image = null;

  constructor() {
    this.node.append(this.#bar, this.#frame);
  }

  /**
   * @param {any} source a citation or hit on a page that can be drawn
   * @param {Listener} listener
   * @returns {Promise<boolean>} false where its page cannot be drawn
   */
  async show(source, listener) {
    this.#source = source;
    this.#listener = listener;
    this.#total = null;
    this.#page = source.locator.page;
    fill(this.#frame, el('p', { class: 'note' }, t('source.loading')));
    this.#countPages(source);
    return this.#turnTo(this.#page);
  }

  clear() {
    this.#loading.abort();
    this.#source = null;
    this.#image = null;
    URL.revokeObjectURL(this.#address);
    fill(this.#frame);
  }

  /** @param {string} key pressed anywhere in the panel @returns {boolean} whether it meant something */
  key(key) {
    /** @type {Object<string, () => any>} */
    const keys = {
      '+': () => this.#zoomBy(1),
      '=': () => this.#zoomBy(1),
      '-': () => this.#zoomBy(-1),
      0: () => this.#zoomTo(0),
    };
    const cited = this.#source.locator.page;
    if (this.#page !== cited) keys.Home = () => this.#turnTo(cited);
    // A page wider than the panel is moved by the arrows; one that fits is turned.
    if (this.#frame.scrollWidth <= this.#frame.clientWidth) {
      keys.ArrowLeft = () => this.#turnTo(this.#page - 1);
      keys.ArrowRight = () => this.#turnTo(this.#page + 1);
    }
    keys[key]?.();
    return key in keys;
  }

  /** @param {number} page @returns {Promise<boolean>} false where the cited page cannot be drawn */
  async #turnTo(page) {
    const source = this.#source;
    if (!source || page < 1 || (this.#total !== null && page > this.#total)) return true;
    this.#loading.abort();
    const loading = new AbortController();
    this.#loading = loading;
    this.#page = page;
    this.#drawBar();
    this.#frame.setAttribute('aria-busy', 'true');
    this.#frame.setAttribute('aria-label', t('source.page', { page: String(page) }));
    const drawn = await this.#fetch(source, loading.signal);
    if (loading.signal.aborted) return true;
    this.#frame.removeAttribute('aria-busy');
    if (drawn) return true;
    if (page === source.locator.page) return false;
    fill(this.#frame, el('p', { class: 'note' }, t('source.noPicture')));
    return true;
  }

  /** @param {any} source @param {AbortSignal} signal */
  async #fetch(source, signal) {
    const address = `/api/documents/${encodeURIComponent(source.document_id)}/pages/${this.#page}.png?width=${this.#width}`;
    try {
      const response = await call(`${address}&${quoted(source)}`, { signal, quiet: true });
      this.#listener?.told(markedWords(source, this.#page, response));
      await this.#put(await response.blob(), boxesOf(source, this.#page, response));
      return true;
    } catch (error) {
      if (signal.aborted || /** @type {any} */ (error).code !== 'not_found') return false;
    }
    // Read anew since it was cited: the page may still be shown, without marks.
    try {
      const response = await call(address, { signal, quiet: true });
      this.#listener?.told(t('source.changed'));
      await this.#put(await response.blob(), []);
      return true;
    } catch {
      return false;
    }
  }

  /** @param {Blob} blob @param {Box[]} boxes */
  async #put(blob, boxes) {
    const name = this.#source?.document_name;
    const page = String(this.#page);
    const address = URL.createObjectURL(blob);
    const words = t(boxes.length ? 'source.picture' : 'source.pictureOther', { name, page });
    const image = el('img', { src: address, 'data-page': page, alt: words });
    await image.decode();
    URL.revokeObjectURL(this.#address);
    this.#address = address;
    this.#image = image;
    this.#boxes = boxes;
    fill(this.#frame, image);
    this.#fit();
    this.#lookAtMarks();
  }

  /** Brings the marked words into view, unless they are. */
  #lookAtMarks() {
    const image = this.#image;
    const panel = this.node.closest('aside');
    if (!image || !panel) return;
    const top = Math.min(...this.#boxes.map(([, y]) => y), 1);
    const left = Math.min(...this.#boxes.map(([x]) => x), 1);
    const low = Math.max(...this.#boxes.map(([, , , y]) => y), 0);
    const seen = panel.getBoundingClientRect();
    const at = image.getBoundingClientRect();
    const bottom = Math.min(seen.bottom, window.innerHeight);
    if (!this.#boxes.length) {
      if (at.top < seen.top) panel.scrollTop += at.top - seen.top - ABOVE_PX;
    } else if (at.top + low * at.height > bottom || at.top + top * at.height < seen.top + ABOVE_PX / 2) {
      panel.scrollTop += at.top + top * at.height - seen.top - ABOVE_PX;
    }
    this.#frame.scrollLeft = this.#boxes.length ? left * image.clientWidth - 24 : 0;
  }

  /** @param {number} step */
  #zoomBy(step) {
    const now = this.#zoom || this.#shownZoom();
    const next = step > 0 ? ZOOMS.find((zoom) => zoom > now + 0.01)
      : [...ZOOMS].reverse().find((zoom) => zoom < now - 0.01);
    if (next) this.#zoomTo(next);
  }

  /** @param {number} zoom 0 fits */
  #zoomTo(zoom) {
    this.#zoom = zoom;
    this.#fit();
    this.#drawBar();
    this.#lookAtMarks();
    this.#sharpen();
  }

  /** Where a picture is drawn larger than it is, a finer one is fetched. */
  #sharpen() {
    const shown = (this.#image?.clientWidth ?? 0) * window.devicePixelRatio;
    const width = shown > PICTURE_PX * 1.1 ? 2 * PICTURE_PX : PICTURE_PX;
    if (width === this.#width) return;
    this.#width = width;
    this.#turnTo(this.#page);
  }

  #fit() {
    if (this.#image) this.#image.style.width = this.#zoom ? `${this.#zoom * LIFE_SIZE_PX}px` : '100%';
  }

  #shownZoom() {
    return (this.#image?.clientWidth ?? LIFE_SIZE_PX) / LIFE_SIZE_PX;
  }

  #drawBar() {
    const focused = this.#bar.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-action') : null;
    const cited = this.#source.locator.page;
    const page = this.#page;
    this.#bar.setAttribute('aria-label', t('source.tools'));
    fill(this.#bar,
      this.#button('source.previous', '‹', () => this.#turnTo(page - 1), page > 1),
      this.#jump(),
      this.#button('source.next', '›', () => this.#turnTo(page + 1), this.#total === null || page < this.#total),
      page !== cited && el('button', {
        type: 'button', class: 'quiet back', 'data-action': 'back', on: { click: () => this.#turnTo(cited) },
      }, t('source.back', { page: String(cited) })),
      el('span', { class: 'zoom' },
        this.#button('source.smaller', '−', () => this.#zoomBy(-1), true),
        this.#button('source.lifeSize', this.#zoom ? `${formatNumber(this.#zoom * 100)} %` : t('source.fitted'),
          () => this.#zoomTo(this.#zoom === 1 ? 0 : 1), true),
        this.#button('source.larger', '+', () => this.#zoomBy(1), true),
        this.#button('source.fit', icon('fit'), () => this.#zoomTo(0), this.#zoom !== 0)),
      el('span', { class: 'links' }, this.#listener?.original(page) ?? []));
    if (focused) {
      const same = this.#bar.querySelector(`[data-action="${focused}"]:enabled`);
      /** @type {any} */ (same ?? this.#bar.querySelector('button:enabled'))?.focus();
    }
  }

  /** Page [3] of 12: typed, and gone to with Enter. */
  #jump() {
    const field = el('input', {
      type: 'number', class: 'field', min: 1, max: this.#total, value: this.#page, 'data-action': 'jump',
      'aria-label': t('source.jump'), on: { change: () => this.#turnTo(Math.min(Number(field.value), this.#total ?? Infinity)) },
    });
    return el('span', { class: 'jump', 'aria-live': 'polite' },
      t('source.pageWord'), ' ', field, ' ', this.#total ? t('source.ofPages', { total: formatNumber(this.#total) }) : '');
  }

  /** @param {string} key @param {any} sign @param {() => any} act @param {boolean} enabled */
  #button(key, sign, act, enabled) {
    return el('button', {
      type: 'button', class: 'quiet', 'data-action': key, disabled: !enabled, 'aria-label': t(key), title: t(key),
      on: { click: act },
    }, sign);
  }

  /** @param {any} source */
  async #countPages(source) {
    try {
      const address = `/api/documents/${encodeURIComponent(source.document_id)}`;
      const { pages_total: total } = await callJson(address, { quiet: true });
      if (this.#source !== source) return;
      this.#total = total || null;
      this.#drawBar();
    } catch {
      // The pages can still be turned; only their number stays unknown.
    }
  }
}

/** @param {any} source @param {number} page @param {Response} response @returns {string} */
function markedWords({ quote, locator }, page, { headers }) {
  if (page !== locator.page || !quote) return '';
  const marked = headers.get('Deskside-Marked');
  if (marked === 'passage') return t('source.passageMarked');
  return marked === 'none' ? t('source.noneMarked') : '';
}

/** @param {any} source @param {number} page @param {Response} response @returns {Box[]} */
function boxesOf({ locator }, page, { headers }) {
  const told = headers.get('Deskside-Boxes');
  if (told) return JSON.parse(told);
  return (locator.boxes ?? []).filter((/** @type {any} */ box) => box.page === page)
    .map((/** @type {any} */ box) => [box.x0, box.y0, box.x1, box.y1]);
}
