/** The panel beside the answer: the passage with its quote marked, and the page or text around it. */

import { el, fill } from './dom.js';
import { sourceShown } from './frame.js';
import { call, callJson } from './http.js';
import { onLanguage, t } from './i18n.js';
import { hasPicture, placeOf } from './places.js';
import { markQuote } from './quote.js';

export class SourcePanel {
  /** @type {any} the citation or hit shown */
  #source = null;
  #text = '';
  #page = 0;
  /** @type {number|null} */
  #pagesTotal = null;
  /** @type {HTMLElement|null} */
  #opener = null;
  #picture = el('div', { class: 'picture' });
  #around = el('div', { class: 'around' });

  /** @param {HTMLElement} node the aside of index.html */
  constructor(node) {
    this.node = node;
    node.addEventListener('keydown', (event) => { if (event.key === 'Escape') this.hide(); });
    onLanguage(() => { if (this.#source) this.#draw(); });
  }

  /**
   * @param {import('./cite.js').Citation|import('./cite.js').Hit} source
   * @param {import('./cite.js').Hit[]} hits where the whole passage is found
   * @param {HTMLElement} opener gets the focus back
   */
  show(source, hits, opener) {
    const passage = hits.find((hit) => hit.passage_id === source.passage_id);
    this.#source = source;
    this.#opener = opener;
    this.#text = passage?.text ?? ('text' in source ? source.text : source.quote);
    this.#page = pictured(source);
    this.#pagesTotal = null;
    fill(this.#around);
    this.#draw();
    this.#open(true);
    /** @type {any} */ (this.node.querySelector('h2'))?.focus({ preventScroll: true });
    this.node.scrollTop = 0;
    this.node.scrollIntoView({ block: 'nearest' });
    if (this.#page) this.#countPages(source);
    else this.#showAround(source);
  }

  hide() {
    if (!this.#source) return;
    this.#source = null;
    this.#open(false);
    // A redrawn answer has new chips: then the question box is the next best place.
    (this.#opener?.isConnected ? this.#opener : document.getElementById('question'))?.focus();
  }

  /** @param {boolean} open */
  #open(open) {
    this.node.hidden = !open;
    sourceShown(open);
  }

  #draw() {
    const { document_name: name, path, locations = [], locator, quote } = this.#source;
    const copies = locations.slice(1);
    fill(this.node,
      el('header', {},
        el('div', {},
          el('h2', { tabindex: '-1' }, name),
          el('p', { class: 'place' }, placeOf(locator)),
          path && path !== name && el('p', { class: 'faint' }, path),
          copies.length > 0 && el('p', { class: 'faint' }, t('library.also', { paths: copies.join(', ') }))),
        el('button', { type: 'button', class: 'quiet', on: { click: () => this.hide() } }, t('source.close'))),
      el('section', { class: 'passage', 'aria-label': t('source.passage') },
        el('p', { class: 'verbatim' }, quote ? markQuote(this.#text, quote) : this.#text)),
      this.#page ? this.#picture : [this.#around, el('p', {}, this.#original())]);
    if (this.#page) this.#drawPage();
  }

  #drawPage() {
    const { document_id: id, document_name: name, passage_id: passage } = this.#source;
    const page = this.#page;
    const query = passage ? `?passage=${encodeURIComponent(passage)}` : '';
    const words = page === pictured(this.#source) ? 'source.picture' : 'source.pictureOther';
    const image = el('img', {
      src: `/api/documents/${encodeURIComponent(id)}/pages/${page}.png${query}`,
      alt: t(words, { name, page: String(page) }),
      on: { error: () => image.replaceWith(el('p', { class: 'note' }, t('source.noPicture'))) },
    });
    fill(this.#picture,
      el('div', { class: 'pager' },
        this.#turnTo(page - 1, 'source.previous', '‹'),
        el('span', { 'aria-live': 'polite' }, this.#pagesTotal
          ? t('source.pageOf', { page: String(page), total: String(this.#pagesTotal) }) : t('source.page', { page: String(page) })),
        this.#turnTo(page + 1, 'source.next', '›'),
        this.#original()),
      image);
  }

  /** @param {number} page @param {string} label @param {string} sign */
  #turnTo(page, label, sign) {
    return el('button', {
      type: 'button', class: 'quiet', 'aria-label': t(label), title: t(label), 'data-turn': label,
      disabled: page < 1 || (this.#pagesTotal !== null && page > this.#pagesTotal),
      on: { click: () => { this.#page = page; this.#drawPage(); this.#refocus(label); } },
    }, sign);
  }

  /** Turning pages redraws the buttons: keep the keyboard where it was. @param {string} label */
  #refocus(label) {
    const buttons = [...this.#picture.querySelectorAll('button')];
    const same = buttons.find((button) => button.dataset.turn === label && !button.disabled);
    (same ?? buttons.find((button) => !button.disabled))?.focus();
  }

  #original() {
    const file = `/api/documents/${encodeURIComponent(this.#source.document_id)}/file`;
    const page = this.#page;
    return el('a', { href: page ? `${file}#page=${page}` : file, target: '_blank', rel: 'noopener' },
      page ? t('source.openAt', { page: String(page) }) : t('source.open'));
  }

  /** The text or sheet around the passage: a document of its own, in which nothing can run. @param {any} source */
  async #showAround(source) {
    const { document_id: id, passage_id: passage, document_name: name } = source;
    if (!passage) return;
    const address = `/api/documents/${encodeURIComponent(id)}/preview?passage=${encodeURIComponent(passage)}`;
    try {
      await call(address, { quiet: true });
    } catch {
      return; // The passage itself stands above; what is around it is gone.
    }
    if (this.#source !== source) return;
    const frame = el('iframe', { src: address, sandbox: '', title: t('source.around', { name }) });
    // The fragment brings the marked words into view without a script, once they are laid out.
    frame.addEventListener('load', () => { frame.src = `${address}#cited`; }, { once: true });
    fill(this.#around, frame);
  }

  /** @param {any} source */
  async #countPages(source) {
    try {
      const { pages_total: total } = await callJson(`/api/documents/${encodeURIComponent(source.document_id)}`, { quiet: true });
      if (this.#source !== source) return;
      this.#pagesTotal = total;
      const focused = /** @type {any} */ (document.activeElement)?.dataset?.turn;
      this.#drawPage();
      if (focused) this.#refocus(focused);
    } catch {
      // The pages can still be turned; only their number stays unknown.
    }
  }
}

/** @param {any} source @returns {number} the page to show as a picture, 0 for none */
function pictured({ locator }) {
  return hasPicture(locator) ? locator.page : 0;
}
