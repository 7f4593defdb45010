/**
 * Citations: the numbered chips, their quote on hover and focus, and the lists of sources.
 * @typedef {{marker: number, passage_id: string, document_id: string, document_name: string,
 *   path: string, locations?: string[], locator: import('./places.js').Locator, quote: string, supported: boolean}} Citation
 * @typedef {{passage_id: string, document_id: string, document_name: string, path: string, locations?: string[],
 *   text: string, locator: import('./places.js').Locator}} Hit
 * @typedef {(source: Citation|Hit, opener: HTMLElement) => void} OpenSource
 */

import { byId, el, fill } from './dom.js';
import { t } from './i18n.js';
import { placeOf } from './places.js';

const bubble = el('div', { id: 'bubble', class: 'bubble', role: 'tooltip', hidden: true });
/** Time to move the pointer from a chip into its bubble. */
const LINGER_MS = 150;
let leaving = 0;
/** @type {HTMLElement|null} the chip the bubble speaks about just now */
let described = null;

/** Puts the one shared bubble on the page. */
export function startBubble() {
  byId('main').append(bubble);
  bubble.addEventListener('pointerenter', () => clearTimeout(leaving));
  bubble.addEventListener('pointerleave', hideBubble);
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') hideBubble(); });
  document.addEventListener('scroll', hideBubble, { passive: true });
}

/** @param {Citation} citation @param {OpenSource} open */
export function chip(citation, open) {
  const name = t('cite.chip', {
    n: citation.marker, name: citation.document_name, place: placeOf(citation.locator),
  });
  const button = el('button', {
    type: 'button',
    class: citation.supported === false ? 'chip doubtful' : 'chip',
    'aria-label': name,
    on: {
      click: () => { hideBubble(); open(citation, button); },
      pointerenter: () => showBubble(button, citation),
      pointerleave: () => { leaving = setTimeout(hideBubble, LINGER_MS); },
      focus: () => { if (button.matches(':focus-visible')) showBubble(button, citation); },
      blur: hideBubble,
    },
  }, citation.marker);
  return button;
}

/** @param {number} number a marker while the answer is still being written */
export function pendingChip(number) {
  return el('span', { class: 'chip pending' }, number);
}

/** More sources than this are folded away: an answer over all files may name fifty. */
const MOST_OPEN = 8;

/** @param {Citation[]} citations @param {OpenSource} open */
export function citationList(citations, open) {
  const list = el('ul', {}, citations.map((citation) => el('li', {},
    sourceButton(citation, open, el('span', { class: 'number', 'aria-hidden': 'true' }, citation.marker)),
    citation.supported === false && el('p', { class: 'doubt' }, `⚠ ${t('cite.doubtful')}`))));
  if (citations.length <= MOST_OPEN) return el('section', { class: 'sources' }, el('h3', {}, t('answer.sources')), list);
  return el('details', { class: 'sources' }, el('summary', {}, t('answer.sourcesOf', { n: citations.length })), list);
}

/** @param {Hit[]} hits @param {string} title @param {OpenSource} open */
export function hitList(hits, title, open) {
  return el('section', { class: 'sources hits' },
    el('h3', {}, title),
    el('ul', {}, hits.map((hit) => el('li', {},
      sourceButton(hit, open),
      el('blockquote', {}, shortened(hit.text))))));
}

/** @param {Citation|Hit} source @param {OpenSource} open @param {...Node} before */
function sourceButton(source, open, ...before) {
  const button = el('button', { type: 'button', class: 'source-line', on: { click: () => open(source, button) } },
    before,
    el('span', { class: 'name' }, source.document_name), ' ',
    el('span', { class: 'place' }, placeOf(source.locator)));
  return button;
}

/** @param {HTMLElement} button @param {Citation} citation */
function showBubble(button, citation) {
  clearTimeout(leaving);
  fill(bubble,
    el('p', { class: 'where' }, `${citation.document_name} · ${placeOf(citation.locator)}`),
    el('p', { class: 'quote' }, shortened(citation.quote)),
    citation.supported === false && el('p', { class: 'doubt' }, `⚠ ${t('cite.doubtful')}`));
  bubble.hidden = false;
  described?.removeAttribute('aria-describedby');
  described = button;
  described.setAttribute('aria-describedby', bubble.id);
  const at = button.getBoundingClientRect();
  const left = Math.min(Math.max(8, at.left - 16), document.documentElement.clientWidth - bubble.offsetWidth - 8);
  const above = at.top - bubble.offsetHeight - 6;
  bubble.style.left = `${left}px`;
  bubble.style.top = `${above > 8 ? above : at.bottom + 6}px`;
}

function hideBubble() {
  clearTimeout(leaving);
  bubble.hidden = true;
  described?.removeAttribute('aria-describedby');
  described = null;
}

/** Enough to recognise a passage by; the source panel shows all of it. */
const PREVIEW_CHARACTERS = 280;

/** @param {string} text */
function shortened(text) {
  const characters = [...text];
  return characters.length > PREVIEW_CHARACTERS ? `${characters.slice(0, PREVIEW_CHARACTERS).join('')}…` : text;
}
