/** What is known of one document beyond its line: kind, size, dates, places, pages. */

import { el } from './dom.js';
import { callJson } from './http.js';
import { formatNumber, t } from './i18n.js';
import { size, when } from './measure.js';

/** Pages named one by one; beyond that the count must do. */
const MOST_PAGES = 40;

/**
 * @param {import('./row.js').Document} doc
 * @param {(doc: import('./row.js').Document) => void} purge
 * @returns {HTMLElement} filled once the pages are known
 */
export function documentDetails(doc, purge) {
  const node = el('div', { class: 'details' }, facts(doc, []), purgeLine(doc, purge));
  callJson(`/api/documents/${encodeURIComponent(doc.document_id)}`, { quiet: true })
    .then((known) => node.replaceChildren(facts(known, known.pages ?? []), purgeLine(doc, purge)))
    .catch(() => {}); // What the line itself knows stays.
  return node;
}

/** @param {import('./row.js').Document} doc @param {{number: number, label: string, status: string}[]} pages */
function facts(doc, pages) {
  const rows = [
    ['details.kind', /\.([^./]+)$/.exec(doc.name)?.[1].toUpperCase() ?? ''],
    ['details.size', size(doc.size_bytes)],
    ['details.modified', when(doc.modified_at)],
    ['details.added', when(doc.added_at)],
    ['details.passages', formatNumber(doc.passages ?? 0)],
    ['details.places', el('ul', {}, (doc.locations ?? [doc.path]).map((path) => el('li', {}, el('code', {}, path))))],
    ['details.unread', named(pages, 'unreadable')],
    ['details.ocr', named(pages, 'ocr')],
    ['details.empty', named(pages, 'empty')],
  ];
  return el('dl', {}, rows.filter(([, value]) => value).map(([key, value]) => [
    el('dt', {}, t(/** @type {string} */ (key))), el('dd', {}, value),
  ]).flat());
}

/** @param {{label: string, status: string}[]} pages @param {string} status */
function named(pages, status) {
  const labels = pages.filter((page) => page.status === status).map(({ label }) => label);
  const shown = labels.slice(0, MOST_PAGES).join(', ');
  return labels.length > MOST_PAGES ? `${shown} … (${formatNumber(labels.length)})` : shown;
}

/** @param {import('./row.js').Document} doc @param {(doc: import('./row.js').Document) => void} purge */
function purgeLine(doc, purge) {
  return el('p', {}, el('button', {
    type: 'button', class: 'quiet bad', 'data-action': 'purge', on: { click: () => purge(doc) },
  }, t('purge.offer')));
}
