/**
 * One document in the library, in plain words.
 * @typedef {{document_id: string, name: string, path: string, locations?: string[], status: string,
 *   reason: {code: string, message: string, advice: string}|null, pages_total: number,
 *   pages_done: number, passages?: number, flags?: string[], media_type?: string, size_bytes: number,
 *   modified_at: string, added_at: string, updated_at: string}} Document
 * @typedef {{retry: Act, remove: Act, folder: (path: string) => void, details: Act}} Actions
 * @typedef {(doc: Document) => void} Act
 */

import { el } from './dom.js';
import { t } from './i18n.js';
import { flagWords, statusWords, why } from './reasons.js';

/**
 * @param {Document} doc
 * @param {Actions} actions
 * @param {Node|null} details shown below, where they were unfolded
 * @returns {import('./dom.js').Child[]} what stands in its line of the list
 */
export function documentRow(doc, actions, details) {
  return [
    el('div', { class: 'document-name' },
      doc.status === 'missing' ? el('span', { class: 'name' }, doc.name) : el('a', {
        class: 'name', href: originalOf(doc), target: '_blank', rel: 'noopener',
      }, doc.name),
      whereabouts(doc, actions.folder)),
    el('div', { class: 'document-status' },
      el('p', { class: `state ${doc.status}` }, statusWords(doc.status)), progress(doc)),
    el('div', { class: 'actions' },
      Boolean(doc.reason) && action('library.retry', doc, actions.retry),
      action('library.details', doc, actions.details, { 'aria-expanded': String(details !== null) }),
      action('library.delete', doc, actions.remove)),
    remarks(doc),
    details,
  ];
}

/** @param {{document_id: string}} doc */
export function originalOf(doc) {
  return `/api/documents/${encodeURIComponent(doc.document_id)}/file`;
}

/** @param {Document} doc @param {(path: string) => void} show */
function whereabouts({ path, locations = [] }, show) {
  const folder = path.split('/').slice(0, -1).join('/');
  const others = locations.filter((location) => location !== path);
  if (!folder && !others.length) return null;
  return el('p', { class: 'faint' },
    Boolean(folder) && el('button', {
      type: 'button', class: 'folder', 'aria-label': t('library.onlyFolder', { folder }),
      'data-action': 'folder', on: { click: () => show(folder) },
    }, folder.replaceAll('/', ' / ')),
    folder && others.length ? ' · ' : '',
    others.length > 0 && t('library.also', { paths: others.join(', ') }));
}

/** @param {Document} doc */
function progress({ name, status, pages_total: total, pages_done: done, media_type: type = '' }) {
  const unit = unitOf(type);
  // Text without pages counts as one, which nobody wants to read.
  if (!total || (total === 1 && unit === 'text')) return null;
  const key = unit === 'text' ? 'pages' : unit;
  const working = status === 'reading' || status === 'embedding';
  return [
    working && el('progress', { value: done, max: total, 'aria-label': t('library.progress', { name }) }),
    el('p', { class: 'faint' }, done < total
      ? t(`library.${key}Done`, { done, n: total }) : t(`library.${key}`, { n: total })),
  ];
}

/** @param {string} type @returns {'pages'|'sheets'|'slides'|'text'} what the file is made of */
function unitOf(type) {
  if (/spreadsheet|excel|csv/.test(type)) return 'sheets';
  if (/presentation|powerpoint/.test(type)) return 'slides';
  return /^text\/|word/.test(type) ? 'text' : 'pages';
}

/** @param {string} key @param {any} doc @param {(doc: any) => void} act @param {object} [more] */
export function action(key, doc, act, more = {}) {
  // The visible word alone would be the same in every row.
  return el('button', {
    type: 'button', class: 'quiet', 'data-action': key, ...more,
    'aria-label': t('library.actOn', { action: t(key), name: doc.name }),
    on: { click: () => act(doc) },
  }, t(key));
}

/** @param {Document} doc */
function remarks(doc) {
  const known = flagWords(doc.flags ?? []);
  // What only waits its turn and was never wrong says nothing.
  if (!doc.reason && !known.length && doc.status !== 'missing') return null;
  return el('div', { class: 'remarks' },
    doc.status === 'missing' && el('p', {}, t('library.missing')),
    doc.reason && why(doc.reason, doc.name),
    known.length > 0 && el('p', { class: 'faint' }, known.join(' · ')));
}
